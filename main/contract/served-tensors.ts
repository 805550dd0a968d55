import type { Preset } from './preset';
import type { ModelSource, RunSpec } from './run-spec';

type PresetTensor = Preset['signature']['inputs'][number];
type FileTensor = ModelSource['outputs'][number];

/** Of a model without batches: its tensor is served with a leading axis of 1 that Triton takes off again. */
const isLifted = ({ shape }: FileTensor, batched: boolean): boolean => !batched && shape[0] !== 1;

function served({ name, datatype, shape }: FileTensor, batched: boolean): PresetTensor {
  const lifted = isLifted({ name, datatype, shape }, batched);
  return lifted ? { name, datatype, shape: [1, ...shape], reshape: shape } : { name, datatype, shape };
}

/** Tensors as requests carry them: the first axis counts samples, and is 1 where the model has no batches. */
export function servedTensors(source: ModelSource): Preset['signature'] {
  const { inputs, outputs, batched } = source;
  return {
    inputs: inputs.map((tensor) => served(tensor, batched)),
    outputs: outputs.map((tensor) => served(tensor, batched)),
  };
}

/** An own model that is a file and no folder with code. */
export function isFileSource({ source }: Pick<RunSpec['model'], 'source'>): boolean {
  return source !== undefined && source.kind !== 'folder';
}

/** Shape of one generated sample of each input, without the first axis of requests. */
export function sampleTensors({ source, shapes }: RunSpec['model']) {
  if (source === undefined) return [];
  return source.inputs.map((tensor) => {
    const whole = shapes?.[tensor.name] ?? tensor.sample;
    const shape = isLifted(tensor, source.batched) ? whole : whole.slice(1);
    return { name: tensor.name, datatype: tensor.datatype, shape };
  });
}
