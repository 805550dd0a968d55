import type { ModelOptimization } from '../triton/model-config';
import { modelParameters } from '../triton/model-config';
import type { ConfigPartInput, ModelFormat } from './format';
import { ampRefusal, localConfigPart, servedLocally } from './local-serving';
import { tensorrtAccelerator } from './tensorrt-accelerator';

const fileName = 'model.onnx';

function acceleration(input: ConfigPartInput): ModelOptimization | undefined {
  switch (input.accelerator) {
    case 'none':
    case 'amp':
      return undefined;
    case 'cuda':
      return { executionAccelerators: { gpuExecutionAccelerator: [{ name: 'cuda' }] } };
    case 'trt':
      return tensorrtAccelerator(input);
  }
}

export const onnxFormat: ModelFormat = {
  id: 'onnx',
  title: 'ONNX',
  fileName,
  convertsFrom: ['framework', 'onnx'],
  servedBy: (choice) => {
    if (choice.backends === 'python') return servedLocally(choice, 'onnx');
    return choice.accelerator === 'amp' ? ampRefusal : { ok: true, serving: 'native' };
  },
  configPart: (input) => {
    if (input.backends === 'python') return localConfigPart(input, fileName);
    const optimization = acceleration(input);
    return {
      platform: 'onnxruntime_onnx',
      ...(optimization === undefined ? {} : { optimization }),
      ...(input.threads === 0
        ? {}
        : {
            parameters: modelParameters({
              intra_op_thread_count: String(input.threads),
              inter_op_thread_count: '1',
            }),
          }),
    };
  },
};
