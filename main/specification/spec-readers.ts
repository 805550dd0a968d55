import { fileLimits } from '../contract/reader-limits';
import type { ModelSource } from '../contract/run/run-spec';
import type { Choice, ConfigEdit, ImportedSpec, MatrixFile } from '../contract/run/spec-tools';
import type { AnalyzerConfig, AnalyzerRun } from '../contract/study/analyzer-config';
import type { PlacedJointFile } from '../contract/study/joint';
import type { LoadedPreset } from '../presets/presets';
import type { AnalyzerModel } from './analyzer/model-of';

/** Model of a text that looks like a run.yaml; otherwise all absent. */
export interface SpecModel {
  readonly preset?: string | undefined;
  readonly source?: ModelSource | undefined;
  /** Why text that should be YAML is unreadable. */
  readonly problem?: string | undefined;
}

/** Readers of foreign specifications, each in its own process; they throw like ModelReaders. */
export interface SpecReaders {
  specModel: (input: { readonly text: string; readonly fileName: string }) => Promise<SpecModel>;
  spec: (input: {
    readonly loaded: LoadedPreset;
    readonly text: string;
    readonly fileName: string;
    readonly overrides: Choice['overrides'];
    /** Number in a runner's file, from 1; absent: the first. */
    readonly configuration?: number | undefined;
  }) => Promise<ImportedSpec>;
  /** `preset`: given beside the file. */
  matrix: (input: {
    readonly text: string;
    readonly fileName: string;
    readonly preset: string | null;
    readonly presets: readonly Pick<LoadedPreset['preset'], 'id' | 'title'>[];
  }) => Promise<MatrixFile>;
  /** `model`: one of several in the file. */
  analyzerConfig: (input: {
    readonly text: string;
    readonly fileName: string;
    readonly run: AnalyzerRun;
    readonly model: string | null;
  }) => Promise<AnalyzerConfig>;
  /** `model`: one of several in the file. */
  analyzerModel: (input: {
    readonly text: string;
    readonly fileName: string;
    readonly model: string | null;
  }) => Promise<AnalyzerModel>;
  /** null: a file of something else. */
  jointFile: (input: { readonly text: string; readonly fileName: string }) => Promise<PlacedJointFile | null>;
  configEdit: (input: {
    readonly loaded: LoadedPreset;
    readonly choice: Choice;
    readonly text: string;
  }) => Promise<ConfigEdit>;
}

type SpecKind = 'config-pbtxt' | 'shell-environment' | 'yaml';

const assignments = /^[^\S\n]*(export\s+)?[A-Z][A-Z0-9_]*=/m;
const blocks =
  /^[^\S\n]*(input|output|instance_group|dynamic_batching|version_policy|optimization)\s*(?::\s*)?[[{]/m;
const scalars = /^[^\S\n]*(platform|backend|max_batch_size)\s*:/m;

// Each begins at its line's blanks: a multi-line match would restart at each of them.
export function specKind(text: string, fileName: string): SpecKind {
  if (/\.pbtxt$/i.test(fileName)) return 'config-pbtxt';
  if (/\.(ya?ml|json)$/i.test(fileName)) return 'yaml';
  if (/\.(sh|bash|env)$/i.test(fileName)) return 'shell-environment';
  if (blocks.test(text) && scalars.test(text)) return 'config-pbtxt';
  return assignments.test(text) ? 'shell-environment' : 'yaml';
}

const limits: Readonly<Record<SpecKind, { readonly bytes: number }>> = {
  'config-pbtxt': fileLimits.configPbtxt,
  'shell-environment': fileLimits.shell,
  yaml: fileLimits.yaml,
};

/** null unless the text exceeds its kind's limit. */
export function sizeProblem(kind: SpecKind, text: string): string | null {
  const [bytes, most] = [Buffer.byteLength(text), limits[kind].bytes];
  return bytes <= most ? null : `The file has ${bytes} bytes, at most ${most} of its kind are read.`;
}
