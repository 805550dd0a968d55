import { goldenModel, readGolden } from '../golden/read-golden';
import { checkFolderCode } from '../own/folder-code';
import { checkHuggingFaceConfig, readHuggingFace } from '../own/huggingface/read-folder';
import { readOnnx } from '../own/read-onnx';
import { readRepository } from '../own/read-repository';
import { readSavedModel } from '../own/read-savedmodel';
import { readTorchscript } from '../own/read-torchscript';
import { readConfigFile } from '../own/repository/model-folder';
import { readTrees } from '../own/trees/read-trees';
import { readCapture } from '../perf/import/read-capture';
import { readInput, storeInput } from '../perf/input/read-input';
import { storePrompts } from '../perf/prompts/read-prompts';
import { countTokens } from '../perf/prompts/tokenizer';
import { readReplay, storeReplay } from '../perf/replay/read-replay';
import { readSlowRequests } from '../perf/trace/read-slow-requests';
import { readPreset } from '../presets/presets';
import { repositoryModel } from '../specification/analyzer/model-of';
import { readAnalyzerConfig } from '../specification/analyzer/read-analyzer-config';
import { editConfig } from '../specification/edit-config';
import { importSpec, readSpecModel } from '../specification/import-spec';
import { readJointFile } from '../specification/joint-file';
import { readMatrix } from '../specification/matrix';
import type { ReaderTable } from './readers';

/** Runs in the reader process. */
export const readerTable: ReaderTable = {
  onnx: ({ path }) => readOnnx(path),
  torchscript: ({ path }) => readTorchscript(path),
  savedModel: ({ path }) => readSavedModel(path),
  huggingFace: ({ path }) => readHuggingFace(path),
  trees: ({ path }) => readTrees(path),
  huggingFaceConfig: ({ path }) => checkHuggingFaceConfig(path),
  repository: ({ path }) => readRepository(path),
  repositoryConfig: ({ path }) => readConfigFile(path),
  folderCode: ({ path }) => checkFolderCode(path),
  preset: ({ path }) => readPreset(path),
  specModel: ({ text, fileName }) => readSpecModel(text, fileName),
  spec: ({ loaded, text, fileName, overrides, configuration }) =>
    importSpec(loaded, text, fileName, overrides, configuration),
  matrix: (input) => readMatrix(input),
  analyzerConfig: (input) => readAnalyzerConfig(input),
  analyzerModel: (input) => repositoryModel(input),
  jointFile: (input) => readJointFile(input),
  configEdit: ({ loaded, choice, text }) => editConfig(loaded, choice, text),
  capture: (request) => readCapture(request),
  replayRead: (part) => readReplay(part),
  replayStore: (part) => storeReplay(part),
  slowRequests: ({ path }) => readSlowRequests(path),
  goldenModel: ({ path }) => goldenModel(path),
  goldenRead: (request) => readGolden(request),
  promptStore: ({ dir, ...source }) => storePrompts(source, dir),
  tokenCount: (input) => countTokens(input),
  inputCheck: async ({ path, wanted, shapes }) => {
    await readInput(path, wanted, shapes);
  },
  inputStore: async ({ path, wanted, shapes, dir }) => {
    const read = await readInput(path, wanted, shapes);
    const entries = read.streams.reduce((sum, stream) => sum + stream.length, 0);
    return { data: await storeInput(read, wanted, dir), entries };
  },
};
