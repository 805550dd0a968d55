import { formatFacts } from '../contract/run/model-formats';
import {
  ampRefusal,
  localConfigPart,
  type ModelFormat,
  servedLocally,
  type Serving,
  threadParameters,
} from './format';

/** Of the accelerators that Triton's PyTorch backend does not have. */
const accelerationRefusal = (accelerator: 'amp' | 'trt'): Serving =>
  accelerator === 'amp'
    ? ampRefusal
    : {
        ok: false,
        reason: "Triton's PyTorch backend has no TensorRT execution accelerator",
        remedy: 'Export to ONNX for backend accelerator "trt", or set it to "none" or "cuda".',
      };

/** Both ways to TorchScript give the same kind of file, served alike. */
function torchscriptFormat(id: 'ts-trace' | 'ts-script'): ModelFormat {
  const { fileName, platform } = formatFacts[id];
  return {
    id,
    ...formatFacts[id],
    convertsFrom: ['framework', id],
    servedBy: (choice) => {
      if (choice.backends === 'python') return servedLocally(choice, 'torchscript');
      return choice.accelerator === 'amp' || choice.accelerator === 'trt'
        ? accelerationRefusal(choice.accelerator)
        : { ok: true, serving: 'native' };
    },
    configPart: (input) => {
      if (input.backends === 'python') return localConfigPart(input, fileName);
      // "cuda" needs no block: the backend runs where the instance group says.
      const names = { intra: 'INTRA_OP_THREAD_COUNT', inter: 'INTER_OP_THREAD_COUNT' };
      return { platform, ...threadParameters(input, names) };
    },
  };
}

/** What Triton's PyTorch backend reads. */
export const pytorchFormats = {
  'ts-trace': torchscriptFormat('ts-trace'),
  'ts-script': torchscriptFormat('ts-script'),
};
