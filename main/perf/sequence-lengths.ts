import type { SequenceSettings } from '../contract/run/run-spec';
import { largestOf } from '../domain/statistics';

/** Requested length and variation, or for streams their mean and maximum deviation in percent. */
export function sequenceLengths(
  settings: SequenceSettings,
  streams: readonly number[] | undefined,
): { readonly length: number; readonly lengthVariation: number } {
  const { length, lengthVariation } = settings;
  if (streams === undefined || streams.length === 0) return { length, lengthVariation };
  const mean = streams.reduce((sum, one) => sum + one, 0) / streams.length;
  const farthest = largestOf(streams.map((one) => Math.abs(one - mean)));
  return { length: Math.max(1, Math.round(mean)), lengthVariation: (100 * farthest) / mean };
}
