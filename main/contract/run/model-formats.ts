/** A model file format; main/formats has how Triton serves it. */
export interface FormatFacts {
  /** As in NVIDIA's documentation. */
  readonly title: string;
  /** File or folder name in the version folder of the model repository. */
  readonly fileName: string;
  /** One sentence, shown with the choice. */
  readonly note: string;
  /** '': of each model, as its repository says. */
  readonly backend: 'onnxruntime' | 'pytorch' | 'tensorflow' | 'tensorrt' | '';
  readonly platform: string;
  /** Why half precision is not offered; absent where it is. */
  readonly fp32Only?: string;
}

const facts = {
  onnx: {
    title: 'ONNX',
    fileName: 'model.onnx',
    note: 'An open graph format for ONNX Runtime, and through it for TensorRT.',
    backend: 'onnxruntime',
    platform: 'onnxruntime_onnx',
  },
  'ts-trace': {
    title: 'TorchScript (traced)',
    fileName: 'model.pt',
    note: 'Records the operations of one example run. Data-dependent branches are lost.',
    backend: 'pytorch',
    platform: 'pytorch_libtorch',
  },
  'ts-script': {
    title: 'TorchScript (scripted)',
    fileName: 'model.pt',
    note: 'Compiles the model code. Branches and loops are kept.',
    backend: 'pytorch',
    platform: 'pytorch_libtorch',
  },
  pt2: {
    title: 'PyTorch package (pt2)',
    fileName: 'model.pt2',
    note: 'Exported by torch.export and compiled by AOTInductor for the CPU or the GPU. In NVIDIA’s images from release 26.05, one sample per request.',
    backend: 'pytorch',
    platform: 'torch_aoti',
    fp32Only: 'A PyTorch package is compiled from FP32 weights; choose ONNX or TorchScript for FP16.',
  },
  'tf-savedmodel': {
    title: 'TensorFlow SavedModel',
    fileName: 'model.savedmodel',
    note: 'TensorFlow’s format of graph and weights. Releases up to 25.02 serve it on GPUs.',
    backend: 'tensorflow',
    platform: 'tensorflow_savedmodel',
    fp32Only: 'A SavedModel stays FP32; on GPUs the accelerator amp computes in half precision.',
  },
  trt: {
    title: 'TensorRT plan',
    fileName: 'model.plan',
    note: 'Built from ONNX by TensorRT for one GPU model, and served only there.',
    backend: 'tensorrt',
    platform: 'tensorrt_plan',
  },
  repository: {
    title: 'Triton repository',
    fileName: 'config.pbtxt',
    note: 'The files and the config.pbtxt of a model repository, as they are.',
    backend: '',
    platform: '',
    fp32Only: 'The files of a repository are served as they are.',
  },
} as const satisfies Readonly<Record<string, FormatFacts>>;

export type Format = keyof typeof facts;

export const formatFacts: Readonly<Record<Format, FormatFacts>> = facts;

/** In the order in which they are offered. */
export const formats = Object.keys(facts) as [Format, ...Format[]];

/** Those that a model is exported to. */
export const exportFormats = formats.filter((format) => format !== 'repository') as [Format, ...Format[]];

/** Read by Triton's PyTorch backend; a draft may name an unknown format. */
export const isOfPytorch = (format: string | undefined): boolean =>
  formats.some((known) => known === format && formatFacts[known].backend === 'pytorch');
