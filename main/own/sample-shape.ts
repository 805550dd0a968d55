import type { Dimension } from './read-onnx';

/** Sides of an image where a model leaves them open: what most image models are trained on. */
const side = 224;
/** A row of fractions of open length is most often a signal: the window of a short-time Fourier transform fits in. */
const signalLength = 512;
/** Any other axis that varies: long enough for windows and short enough for every CPU. */
const length = 16;
const channelCounts: ReadonlySet<Dimension> = new Set([1, 3, 4]);

function byName(name: string): number | null {
  if (/batch/i.test(name)) return 1;
  if (/height|width|^[hw]$/i.test(name)) return side;
  if (/channel/i.test(name)) return 3;
  return null;
}

function byPlace(dimensions: readonly Dimension[], axis: number, fractions: boolean): number {
  const [first] = dimensions;
  if (axis === 0) return 1;
  if (dimensions.length === 2) return fractions ? signalLength : length;
  // Behind a fixed number of layers or directions stands the batch: the state of a recurrent network.
  if (dimensions.length === 3 && axis === 1 && typeof first === 'number' && first > 1) return 1;
  if (dimensions.length !== 4) return length;
  const last = dimensions[3];
  const channelsLast = last !== undefined && channelCounts.has(last);
  if (channelsLast) return axis < 3 ? side : length;
  return axis === 1 ? 3 : side;
}

/**
 * A shape to make samples of: sizes as the file has them, a batch of one, and for every other axis that varies a size
 * by its name or place. Axes of equal name get equal sizes over all inputs through `known`. Pure but for `known`.
 */
export function sampleShape(
  { dimensions, datatype }: { readonly dimensions: readonly Dimension[]; readonly datatype: string },
  known: Map<string, number>,
): number[] {
  return dimensions.map((dimension, axis) => {
    if (typeof dimension === 'number') return dimension;
    const size =
      known.get(dimension) ?? byName(dimension) ?? byPlace(dimensions, axis, datatype.startsWith('FP'));
    if (dimension !== '') known.set(dimension, size);
    return size;
  });
}
