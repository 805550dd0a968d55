import { imageFamily, inContainers } from '../contract/run/engine-kinds';
import { formatFacts } from '../contract/run/model-formats';
import type { RunSpec } from '../contract/run/run-spec';
import {
  ampRefusal,
  localConfigPart,
  type ModelFormat,
  servedLocally,
  type Serving,
  threadParameters,
} from './format';

/** Triton's PyTorch backend has no such accelerators. */
const accelerationRefusal = (accelerator: 'amp' | 'trt'): Serving =>
  accelerator === 'amp'
    ? ampRefusal
    : {
        ok: false,
        reason: "Triton's PyTorch backend has no TensorRT execution accelerator",
        remedy: 'Export to ONNX for backend accelerator "trt", or set it to "none" or "cuda".',
      };

/** Both ways to TorchScript give files that are served alike. */
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

/** The module is compiled for a GPU in the client container, which then has it too. */
const servesOnGpu = ({ engine, configure }: RunSpec): boolean =>
  inContainers(engine) &&
  imageFamily(engine) === 'ngc' &&
  engine.gpus.length > 0 &&
  configure.instanceKind !== 'KIND_CPU';

/** Package of torch.export, compiled by AOTInductor. Tensor names as in TorchScript: INPUT__0, OUTPUT__0. */
const pt2Format: ModelFormat = {
  id: 'pt2',
  ...formatFacts.pt2,
  convertsFrom: ['framework', 'pt2'],
  // README of triton-inference-server/pytorch_backend: names by position from 26.05, no batching yet.
  oldestNgcRelease: '26.05',
  nativeMaxBatchSize: 1,
  exportOptions: (spec) => ({ device: servesOnGpu(spec) ? 'auto' : 'cpu' }),
  servedBy: (choice) => {
    if (choice.precision !== 'fp32') {
      return {
        ok: false,
        field: 'precision',
        reason: 'A PyTorch package is compiled from FP32 weights and cannot be converted',
        remedy: 'Choose fp32, or the format ONNX or TorchScript for fp16.',
      };
    }
    if (choice.backends === 'python') return servedLocally(choice, 'torchscript');
    return choice.accelerator === 'amp' || choice.accelerator === 'trt'
      ? accelerationRefusal(choice.accelerator)
      : { ok: true, serving: 'native' };
  },
  configPart: (input) =>
    input.backends === 'python'
      ? localConfigPart(input, formatFacts.pt2.fileName)
      : { backend: 'pytorch', platform: formatFacts.pt2.platform },
};

export const pytorchFormats = {
  pt2: pt2Format,
  'ts-trace': torchscriptFormat('ts-trace'),
  'ts-script': torchscriptFormat('ts-script'),
};
