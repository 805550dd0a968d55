import { join } from 'node:path';
import { invalidInput } from '../../contract/errors';
import type { InputData } from '../../contract/measured/input-data';
import type { LoadPoint } from '../../contract/measured/results';
import { fileLimits } from '../../contract/reader-limits';
import type { Replay } from '../../contract/run/run-spec';
import { largestOf } from '../../domain/statistics';
import { hashValue } from '../../platform/files';
import { readBoundedFile } from '../../platform/plain-entry';
import type { InputReaders } from '../input/input-readers';
import { parseTrace, type TraceRow } from './parse-trace';
import type { ReplayPart } from './read-replay';

/** Requests of a replayed trace, one entry each; plain values that cross threads. */
export interface Arrivals {
  /** When each is due, microseconds from the start, ascending. */
  readonly atUs: Float64Array;
  /** Items of each. */
  readonly sizes: Int32Array;
  /** Its first entry of the input data; -1: the next one in turn. */
  readonly firsts: Int32Array;
}

/** Where a run keeps it, in the folder of the step that sends it. */
export const replayFileIn = (folder: string): string => join(folder, 'replay.csv');

const keptBytes = 4 * fileLimits.trace.bytes;

/**
 * The file of a run with what is kept of its trace: from an earlier attempt, or made of the trace.
 * Throws input-invalid where the trace is another one by now.
 * @param beforeReading the trace is read, and not what was kept of it
 */
export async function keepReplay(
  readers: Pick<InputReaders, 'replayStore'>,
  { read, ...part }: ReplayPart & Pick<Replay, 'read'>,
  to: string,
  beforeReading: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const before = await readBoundedFile(to, keptBytes);
  if ('text' in before && hashValue(before.text) === read?.sha256) return;
  await beforeReading();
  const { sha256 } = await readers.replayStore({ ...part, to });
  if (read === undefined || sha256 === read.sha256) return;
  throw invalidInput(
    part.file,
    'The trace has changed since the run was created',
    'Restore the file, or start another run with it.',
  );
}

interface SentTo {
  readonly modelName: string;
  readonly speed: number;
  /** Of requests whose size the trace does not say. */
  readonly batchSize: number;
  readonly inputData: Pick<InputData, 'tensors' | 'classes'>;
}

/** The entry that each request names, or the next of its class. Throws input-invalid. */
function firstsOf(rows: readonly TraceRow[], { tensors, classes = [] }: SentTo['inputData']): Int32Array {
  const entries = largestOf(tensors.map(({ files }) => files.length));
  const members = new Map<string, { readonly entries: number[]; next: number }>();
  for (const [entry, name] of classes.entries()) {
    const found = members.get(name);
    if (found === undefined) members.set(name, { entries: [entry], next: 0 });
    else found.entries.push(entry);
  }
  return Int32Array.from(rows, ({ entry, inputClass }) => {
    if (entry !== undefined && entry >= entries) {
      throw invalidInput(
        'performance.replay.file',
        `A request names entry ${entry}, but the input data has ${entries} entries, counted from 0`,
        'Give input values with that entry, or correct the trace.',
      );
    }
    if (inputClass === undefined) return entry ?? -1;
    const group = members.get(inputClass);
    if (group === undefined) {
      throw invalidInput(
        'performance.replay.file',
        `A request names the class "${inputClass}", which no entry of the input data has`,
        'Give entries with "class": "NAME" in a JSON file of input data.',
      );
    }
    group.next += 1;
    return group.entries[(group.next - 1) % group.entries.length] ?? -1;
  });
}

/** The requests of one model, from the file that was kept. Throws input-invalid. */
export async function readArrivals(kept: string, sent: SentTo): Promise<Arrivals> {
  const found = await readBoundedFile(kept, keptBytes);
  if ('problem' in found)
    throw invalidInput(kept, `The stored part of the trace cannot be read: ${found.problem}`);
  const rows = parseTrace(found.text, kept).filter(
    ({ model }) => model === undefined || model === sent.modelName,
  );
  return {
    atUs: Float64Array.from(rows, ({ atUs }) => atUs / sent.speed),
    sizes: Int32Array.from(rows, ({ size }) => size ?? sent.batchSize),
    firsts: firstsOf(rows, sent.inputData),
  };
}

/** Most requests that are due within one second. */
export function peakRate(atUs: Float64Array): number {
  let most = 0;
  for (let last = 0, first = 0; last < atUs.length; last += 1) {
    while ((atUs[last] ?? 0) - (atUs[first] ?? 0) >= 1e6) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** What a result says of the trace. */
export function replayedOf(
  { atUs, sizes }: Arrivals,
  { speed, fromS, toS }: Pick<Replay, 'speed' | 'fromS' | 'toS'>,
): NonNullable<LoadPoint['replay']> {
  const { length } = sizes;
  return {
    requests: length,
    seconds: (atUs.at(-1) ?? 0) / 1e6,
    peakRate: peakRate(atUs),
    speed,
    fromS,
    ...(toS === undefined ? {} : { toS }),
    meanBatchSize: sizes.reduce((sum, size) => sum + size, 0) / length,
    largestBatchSize: sizes.reduce((most, size) => Math.max(most, size), 1),
  };
}
