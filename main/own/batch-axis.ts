import type { Dimension } from './read-onnx';

/** Names that exporters make up for an axis that they know nothing of. */
const anonymous = (name: string): boolean =>
  name === '' || /^(unk_|\?|none)|dynamicdimension|_dim_0$/i.test(name);
const otherAxis = /seq|len|time|token|frame|height|width|^num|nms|box|point/i;

/** The first axis of every tensor varies and has the same name, or none: only then is it a batch. */
export function isBatched(shapes: readonly (readonly Dimension[])[]): boolean {
  // A row of one number a sample would be served as [batch, 1]; without batching it stays what it is.
  if (shapes.some((dimensions) => dimensions.length < 2)) return false;
  const first = shapes.map((dimensions) => dimensions[0]);
  const names = first.filter((dimension): dimension is string => typeof dimension === 'string');
  if (names.length < first.length) return false;
  const told = new Set(names.filter((name) => !anonymous(name)));
  return told.size <= 1 && ![...told].some((name) => otherAxis.test(name));
}

/** -1 where a dimension varies. */
export const fileShape = (dimensions: readonly Dimension[]): number[] =>
  dimensions.map((dimension) => (typeof dimension === 'number' ? dimension : -1));
