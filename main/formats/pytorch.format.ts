import { formatFacts } from '../contract/run/model-formats';
import { modelParameters } from '../triton/model-config';
import { ampRefusal, localConfigPart, type ModelFormat, servedLocally } from './format';

/** Both ways to TorchScript give the same kind of file, served alike. */
function torchscriptFormat(id: 'ts-trace' | 'ts-script'): ModelFormat {
  const { fileName, platform } = formatFacts[id];
  return {
    id,
    ...formatFacts[id],
    convertsFrom: ['framework', id],
    servedBy: (choice) => {
      if (choice.backends === 'python') return servedLocally(choice, 'torchscript');
      if (choice.accelerator === 'amp') return ampRefusal;
      if (choice.accelerator === 'trt') {
        return {
          ok: false,
          reason: "Triton's PyTorch backend has no TensorRT execution accelerator",
          remedy: 'Export to ONNX for backend accelerator "trt", or set it to "none" or "cuda".',
        };
      }
      return { ok: true, serving: 'native' };
    },
    configPart: (input) => {
      if (input.backends === 'python') return localConfigPart(input, fileName);
      // "cuda" needs no block: the backend runs where the instance group says.
      return {
        platform,
        ...(input.threads === 0
          ? {}
          : {
              parameters: modelParameters({
                INTRA_OP_THREAD_COUNT: String(input.threads),
                INTER_OP_THREAD_COUNT: '1',
              }),
            }),
      };
    },
  };
}

/** What Triton's PyTorch backend reads. */
export const pytorchFormats = {
  'ts-trace': torchscriptFormat('ts-trace'),
  'ts-script': torchscriptFormat('ts-script'),
};
