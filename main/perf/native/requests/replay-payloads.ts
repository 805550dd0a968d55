import { invalidInput } from '../../../contract/errors';
import { largestOf } from '../../../domain/statistics';
import type { Arrivals } from '../../replay/arrivals';
import type { LoadJob } from '../seam/load-job';
import { largestRequestBytes, mostPayloadBytes } from './batch-payloads';

/** Items of one of the different requests: from sample `first` on. */
export interface PayloadPart {
  readonly first: number;
  readonly size: number;
}

export interface ReplayPlan {
  /** The different requests. */
  readonly parts: readonly PayloadPart[];
  /** Of each request of the trace which of them it is. */
  readonly order: Int32Array;
  /** Requests that would be further ones if there was room. */
  readonly repeated: number;
}

/**
 * Which samples each request of a trace has: those that it names, or the next ones in turn. Different requests are made up to
 * 256 MiB; then requests in turn repeat one of their size. Throws input-invalid where the named ones do not fit.
 */
export function planReplay(
  { tensors, json }: Pick<LoadJob, 'tensors' | 'json'>,
  { sizes, firsts }: Pick<Arrivals, 'sizes' | 'firsts'>,
): ReplayPlan {
  const samples = largestOf(tensors.map((tensor) => tensor.samples.length));
  const itemBytes = largestRequestBytes({ tensors, json, batchSize: 1 });
  const parts: PayloadPart[] = [];
  const made = new Map<string, number>();
  const ofSize = new Map<number, number[]>();
  const count = { bytes: 0, repeated: 0, cursor: 0 };
  const order = Int32Array.from(sizes, (size, index) => {
    const named = firsts[index] ?? -1;
    const first = named < 0 ? count.cursor % samples : named;
    if (named < 0) count.cursor = (count.cursor + size) % samples;
    const key = `${first}/${size}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const alike = ofSize.get(size) ?? [];
    const isFull = count.bytes + itemBytes * size > mostPayloadBytes;
    if (isFull && named >= 0) {
      throw invalidInput(
        'performance.replay.file',
        'The entries that the trace names make different requests of more than 256 MiB',
        'Name fewer entries, or replay a part of the trace.',
      );
    }
    if (isFull && alike.length > 0) {
      count.repeated += 1;
      return alike[count.repeated % alike.length] ?? 0;
    }
    const place = parts.push({ first, size }) - 1;
    count.bytes += itemBytes * size;
    made.set(key, place);
    alike.push(place);
    ofSize.set(size, alike);
    return place;
  });
  return { parts, order, repeated: count.repeated };
}
