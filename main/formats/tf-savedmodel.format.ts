import { formatFacts } from '../contract/run/model-formats';
import type { ModelOptimization } from '../triton/model-config';
import {
  type ConfigPartInput,
  localConfigPart,
  type ModelFormat,
  servedLocally,
  tensorrtAccelerator,
  threadParameters,
} from './format';

const { fileName, platform } = formatFacts['tf-savedmodel'];

/** Names from Triton's documentation; `cuda` needs none, as the instance group says where. */
function acceleration(input: ConfigPartInput): ModelOptimization | undefined {
  switch (input.accelerator) {
    case 'none':
    case 'cuda':
      return undefined;
    case 'amp':
      return {
        executionAccelerators: { gpuExecutionAccelerator: [{ name: 'auto_mixed_precision' }] },
      };
    case 'trt':
      return tensorrtAccelerator(input);
  }
}

export const tfSavedmodelFormat: ModelFormat = {
  id: 'tf-savedmodel',
  ...formatFacts['tf-savedmodel'],
  shimFramework: 'tf',
  newestNgcRelease: '25.02',
  convertsFrom: ['framework', 'tf-savedmodel'],
  servedBy: (choice) => {
    if (choice.precision !== 'fp32') {
      return {
        ok: false,
        field: 'precision',
        reason: 'A SavedModel keeps its FP32 weights and tensors',
        remedy: 'Choose fp32 with the backend accelerator "amp" on a GPU, or the format ONNX for fp16.',
      };
    }
    if (choice.backends === 'python') return servedLocally(choice, 'savedmodel');
    return { ok: true, serving: 'native' };
  },
  configPart: (input) => {
    if (input.backends === 'python') return localConfigPart(input, fileName);
    const optimization = acceleration(input);
    return {
      platform,
      ...(optimization === undefined ? {} : { optimization }),
      ...threadParameters(input, { intra: 'TF_NUM_INTRA_THREADS', inter: 'TF_NUM_INTER_THREADS' }),
    };
  },
};
