const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/**
 * Limits per kind of file from outside. Within them a reader answers in two seconds; larger files are refused
 * unread. Sizes in bytes; the other limits count content.
 */
export const fileLimits = {
  /** run.yaml, runner configurations, preset.yaml: some kilobytes in practice. */
  yaml: { bytes: 64 * kibibyte },
  shell: { bytes: 256 * kibibyte },
  /** The largest known ones have tens of kilobytes. */
  configPbtxt: { bytes: 256 * kibibyte },
  /** Each of model.py, dataloader.py and metrics.py. */
  sourceCode: { bytes: 4 * mebibyte },
  /** ONNX and SavedModel files are walked in place at any size; weights are skipped. */
  protobufModel: {
    fields: 5_000_000,
    textBytes: 32 * mebibyte,
    tensors: 4096,
    axes: 64,
    externalFiles: 4096,
    /** By name: early ONNX files list each among the inputs too. */
    weights: 500_000,
    /** Graphs of a SavedModel, and tags of one. */
    signatures: 4096,
    /** By name: some hundreds in practice; functions of a SavedModel count too. */
    operators: 65_536,
    /** ONNX: imported operator sets, and functions of the file. */
    domains: 1024,
  },
  /** A Hugging Face folder: entries, each JSON file, nested levels, header and tensors of a safetensors file, shards. */
  huggingFace: {
    files: 5000,
    jsonBytes: 16 * mebibyte,
    depth: 64,
    headerBytes: 32 * mebibyte,
    tensors: 200_000,
    axes: 16,
    shards: 1000,
    /** README.md, and entries of a list in it. */
    cardBytes: mebibyte,
    cardEntries: 64,
  },
  /** Files of XGBoost, LightGBM and skops. `values`: of UBJSON outside of lists of numbers, and of schema.json. */
  trees: {
    bytes: 128 * mebibyte,
    jsonBytes: 64 * mebibyte,
    unpackedBytes: 512 * mebibyte,
    schemaBytes: 64 * mebibyte,
    features: 100_000,
    trees: 100_000,
    nodes: 20_000_000,
    depth: 64,
    values: 8_000_000,
  },
  torchscript: { directoryBytes: 16 * mebibyte, textBytes: 16 * mebibyte, parameters: 4096 },
  /** Objects and lists (`{`, `[`), and members (`:`), of every JSON file. */
  json: { objects: 2_000_000, members: 1_000_000 },
  /** GPUs per level: 16 per machine, seven MIG devices each. */
  captureCsv: { bytes: 4 * mebibyte, columns: 256, levels: 2000, gpus: 112, configurations: 200 },
  profileExport: { bytes: 32 * mebibyte, levels: 2000, windows: 20_000 },
  /** Microseconds between requests, one per line. */
  intervals: { bytes: 4 * mebibyte },
  /** Rates and durations, a stage per line. */
  stages: { bytes: 256 * kibibyte },
  /** A recorded trace: an hour of 250 requests a second has 900,000. */
  trace: { bytes: 64 * mebibyte, requests: 1_000_000 },
  /** Lines of JSON, one prompt of a language model each. */
  prompts: { bytes: 64 * mebibyte, prompts: 65_536 },
  /** The largest known ones have 33 MiB, with 514,000 merges. */
  tokenizer: { bytes: 64 * mebibyte, entries: 2_000_000, added: 100_000 },
  /** Prompts of random words, in all. */
  madePrompts: { tokens: 4_000_000 },
  /** Outputs of the requests of a window, which a tokenizer counts; `part` at a time. */
  outputTexts: { characters: 32 * mebibyte, part: 4 * mebibyte },
  inputJson: { bytes: 32 * mebibyte },
  /** Written by a step, or by the process that measured a level. */
  stepJson: { bytes: 64 * mebibyte },
  /** npz files and raw folders, unpacked. `texts` per tensor; `columnBytes` of an array stored by column. */
  inputData: { bytes: 512 * mebibyte, entries: 65_536, texts: 8_388_608, columnBytes: 128 * mebibyte },
  /** A golden file; `contentBytes` of all its samples, which go to another process and back. */
  golden: { bytes: 64 * mebibyte, contentBytes: 128 * mebibyte },
  /** Up to 90 % of a report are lists of supported clocks, dropped before parsing. */
  nvidiaSmi: { bytes: 4 * mebibyte, parsedBytes: mebibyte },
} as const;

/** Limit before the kind of a specification file is known. */
export const mostSpecBytes = Math.max(
  fileLimits.configPbtxt.bytes,
  fileLimits.shell.bytes,
  fileLimits.yaml.bytes,
);

export interface ReaderBounds {
  /** Completes "Reading ... was stopped". */
  readonly what: string;
  /** Several times what a file at its limits takes, for busy machines. */
  readonly deadlineMs: number;
  readonly memoryMiB: number;
}

const usual = { deadlineMs: 10_000, memoryMiB: 1536 } as const;

export const readerBounds = {
  onnx: { ...usual, what: 'the ONNX file' },
  /** Parameters of forward: as many as other formats' tensors. */
  torchscript: { ...usual, what: 'the TorchScript file' },
  savedModel: { ...usual, what: 'the SavedModel' },
  huggingFace: { ...usual, what: 'the Hugging Face folder' },
  trees: { ...usual, what: 'the model file' },
  huggingFaceConfig: { ...usual, what: 'the configuration of the model' },
  repository: { ...usual, what: 'config.pbtxt' },
  repositoryConfig: { ...usual, what: 'config.pbtxt' },
  folderCode: { ...usual, what: 'the code of the model folder' },
  preset: { ...usual, what: 'preset.yaml' },
  specModel: { ...usual, what: 'the specification' },
  spec: { ...usual, what: 'the specification' },
  matrix: { ...usual, what: 'the matrix' },
  analyzerConfig: { ...usual, what: 'the configuration of Model Analyzer' },
  analyzerModel: { ...usual, what: 'the configuration of Model Analyzer' },
  jointFile: { ...usual, what: 'the file of several models' },
  configEdit: { ...usual, what: 'config.pbtxt' },
  capture: { ...usual, what: 'the results' },
  /** One at its limits takes a second and a half. */
  replayRead: { ...usual, what: 'the trace' },
  replayStore: { ...usual, what: 'the trace' },
  slowRequests: { ...usual, what: 'the trace' },
  /** Writes the requests, too. */
  promptStore: { deadlineMs: 180_000, memoryMiB: 2048, what: 'the prompts' },
  tokenCount: { deadlineMs: 120_000, memoryMiB: 2048, what: 'the tokenizer' },
  inputCheck: { ...usual, what: 'the input data' },
  goldenModel: { what: 'the golden file', deadlineMs: 30_000, memoryMiB: 2048 },
  goldenRead: { what: 'the golden file', deadlineMs: 30_000, memoryMiB: 2048 },
  /** Writes the data, too. */
  inputStore: { what: 'the input data', deadlineMs: 300_000, memoryMiB: 4096 },
} as const satisfies Readonly<Record<string, ReaderBounds>>;
