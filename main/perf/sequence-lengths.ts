import { largestOf } from '../contract/extremes';
import type { SequenceSettings } from '../contract/sequences';

/**
 * Length and variation of the sequences that are sent: those asked for, or, where the input data have streams, those of
 * the streams: the mean, and by how many percent of it the farthest one lies away. Pure.
 */
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
