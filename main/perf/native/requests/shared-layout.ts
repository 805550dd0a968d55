import type { SharedJob } from '../seam/load-job';
import type { RequestInputs } from './batch-payloads';

/** Where a tensor lies in a region. */
export interface SharedPlace {
  readonly region: string;
  readonly offset: number;
  readonly bytes: number;
}

/** Of each output as much is compared with the answer over the wire. */
export const comparedBytes = 2 ** 20;

/** Tensors begin at multiples of this: a cache line. */
const alignment = 64;
const aligned = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

/** Offsets of all inputs, by payload and then tensor, and the bytes of all of them together. */
export function inputLayout(payloads: readonly RequestInputs[]): {
  readonly offsets: readonly (readonly number[])[];
  readonly bytes: number;
} {
  let bytes = 0;
  const offsets = payloads.map((inputs) =>
    inputs.map((input) => {
      const offset = bytes;
      bytes += aligned(input.data.length);
      return offset;
    }),
  );
  return { offsets, bytes: Math.max(alignment, bytes) };
}

/**
 * Where outputs are written: `common` by all requests under way, as perf_analyzer's do, so that the memory does not grow with
 * them; `watched` by the one whose answer is read back.
 */
const outputSets = { common: 0, watched: 1 } as const;
export type OutputSet = keyof typeof outputSets;

export const outputOffset = (
  job: Pick<SharedJob, 'outputNames' | 'outputBytes'>,
  set: OutputSet,
  output: number,
): number => (outputSets[set] * job.outputNames.length + output) * aligned(job.outputBytes);

/** Bytes of all sets. */
export const outputRegionBytes = (job: Pick<SharedJob, 'outputNames' | 'outputBytes'>): number =>
  Object.keys(outputSets).length * job.outputNames.length * aligned(job.outputBytes);
