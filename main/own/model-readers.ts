import type { LoadedPreset } from '../presets/presets';
import type { HuggingFaceFacts } from './huggingface/read-folder';
import type { OnnxFacts } from './read-onnx';
import type { RepositoryModel } from './read-repository';
import type { SavedModelFacts } from './read-savedmodel';
import type { ConfigFile } from './repository/model-folder';
import type { TreesFacts } from './trees/facts';

interface AtPath {
  readonly path: string;
}

/**
 * Readers of foreign model files, each in its own process, which a file can kill without harm.
 * Throw the reader's error, and input-invalid where a limit stopped it.
 */
export interface ModelReaders {
  onnx: (input: AtPath) => Promise<OnnxFacts>;
  /** @returns input names of `forward` */
  torchscript: (input: AtPath) => Promise<readonly string[]>;
  savedModel: (input: AtPath) => Promise<SavedModelFacts>;
  huggingFace: (input: AtPath) => Promise<HuggingFaceFacts>;
  trees: (input: AtPath) => Promise<TreesFacts>;
  /** Of a folder whose weights are not there yet: whether it would be exported. */
  huggingFaceConfig: (input: AtPath) => Promise<{ readonly architecture: string }>;
  repository: (input: AtPath) => Promise<RepositoryModel>;
  /** config.pbtxt of a folder, as it is; a mistake in it is part of the answer. */
  repositoryConfig: (input: AtPath) => Promise<ConfigFile>;
  /** Throws where a called function is missing. @returns argument names; null: any */
  folderCode: (input: AtPath) => Promise<readonly string[] | null>;
  preset: (input: AtPath) => Promise<LoadedPreset>;
}
