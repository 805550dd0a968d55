import { formatFacts } from '../contract/run/model-formats';
import type { ModelOptimization } from '../triton/model-config';
import {
  ampRefusal,
  type ConfigPartInput,
  localConfigPart,
  type ModelFormat,
  servedLocally,
  tensorrtAccelerator,
  threadParameters,
} from './format';
import { engineCachePath } from './inert-config';

const { fileName, platform } = formatFacts.onnx;

function acceleration(input: ConfigPartInput): ModelOptimization | undefined {
  switch (input.accelerator) {
    case 'none':
    case 'amp':
      return undefined;
    case 'cuda':
      return { executionAccelerators: { gpuExecutionAccelerator: [{ name: 'cuda' }] } };
    case 'trt':
      return tensorrtAccelerator(input, {
        // Engines are built at the first request of each shape range; instances and restarts reuse them.
        trt_engine_cache_enable: '1',
        trt_engine_cache_path: engineCachePath,
        // ONNX Runtime uses its own parameter and ignores optimization.cuda.
        ...(input.captureCudaGraph ? { trt_cuda_graph_enable: '1' } : {}),
      });
  }
}

export const onnxFormat: ModelFormat = {
  id: 'onnx',
  ...formatFacts.onnx,
  convertsFrom: ['framework', 'onnx'],
  exportOptions: ({ onnxOpset }) => ({ opset: onnxOpset }),
  servedBy: (choice) => {
    if (choice.backends === 'python') return servedLocally(choice, 'onnx');
    return choice.accelerator === 'amp' ? ampRefusal : { ok: true, serving: 'native' };
  },
  configPart: (input) => {
    if (input.backends === 'python') return localConfigPart(input, fileName);
    const optimization = acceleration(input);
    return {
      platform,
      ...(optimization === undefined ? {} : { optimization }),
      ...threadParameters(input, { intra: 'intra_op_thread_count', inter: 'inter_op_thread_count' }),
    };
  },
};
