import { Readable } from 'node:stream';
import { z } from 'zod';
import { WorkbenchError } from '../../contract/errors';
import { LineSplitter } from '../../platform/lines';
import { jsonOrNull } from '../../platform/parse-json';

/** Limit of an event; a failed build's message is one, with escaped control characters. */
const maxEventBytes = 1024 * 1024;

/** Event of "ImageCreate" and "ImageBuild" in the Docker Engine API. */
const engineEventSchema = z.looseObject({
  id: z.string().optional(),
  status: z.string().optional(),
  stream: z.string().optional(),
  error: z.string().optional(),
  errorDetail: z.looseObject({ code: z.number().optional(), message: z.string().optional() }).optional(),
  progressDetail: z.looseObject({ current: z.number().optional(), total: z.number().optional() }).nullish(),
});
export type EngineEvent = z.infer<typeof engineEventSchema>;

/** null for invalid lines, which must not fail a pull. */
export function parseEngineEvent(line: string): EngineEvent | null {
  return engineEventSchema.safeParse(jsonOrNull(line)).data ?? null;
}

/** The engine's error message, or null. */
export function failureOf(event: EngineEvent): string | null {
  return event.errorDetail?.message ?? event.error ?? null;
}

/** Aborting destroys the response, on which the engine cancels. Rejects with connection errors. */
export async function readEngineEvents(
  answer: NodeJS.ReadableStream,
  signal: AbortSignal,
  onEvent: (event: EngineEvent) => void,
): Promise<void> {
  const stop = () => {
    if (answer instanceof Readable) answer.destroy(new Error('aborted'));
  };
  const lines = new LineSplitter((line) => {
    const event = line.trim() === '' ? null : parseEngineEvent(line);
    if (event !== null) onEvent(event);
  }, maxEventBytes);
  const take = (chunk: Buffer) => {
    lines.add(chunk);
  };
  const broken = new Promise<never>((_resolve, reject) => {
    answer.on('error', reject);
    answer.once('aborted', () =>
      reject(new WorkbenchError('docker-unreachable', 'The connection to the Docker Engine broke')),
    );
  });
  const ended = new Promise<void>((resolve) => {
    answer.once('end', () => {
      lines.end();
      resolve();
    });
    answer.once('close', resolve);
  });
  answer.on('data', take);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([ended, broken]);
  } finally {
    signal.removeEventListener('abort', stop);
    answer.off('data', take);
  }
}
