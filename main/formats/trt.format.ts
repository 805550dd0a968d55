import { formatFacts } from '../contract/run/model-formats';
import { ampRefusal, type ModelFormat } from './format';

/** Where a plan can be built and served; shown where another place is chosen. */
export const planPlace = {
  reason: 'A TensorRT plan is built and served on a GPU, in containers of one NGC release',
  remedy: 'Choose the engine "docker" with GPUs and NVIDIA\'s images, or the format ONNX.',
} as const;

export const trtFormat: ModelFormat = {
  id: 'trt',
  ...formatFacts.trt,
  convertsFrom: ['onnx'],
  // As published: FP16 is enabled for the builder; inputs and outputs keep the exported types.
  tensorPrecision: 'fp32',
  servedBy: (choice) => {
    if (choice.backends === 'python') return { ok: false, ...planPlace };
    if (choice.accelerator === 'amp') return ampRefusal;
    if (choice.accelerator === 'trt') {
      return {
        ok: false,
        reason: 'A TensorRT plan already uses TensorRT: backend accelerator "trt" is for ONNX models',
        remedy: 'Set the backend accelerator to "none".',
      };
    }
    return { ok: true, serving: 'native' };
  },
  configPart: (input) => ({
    platform: formatFacts.trt.platform,
    ...(input.captureCudaGraph ? { optimization: { cuda: { graphs: true } } } : {}),
  }),
};
