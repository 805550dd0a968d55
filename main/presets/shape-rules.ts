import type { RunSpec } from '../contract/run-spec';
import type { RuleFinding } from './rule-finding';
import { problem } from './rule-finding';

const text = (shape: readonly number[]) => `[${shape.join(', ')}]`;

/** Shapes of samples against those that the file allows. */
export function shapeProblems({ model }: RunSpec): readonly RuleFinding[] {
  const { source, shapes = {} } = model;
  return Object.entries(shapes).flatMap(([name, shape]) => {
    const field = `model.shapes.${name}`;
    const input = source?.inputs.find((tensor) => tensor.name === name);
    if (input === undefined) {
      const known = source?.inputs.map((tensor) => tensor.name).join(', ') ?? 'none';
      return [problem(field, `The model has no input "${name}"`, `Inputs that take a shape: ${known}.`)];
    }
    const fits =
      shape.length === input.shape.length &&
      input.shape.every((size, axis) => size === -1 || size === shape[axis]);
    if (!fits) {
      return [
        problem(
          field,
          `${text(shape)} does not fit ${text(input.shape)}`,
          'Change only the dimensions given as -1.',
        ),
      ];
    }
    if (source?.batched === true && shape[0] !== 1) {
      return [
        problem(
          field,
          'The first axis is the batch and must be 1 for a sample',
          `For example ${text([1, ...shape.slice(1)])}.`,
        ),
      ];
    }
    return [];
  });
}
