import type { LoadedPreset } from '../presets/presets';
import type { OnnxFacts } from './read-onnx';
import type { RepositoryModel } from './read-repository';
import type { SavedModelFacts } from './read-savedmodel';

interface AtPath {
  readonly path: string;
}

/**
 * What is read of a model from outside, each in a process of its own, so that a file can end no more than its reading.
 * Throw what the reader throws, and input-invalid with the limit where it was stopped.
 */
export interface ModelReaders {
  onnx: (input: AtPath) => Promise<OnnxFacts>;
  /** @returns the names of the inputs of `forward`. */
  torchscript: (input: AtPath) => Promise<readonly string[]>;
  savedModel: (input: AtPath) => Promise<SavedModelFacts>;
  repository: (input: AtPath) => Promise<RepositoryModel>;
  /** Throws where model.py and its neighbours lack what a run calls. @returns their arguments; null: any name. */
  folderCode: (input: AtPath) => Promise<readonly string[] | null>;
  /** preset.yaml of a model folder. */
  preset: (input: AtPath) => Promise<LoadedPreset>;
}
