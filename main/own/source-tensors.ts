import type { ModelSource } from '../contract/run/run-spec';
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
function sampleShape(
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

/** Names that exporters make up for an axis that they know nothing of. */
const anonymous = (name: string): boolean =>
  name === '' || /^(unk_|\?|none)|dynamicdimension|_dim_0$/i.test(name);
const otherAxis = /seq|len|time|token|frame|height|width|^num|nms|box|point/i;

/** The first axis of every tensor varies and has the same name, or none: only then is it a batch. */
function isBatched(shapes: readonly (readonly Dimension[])[]): boolean {
  // A row of one number a sample would be served as [batch, 1]; without batching it stays what it is.
  if (shapes.some((dimensions) => dimensions.length < 2)) return false;
  const first = shapes.map((dimensions) => dimensions[0]);
  const names = first.filter((dimension): dimension is string => typeof dimension === 'string');
  if (names.length < first.length) return false;
  const named = new Set(names.filter((name) => !anonymous(name)));
  return named.size <= 1 && ![...named].some((name) => otherAxis.test(name));
}

/** -1 where a dimension varies. */
const fileShape = (dimensions: readonly Dimension[]): number[] =>
  dimensions.map((dimension) => (typeof dimension === 'number' ? dimension : -1));

/** Sizes of a sample of an input, by its name, that somebody chose. */
export type GivenShapes = Readonly<Record<string, readonly number[]>>;

interface FileTensor {
  readonly name: string;
  readonly datatype: string;
  readonly dimensions: readonly Dimension[];
}

/** Tensors as a file declares them -> those of the model source; dynamic axes with one name get one size. Pure. */
export function sourceTensors(
  tensors: { readonly inputs: readonly FileTensor[]; readonly outputs: readonly FileTensor[] },
  given: GivenShapes,
): Pick<ModelSource, 'inputs' | 'outputs' | 'batched'> {
  const { inputs, outputs } = tensors;
  const known = new Map<string, number>();
  return {
    inputs: inputs.map(({ name, datatype, dimensions }) => ({
      name,
      datatype,
      shape: fileShape(dimensions),
      sample: [...(given[name] ?? sampleShape({ dimensions, datatype }, known))],
    })),
    outputs: outputs.map(({ name, datatype, dimensions }) => ({
      name,
      datatype,
      shape: fileShape(dimensions),
    })),
    batched: isBatched([...inputs, ...outputs].map(({ dimensions }) => dimensions)),
  };
}

/** Throws what `refused` makes of the side that has no tensors. */
export function requireTensors(
  facts: Readonly<Record<'inputs' | 'outputs', readonly unknown[]>>,
  refused: (side: 'inputs' | 'outputs') => Error,
): void {
  for (const side of ['inputs', 'outputs'] as const) if (facts[side].length === 0) throw refused(side);
}
