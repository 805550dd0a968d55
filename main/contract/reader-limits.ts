const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/**
 * What is read at most of each kind of file from outside. Within these a reader answers in two seconds; what is larger is
 * refused before it is read. Sizes in bytes; the other limits count what a file may hold within its size.
 */
export const fileLimits = {
  /** run.yaml, runner configurations, preset.yaml: a specification has some kilobytes. */
  yaml: { bytes: 64 * kibibyte },
  shell: { bytes: 256 * kibibyte },
  /** The largest configuration of a served model is some tens of kilobytes. */
  configPbtxt: { bytes: 256 * kibibyte },
  /** model.py, dataloader.py and metrics.py: each. */
  sourceCode: { bytes: 4 * mebibyte },
  /** ONNX and SavedModel files are walked in place, whatever their size: weights are stepped over. */
  protobufModel: {
    fields: 5_000_000,
    textBytes: 32 * mebibyte,
    tensors: 4096,
    axes: 64,
    externalFiles: 4096,
    /** By name: files of the first years list each among the inputs too. */
    weights: 500_000,
    /** Of a SavedModel: as many graphs, and tags of one. */
    signatures: 4096,
    /** By name: of both kinds some hundreds exist, and functions of a SavedModel stand as operators too. */
    operators: 65_536,
    /** Of ONNX: imported sets of operators, and those that the file defines itself. */
    domains: 1024,
  },
  torchscript: { directoryBytes: 16 * mebibyte, textBytes: 16 * mebibyte, parameters: 4096 },
  /** Of every JSON file, within its own size: objects and lists, `{` and `[`; their members, `:`. */
  json: { objects: 2_000_000, members: 1_000_000 },
  /** GPUs of one level: 16 of a machine, seven MIG devices each. */
  captureCsv: { bytes: 4 * mebibyte, columns: 256, levels: 2000, gpus: 112 },
  profileExport: { bytes: 32 * mebibyte, levels: 2000, windows: 20_000 },
  /** Microseconds between requests, one per line. */
  intervals: { bytes: 4 * mebibyte },
  inputJson: { bytes: 32 * mebibyte },
  /** What a step leaves for later ones, or the process that measured a level. */
  stepJson: { bytes: 64 * mebibyte },
  /**
   * npz files and folders of raw values; of what is packed, what it unpacks to. Texts of one tensor; bytes of an array that
   * is stored column by column.
   */
  inputData: { bytes: 512 * mebibyte, entries: 65_536, texts: 8_388_608, columnBytes: 128 * mebibyte },
  /** Up to nine tenths of a report are lists of supported clocks, which are left out before it is parsed. */
  nvidiaSmi: { bytes: 4 * mebibyte, parsedBytes: mebibyte },
} as const;

/** The largest kind of specification file: what a file may have before it is known which kind it is. */
export const mostSpecBytes = Math.max(
  fileLimits.configPbtxt.bytes,
  fileLimits.shell.bytes,
  fileLimits.yaml.bytes,
);

/** What a reader's process is ended by. */
export interface ReaderBounds {
  /** For people: "Reading ... was stopped". */
  readonly what: string;
  /** Several times what a file at its limits takes: a busy machine is slower. */
  readonly deadlineMs: number;
  /** Resident memory of the process. */
  readonly memoryMiB: number;
}

const usual = { deadlineMs: 10_000, memoryMiB: 1536 } as const;

/** Every reader of what comes from outside, by its name. */
export const readerBounds = {
  onnx: { ...usual, what: 'the ONNX file' },
  /** Parameters of forward: as many as tensors of the others. */
  torchscript: { ...usual, what: 'the TorchScript file' },
  savedModel: { ...usual, what: 'the SavedModel' },
  repository: { ...usual, what: 'config.pbtxt' },
  folderCode: { ...usual, what: 'the code of the model folder' },
  preset: { ...usual, what: 'preset.yaml' },
  specModel: { ...usual, what: 'the specification' },
  spec: { ...usual, what: 'the specification' },
  matrix: { ...usual, what: 'the matrix' },
  configEdit: { ...usual, what: 'config.pbtxt' },
  capture: { ...usual, what: 'the file of perf_analyzer' },
  inputCheck: { ...usual, what: 'the input data' },
  /** Also writes all of it. */
  inputStore: { what: 'the input data', deadlineMs: 300_000, memoryMiB: 4096 },
} as const satisfies Readonly<Record<string, ReaderBounds>>;
