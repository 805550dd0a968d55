import type { ModelSource } from '../contract/run-spec';
import { fileShape, isBatched } from './batch-axis';
import type { Dimension } from './read-onnx';
import { sampleShape } from './sample-shape';

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
