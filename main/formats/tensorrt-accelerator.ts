import type { ModelOptimization } from '../triton/model-config';
import type { ConfigPartInput } from './format';

/** The optimization of config.pbtxt with which a backend hands what it can to TensorRT. */
export function tensorrtAccelerator(
  input: Pick<ConfigPartInput, 'precision' | 'captureCudaGraph'>,
): ModelOptimization {
  return {
    executionAccelerators: {
      gpuExecutionAccelerator: [
        { name: 'tensorrt', parameters: { precision_mode: input.precision.toUpperCase() } },
      ],
    },
    ...(input.captureCudaGraph ? { cuda: { graphs: true } } : {}),
  };
}
