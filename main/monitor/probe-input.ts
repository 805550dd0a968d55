import type { Datatype } from '../contract/input-data';
import { datatypeBytes } from '../contract/input-data';
import type { ProbeSettings } from '../contract/monitor';
import { rawValues } from '../perf/generate-input';
import { createRandom } from '../perf/random';
import type { ModelMetadata } from '../triton/client';
import type { Tensor } from '../triton/tensor';
import { countToMake, elementBytes, zeroTensor } from '../triton/tensor';

const seed = 20210721;
/** Of all inputs together: what Triton's HTTP server takes of a request unless `--http-max-input-size` says otherwise. */
const mostProbeBytes = 64 * 2 ** 20;

/**
 * One request from what the server says of the model: batch 1, varying dimensions 1 unless asked for. Text inputs are empty.
 * `batched`: the first dimension is the batch. Throws input-invalid for inputs of more than 64 MiB.
 */
export function probeInput(
  metadata: Pick<ModelMetadata, 'inputs'>,
  batched: boolean,
  settings: Pick<ProbeSettings, 'input' | 'shapes'>,
): readonly Tensor[] {
  const next = createRandom(seed);
  let room = mostProbeBytes;
  const made = (name: string, datatype: string, shape: readonly number[], mostBytes: number): Tensor => {
    if (settings.input === 'zero' || !Object.hasOwn(datatypeBytes, datatype))
      return zeroTensor(name, datatype, shape, mostBytes);
    const count = countToMake({ name, datatype, shape }, elementBytes(datatype) ?? 1, mostBytes);
    return { name, datatype, shape, data: rawValues(datatype as Datatype, count, next) };
  };
  return metadata.inputs.map(({ name, datatype, shape }) => {
    const item = (batched ? shape.slice(1) : shape).map((size) => (size < 0 ? 1 : size));
    const dims = settings.shapes[name] ?? item;
    const whole = batched ? [1, ...dims] : dims;
    const tensor = made(name, datatype, whole, room);
    room -= tensor.data.byteLength;
    return tensor;
  });
}
