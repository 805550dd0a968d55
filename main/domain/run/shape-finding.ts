import { problem, type RuleFinding } from './rule-finding';

const shapeText = (shape: readonly number[]): string => `[${shape.join(', ')}]`;

/** Compares a sample's shape with the model's, where -1 varies; null: it fits. */
export function shapeFinding(
  name: string,
  shape: readonly number[],
  model: readonly number[],
): RuleFinding | null {
  const fits = (sizes: readonly number[]) =>
    sizes.length === model.length && model.every((size, axis) => size === -1 || size === sizes[axis]);
  if (fits(shape)) return null;
  const inner = shape.slice(1);
  const usual = model.map((size) => (size === -1 ? 16 : size));
  return problem(
    `model.shapes.${name}`,
    `${shapeText(shape)} does not fit ${shapeText(model)}`,
    fits(inner)
      ? `Leave the batch dimension out: ${shapeText(inner)}.`
      : `Change only the dimensions given as -1, for example ${shapeText(usual)}.`,
  );
}
