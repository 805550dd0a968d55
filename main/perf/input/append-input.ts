import { invalidInput } from '../../contract/errors';
import type { InputData } from '../../contract/measured/input-data';

type SampleTensor = InputData['tensors'][number];

/** Prefixes file paths with the folder. */
export function inFolder(data: InputData, folder: string): InputData {
  const placed = (tensors: readonly SampleTensor[]) =>
    tensors.map((tensor) => ({ ...tensor, files: tensor.files.map((file) => `${folder}/${file}`) }));
  return {
    ...data,
    tensors: placed(data.tensors),
    ...(data.expected === undefined ? {} : { expected: placed(data.expected) }),
  };
}

const shapesOf = ({ shapes, shape, files }: SampleTensor): number[][] => shapes ?? files.map(() => shape);

function joined(before: readonly SampleTensor[], after: readonly SampleTensor[]): SampleTensor[] {
  if (
    before.length !== after.length ||
    before.some(({ name }) => after.every((other) => other.name !== name))
  ) {
    throw invalidInput(
      'performance.inputData',
      'The files give values to different tensors',
      'Give each the same tensors.',
    );
  }
  return before.map((tensor) => {
    const other = after.find(({ name }) => name === tensor.name) ?? tensor;
    const shapes = [...shapesOf(tensor), ...shapesOf(other)];
    const isOne = shapes.every((shape) => shape.join() === tensor.shape.join());
    const both = { ...tensor, files: [...tensor.files, ...other.files], shapes };
    if (isOne) Reflect.deleteProperty(both, 'shapes');
    return both;
  });
}

/** Of each sample; '' where the file has none. */
const classesOf = ({ classes, tensors }: InputData): string[] =>
  classes ?? (tensors[0]?.files ?? []).map(() => '');

/** Samples per stream; without streams there is one. */
const streamsOf = ({ streams, tensors }: InputData): number[] => streams ?? [tensors[0]?.files.length ?? 1];

/** Appends entries as streams of their own. Throws input-invalid for other tensors. */
export function appended(before: InputData, after: InputData): InputData {
  const { expected: first, ...data } = before;
  const { expected: second } = after;
  if ((first === undefined) !== (second === undefined)) {
    throw invalidInput(
      'performance.inputData',
      'Only some of the files have expected outputs',
      'Give them in every file, or in none.',
    );
  }
  return {
    ...data,
    tensors: joined(before.tensors, after.tensors),
    streams: [...streamsOf(before), ...streamsOf(after)],
    ...(before.classes === undefined && after.classes === undefined
      ? {}
      : { classes: [...classesOf(before), ...classesOf(after)] }),
    ...(first === undefined || second === undefined ? {} : { expected: joined(first, second) }),
  };
}
