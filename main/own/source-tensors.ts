import type { ModelSource } from '../contract/run/run-spec';
import { present } from '../contract/trees';
import type { Dimension } from './read-onnx';

/** Default side of images, on which most models were trained. */
const side = 224;
/** Default length of float rows, usually signals: fits a short-time Fourier transform's window. */
const signalLength = 512;
/** Default of other dynamic axes: fits windows, and cheap on a CPU. */
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
  // After a fixed number of layers or directions comes the batch: a recurrent network's state.
  if (dimensions.length === 3 && axis === 1 && typeof first === 'number' && first > 1) return 1;
  if (dimensions.length !== 4) return length;
  const last = dimensions[3];
  const channelsLast = last !== undefined && channelCounts.has(last);
  if (channelsLast) return axis < 3 ? side : length;
  return axis === 1 ? 3 : side;
}

/**
 * A sample shape: fixed sizes, batch 1, and for other dynamic axes a size by name or position. Equal names get equal
 * sizes through `known`, which is updated.
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

/** Names that exporters invent for unknown axes. */
const anonymous = (name: string): boolean =>
  name === '' || /^(unk_|\?|none)|dynamicdimension|_dim_0$/i.test(name);
const otherAxis = /seq|len|time|token|frame|height|width|^num|nms|box|point/i;

/** The first axis of every tensor is dynamic with one name or none: only then is it a batch. */
function isBatched(shapes: readonly (readonly Dimension[])[]): boolean {
  // A sample of one number would be served as [batch, 1]; without batching it stays.
  if (shapes.some((dimensions) => dimensions.length < 2)) return false;
  const first = shapes.map((dimensions) => dimensions[0]);
  const names = first.filter((dimension): dimension is string => typeof dimension === 'string');
  if (names.length < first.length) return false;
  const named = new Set(names.filter((name) => !anonymous(name)));
  return named.size <= 1 && ![...named].some((name) => otherAxis.test(name));
}

/** -1 for dynamic dimensions. */
const fileShape = (dimensions: readonly Dimension[]): number[] =>
  dimensions.map((dimension) => (typeof dimension === 'number' ? dimension : -1));

export type GivenShapes = Readonly<Record<string, readonly number[]>>;

interface FileTensor {
  readonly name: string;
  readonly datatype: string;
  readonly dimensions: readonly Dimension[];
  /** Of an input; see `ModelSource`. */
  readonly tableRows?: number | undefined;
}

/** Declared tensors -> tensors of the model source; dynamic axes with one name get one size. */
export function sourceTensors(
  tensors: { readonly inputs: readonly FileTensor[]; readonly outputs: readonly FileTensor[] },
  given: GivenShapes,
): Pick<ModelSource, 'inputs' | 'outputs' | 'batched'> {
  const { inputs, outputs } = tensors;
  const known = new Map<string, number>();
  return {
    inputs: inputs.map(({ name, datatype, dimensions, tableRows }) => ({
      name,
      datatype,
      shape: fileShape(dimensions),
      sample: [...(given[name] ?? sampleShape({ dimensions, datatype }, known))],
      ...present({ tableRows }),
    })),
    outputs: outputs.map(({ name, datatype, dimensions }) => ({
      name,
      datatype,
      shape: fileShape(dimensions),
    })),
    batched: isBatched([...inputs, ...outputs].map(({ dimensions }) => dimensions)),
  };
}

/** Throws the error of `refused` for a side without tensors. */
export function requireTensors(
  facts: Readonly<Record<'inputs' | 'outputs', readonly unknown[]>>,
  refused: (side: 'inputs' | 'outputs') => Error,
): void {
  for (const side of ['inputs', 'outputs'] as const) if (facts[side].length === 0) throw refused(side);
}
