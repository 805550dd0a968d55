import { datatypeBytes } from '../contract/input-data';
import type { Datatype } from '../contract/input-data';
import type { ProbeSettings } from '../contract/monitor';
import { rawValues } from '../perf/generate-input';
import { createRandom } from '../perf/random';
import type { ModelMetadata } from '../triton/client';
import { elementCount, zeroTensor } from '../triton/tensor';
import type { Tensor } from '../triton/tensor';

const seed = 20210721;

/**
 * One request from what the server says of the model: batch 1, varying dimensions 1 unless asked for. Text inputs are empty.
 * `batched`: the first dimension is the batch.
 */
export function probeInput(
  metadata: Pick<ModelMetadata, 'inputs'>,
  batched: boolean,
  settings: Pick<ProbeSettings, 'input' | 'shapes'>,
): readonly Tensor[] {
  const next = createRandom(seed);
  return metadata.inputs.map(({ name, datatype, shape }) => {
    const item = (batched ? shape.slice(1) : shape).map((size) => (size < 0 ? 1 : size));
    const dims = settings.shapes[name] ?? item;
    const whole = batched ? [1, ...dims] : dims;
    if (settings.input === 'zero' || !Object.hasOwn(datatypeBytes, datatype)) {
      return zeroTensor(name, datatype, whole);
    }
    const data = rawValues(datatype as Datatype, elementCount(whole), next);
    return { name, datatype, shape: whole, data };
  });
}
