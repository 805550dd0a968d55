import { Readable } from 'node:stream';
import { z } from 'zod';
import { WorkbenchError } from '../../contract/errors';
import { LineSplitter } from '../../platform/lines';
import { jsonOrNull } from '../../platform/parse-json';

/** Of one event: the words of a failed build come in one, each control character as six. A longer one is no event. */
const maxEventBytes = 1024 * 1024;

/** One event of a pull or build. Fields of the Docker Engine API, "ImageCreate" and "ImageBuild". */
const engineEventSchema = z.looseObject({
  id: z.string().optional(),
  status: z.string().optional(),
  stream: z.string().optional(),
  error: z.string().optional(),
  errorDetail: z.looseObject({ code: z.number().optional(), message: z.string().optional() }).optional(),
  progressDetail: z.looseObject({ current: z.number().optional(), total: z.number().optional() }).nullish(),
});
export type EngineEvent = z.infer<typeof engineEventSchema>;

/** null for a line that is no event: a cut or foreign line must not end a pull that goes well. */
export function parseEngineEvent(line: string): EngineEvent | null {
  return engineEventSchema.safeParse(jsonOrNull(line)).data ?? null;
}

/** The engine's own words for a failure in the stream; null where the event tells of none. */
export function failureOf(event: EngineEvent): string | null {
  return event.errorDetail?.message ?? event.error ?? null;
}

/**
 * Reads the events of an answer to its end. The answer is destroyed when `signal` is aborted: the engine gives up a
 * pull or build as soon as nobody listens. Rejects with the connection's error when it breaks.
 */
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
