import type { Readable } from 'node:stream';
import { z } from 'zod';
import { LineSplitter } from '../platform/line-splitter';
import type { DockerClient } from './client';
import { ask } from './client';
import { instanceFilter } from './labels';

/** Engines before API 1.52 say `status` and `id` beside `Action` and `Actor` (Engine API version history). */
const eventSchema = z.union([
  z.looseObject({ Action: z.string(), Actor: z.looseObject({ ID: z.string() }) }),
  z.looseObject({ status: z.string(), id: z.string() }),
]);

/** What programs inside a container are asked to do changes nothing that a list shows. */
const beside = /^(?:exec_|top$|attach$|resize$)/;

export interface FollowEventsInput {
  readonly client: DockerClient;
  readonly instance: string;
  readonly signal: AbortSignal;
  /** Limit for the engine to open the stream. */
  readonly timeoutMs: number;
  readonly onOpen: () => void;
  /** Something became of a container of this instance. */
  readonly onEvent: () => void;
}

/** Does the line tell of a change? Pure. Throws for what is no event. */
export function parseEvent(line: string): boolean {
  const event = eventSchema.parse(JSON.parse(line));
  return !beside.test('Action' in event ? String(event.Action) : event.status);
}

/**
 * Listens to the engine until the stream is over. End, close, error and a line that is no event are all the same: it
 * resolves, and what happened since is for a list to say. Throws when the stream cannot be opened.
 */
export async function followEvents(input: FollowEventsInput): Promise<void> {
  const { client, signal } = input;
  const filters = JSON.stringify({ type: ['container'], ...instanceFilter(input.instance) });
  const stream = (await ask(
    'listen to its events',
    (abortSignal) => {
      const query = { filters, abortSignal };
      return client.docker.getEvents(query);
    },
    { signal, timeoutMs: input.timeoutMs },
  )) as unknown as Readable;
  const stop = () => {
    stream.destroy();
  };
  try {
    await new Promise<void>((resolve) => {
      const over = () => {
        resolve();
      };
      // Holds 64 KiB of a line at most; what is cut there is no JSON any more.
      const lines = new LineSplitter((line) => {
        if (line.trim() === '') return;
        if (parseEvent(line)) input.onEvent();
      });
      stream.on('data', (chunk: Buffer) => {
        try {
          lines.add(chunk);
        } catch {
          over();
        }
      });
      for (const end of ['end', 'close', 'error', 'aborted']) stream.once(end, over);
      signal.addEventListener('abort', over, { once: true });
      if (signal.aborted) over();
      else input.onOpen();
    });
  } finally {
    // A stream that is destroyed may still tell of an error.
    stream.on('error', () => undefined);
    stop();
  }
}
