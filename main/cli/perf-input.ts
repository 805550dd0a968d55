import type { InputData } from '../contract/input-data';
import { generateInput } from '../perf/generate-input';
import { wantedTensors } from '../perf/input/wanted-tensor';
import type { Readers } from '../core/readers';
import type { ModelMetadata } from '../triton/client';
import type { ModelConfig } from '../triton/model-config';

/** Inputs that the configuration says the model does without. */
function optionalInputs({ input }: ModelConfig): Set<string> {
  const names = input.flatMap((tensor) => (tensor['optional'] === true ? [tensor.name] : []));
  return new Set(names);
}

/**
 * The values that `perf` sends: generated ones, or those of the user's file. @param source `random`, `zero` or a path.
 * Throws input-invalid with file, entry and tensor.
 */
export async function readPerfInput(
  source: string,
  model: {
    readonly metadata: Pick<ModelMetadata, 'inputs' | 'outputs'>;
    readonly config: ModelConfig;
    readonly shapes: Readonly<Record<string, readonly number[]>>;
    readonly dir: string;
    readonly readers: Readers;
  },
): Promise<InputData> {
  const { metadata, config, shapes, dir, readers } = model;
  const batched = config.maxBatchSize > 0;
  if (source === 'random' || source === 'zero') {
    return generateInput(metadata.inputs, { batched, shapes, mode: source, dir });
  }
  const wanted = {
    inputs: wantedTensors(metadata.inputs, { batched, optional: optionalInputs(config) }),
    outputs: wantedTensors(metadata.outputs, { batched }),
  };
  return (await readers.inputStore({ path: source, wanted, shapes, dir })).data;
}
