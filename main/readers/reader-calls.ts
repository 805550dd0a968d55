import type { InputData } from '../contract/input-data';
import type { ImportRequest } from '../contract/imported';
import type { ModelSource } from '../contract/run-spec';
import type { Choice, ConfigEdit, ImportedSpec } from '../contract/spec-tools';
import type { OnnxFacts } from '../own/read-onnx';
import type { RepositoryModel } from '../own/read-repository';
import type { SavedModelFacts } from '../own/read-savedmodel';
import type { ReadCapture } from '../perf/import/read-capture';
import type { WantedTensors } from '../perf/input/wanted-tensor';
import type { LoadedPreset } from '../presets/presets';

interface AtPath {
  readonly path: string;
}

/** What a text that looks like a run.yaml says of its model; all absent where it is none. */
export interface SpecModel {
  readonly preset?: string | undefined;
  readonly source?: ModelSource | undefined;
  /** Why the text cannot be read, where it is meant to be YAML. */
  readonly problem?: string | undefined;
}

interface InputFile extends AtPath {
  readonly wanted: WantedTensors;
  /** Dimensions by input name where the file gives none. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
}

/** Everything that is read of what came from outside: input and output of each reader, plain data both. */
export interface ReaderCalls {
  onnx: (input: AtPath) => OnnxFacts;
  torchscript: (input: AtPath) => readonly string[];
  savedModel: (input: AtPath) => SavedModelFacts;
  repository: (input: AtPath) => Promise<RepositoryModel>;
  /** Throws where model.py and its neighbours lack what a run calls. */
  folderCode: (input: AtPath) => Promise<void>;
  /** preset.yaml of a model folder. */
  preset: (input: AtPath) => Promise<LoadedPreset>;
  specModel: (input: { readonly text: string; readonly fileName: string }) => SpecModel;
  spec: (input: {
    readonly loaded: LoadedPreset;
    readonly text: string;
    readonly fileName: string;
    readonly overrides: Choice['overrides'];
  }) => ImportedSpec;
  configEdit: (input: {
    readonly loaded: LoadedPreset;
    readonly choice: Choice;
    readonly text: string;
  }) => ConfigEdit;
  capture: (input: ImportRequest) => Promise<ReadCapture>;
  inputCheck: (input: InputFile) => Promise<void>;
  /** Reads the file and writes its tensors into the folder. */
  inputStore: (input: InputFile & { readonly dir: string }) => Promise<StoredInput>;
}

export interface StoredInput {
  readonly data: InputData;
  readonly entries: number;
}

export type ReaderName = keyof ReaderCalls;
export type ReaderInput<Name extends ReaderName> = Parameters<ReaderCalls[Name]>[0];
export type ReaderOutput<Name extends ReaderName> = Awaited<ReturnType<ReaderCalls[Name]>>;

/**
 * The same, each in a process that may hang, run out of memory or end without harm to the workbench. Throw what the reader
 * throws, and input-invalid with the limit where it was stopped.
 */
export type Readers = {
  readonly [Name in ReaderName]: (input: ReaderInput<Name>) => Promise<ReaderOutput<Name>>;
};
