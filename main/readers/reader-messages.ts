import type { WireError } from '../contract/errors';

/** To the reader's process: one job at a time. */
export interface ReaderJob {
  readonly name: string;
  readonly input: unknown;
  /** Resident memory of the process, MiB, above which it ends itself. */
  readonly memoryMiB: number;
}

/** From it: first that it can be asked, then one answer for each job. */
export type ReaderMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly value: unknown; readonly residentMiB: number }
  | { readonly type: 'failure'; readonly error: WireError; readonly residentMiB: number };

/** The signal by which the process ends itself above its memory; nothing else sends it. */
export const memorySignal = 'SIGUSR2';
