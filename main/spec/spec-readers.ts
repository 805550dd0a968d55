import type { ModelSource } from '../contract/run-spec';
import type { Choice, ConfigEdit, ImportedSpec } from '../contract/spec-tools';
import type { LoadedPreset } from '../presets/presets';

/** What a text that looks like a run.yaml says of its model; all absent where it is none. */
export interface SpecModel {
  readonly preset?: string | undefined;
  readonly source?: ModelSource | undefined;
  /** Why the text cannot be read, where it is meant to be YAML. */
  readonly problem?: string | undefined;
}

/** What is read of a specification, each in a process of its own; they throw as ModelReaders do. */
export interface SpecReaders {
  specModel: (input: { readonly text: string; readonly fileName: string }) => Promise<SpecModel>;
  spec: (input: {
    readonly loaded: LoadedPreset;
    readonly text: string;
    readonly fileName: string;
    readonly overrides: Choice['overrides'];
  }) => Promise<ImportedSpec>;
  configEdit: (input: {
    readonly loaded: LoadedPreset;
    readonly choice: Choice;
    readonly text: string;
  }) => Promise<ConfigEdit>;
}
