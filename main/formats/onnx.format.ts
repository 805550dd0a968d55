import { type ModelOptimization, modelParameters } from '../triton/model-config';
import {
  ampRefusal,
  type ConfigPartInput,
  localConfigPart,
  type ModelFormat,
  servedLocally,
  tensorrtAccelerator,
} from './format';

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
