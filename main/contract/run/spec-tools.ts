import { z } from 'zod';
import type { ErrorCode, WireError } from '../errors';
import type { Preset } from './preset';
import { runNameSchema } from './run-content';
import type { Scenario, StepId } from './run-events';
import { type Precision, precisions, type RunSpec, runSpecSchema } from './run-spec';
import type { LoadLevel } from './sweep';

/** One field that a run's specification had otherwise before; absent values: the field was not set. */
export interface FieldChange {
  /** Dotted path in the run specification: "performance.batchSizes". */
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** A change of a run's specification, as its record shows it. */
export interface SpecChange {
  /** Wall clock, ISO 8601. */
  readonly at: string;
  readonly changed: readonly FieldChange[];
}

/** What a change would lead to, before it is made. */
export interface ChangePlan {
  /** Nothing where the specification already says it. */
  readonly changed: readonly FieldChange[];
  /** Steps that are done again, or for the first time, in their order. */
  readonly steps: readonly StepId[];
  /** Measurements that are results of the run now. */
  readonly measured: number;
  /** Measurements of the run, earlier ones too, that are its results under the changed specification. */
  readonly kept: number;
  /** Which they are, in the order of measuring. */
  readonly keptLevels: readonly (LoadLevel & { readonly scenario: Scenario })[];
}

/** Every leaf of a specification by its dotted path, in order; lists are leaves. */
export function specLeaves(
  value: unknown,
  path = '',
  leaves = new Map<string, unknown>(),
): ReadonlyMap<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, inner] of Object.entries(value)) {
      specLeaves(inner, path === '' ? name : `${path}.${name}`, leaves);
    }
  } else if (value !== undefined) {
    leaves.set(path, value);
  }
  return leaves;
}

/** The value of a field for people: "1, 2, 4", "on", "none". */
export function fieldText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(fieldText).join(', ');
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What the second specification says differently, in the order of the specification. */
export function fieldChanges(before: RunSpec, after: RunSpec): readonly FieldChange[] {
  const [from, to] = [specLeaves(before), specLeaves(after)];
  const paths = [...new Set([...from.keys(), ...to.keys()])];
  return paths
    .filter((path) => JSON.stringify(from.get(path)) !== JSON.stringify(to.get(path)))
    .map((path) => ({
      path,
      ...(from.has(path) ? { from: from.get(path) } : {}),
      ...(to.has(path) ? { to: to.get(path) } : {}),
    }));
}

const shown = (value: unknown): string => (value === undefined ? 'not set' : fieldText(value));

/** "performance.batchSizes: 1, 2 → 1, 2, 4". */
export const changeText = ({ path, from, to }: FieldChange): string =>
  `${path}: ${shown(from)} → ${shown(to)}`;

/** "performance.batchSizes: 1, 2 → 1, 2, 4; precision: fp32 → fp16". */
export const changesText = (changed: readonly FieldChange[]): string => changed.map(changeText).join('; ');

/** A choice of the wizard: the preset and what differs from its defaults, as a partial run specification. */
export const choiceSchema = z.strictObject({
  preset: z.string().max(128),
  overrides: z.record(z.string(), z.unknown()),
});
export type Choice = z.infer<typeof choiceSchema>;

/**
 * What a person can do about a problem with one click, where the problem is shown: install the missing tools, run in
 * another engine, or leave the port of the problem's field to the engine.
 */
export type ProblemFix = 'install-tools' | 'use-docker' | 'use-local' | 'use-free-port';

/** Something that keeps a choice from being run, or that should be known before. */
export interface SpecProblem {
  /** Dotted path in the run specification: "configure.preferredBatchSizes"; '' for the whole. */
  readonly field: string;
  /** A `note` stands against nothing: it says where a value comes from. */
  readonly severity: 'problem' | 'warning' | 'note';
  readonly message: string;
  readonly remedy: string | null;
  /** Only those that are possible here and now. */
  readonly fixes?: readonly ProblemFix[];
  /** Found by the preflight, which a start can skip on purpose. */
  readonly preflight?: true;
}

/** What the machine, the engine or the remote server has against starting a run now. */
export interface StartProblem extends SpecProblem {
  /** Of the error that a start is refused with. */
  readonly code: ErrorCode;
}

/** The error that a start with this problem is refused with. */
export const problemError = ({ code, message, field, remedy }: StartProblem): WireError => ({
  ...{ code, message, where: field },
  ...(remedy === null ? {} : { remedy }),
});

export interface PlannedCommand {
  readonly step: StepId;
  /** Paths that only the run will have are written as <run>. */
  readonly argv: readonly string[];
}

/** Everything the wizard shows of a choice. */
export interface SpecPreview {
  /** null while the choice is no specification. */
  readonly spec: RunSpec | null;
  readonly specHash: string | null;
  /** The preset's defaults under profile and precision, for marking what was changed and resetting it. */
  readonly defaults: RunSpec | null;
  /** What the precision is when it is left out, under all else that is chosen; `defaults` has the chosen one. */
  readonly defaultPrecision?: Precision;
  readonly problems: readonly SpecProblem[];
  /** Made of the engineer's own model; the published presets are listed elsewhere. */
  readonly ownPreset?: Preset;
  /** config.pbtxt as it will be written; null while there is none. */
  readonly configPbtxt: string | null;
  /** The same without what was edited by hand. */
  readonly generatedPbtxt: string | null;
  readonly commands: readonly PlannedCommand[];
}

/** A config.pbtxt that a person wrote, taken apart. */
export interface ConfigEdit {
  /** Fields of the specification that the text says otherwise than the form did. */
  readonly overrides: Readonly<Record<string, unknown>>;
  /** null when the text was taken; else what is wrong with it and where. */
  readonly problem: { readonly message: string; readonly line: number | null } | null;
}

export interface ImportedSpec {
  /** What the text was: this workbench's run.yaml, a runner configuration of either generation, an environment file. */
  readonly source: 'run-yaml' | 'runner-yaml-1' | 'runner-yaml-2' | 'shell-environment' | 'config-pbtxt';
  readonly choice: Choice | null;
  /** What was left out or read otherwise, one sentence each. */
  readonly notes: readonly string[];
  /** Of a runner's file with several configurations: what tells each of them apart, and the number of this one, from 1 on. */
  readonly configurations?: { readonly names: readonly string[]; readonly taken: number };
}

/** Value of one axis of a matrix, as it is shown. */
export interface MatrixAxis {
  /** Path in the run specification; of a runner's file a variable that no field takes, too. */
  readonly field: string;
  readonly value: string;
}

/** One run that a matrix file asks for. */
export interface MatrixEntry {
  /** Id of a preset, or the path of an own model; null: given beside the file. */
  readonly preset: string | null;
  readonly overrides: Choice['overrides'];
  readonly axes: readonly MatrixAxis[];
  /** Why it cannot be run; null where nothing in the file stands against it. */
  readonly refusal: string | null;
  /** What was left out or read otherwise, one sentence each. */
  readonly notes: readonly string[];
}

export interface MatrixFile {
  /** null: the file has none in it. */
  readonly name: string | null;
  /** Hosts to spread its runs over, or "all"; null: the file says nothing of it. */
  readonly hosts: readonly string[] | null;
  readonly entries: readonly MatrixEntry[];
}

/** Milliseconds. */
export const p99BudgetMsSchema = z.number().positive().max(1e9);

/** A new run, and what belongs to its start. */
export const startRequestSchema = z.strictObject({
  spec: runSpecSchema,
  /** Problems of the preflight do not keep a run in containers from starting, and mark it. */
  skipPreflight: z.boolean().optional(),
  /** As of `runs.rename`, from the start. */
  name: runNameSchema.optional(),
  /** As of `runs.setBudget`, from the start. */
  p99BudgetMs: p99BudgetMsSchema.optional(),
});

/** A draft of the wizard; kept on disk on every change. */
export const draftSchema = z.strictObject({
  id: z.string().regex(/^[\w-]{1,64}$/),
  choice: choiceSchema,
  /** The page of the wizard that was open. */
  page: z.string().max(64),
  /** Pages that were open; absent in drafts of earlier versions. */
  visited: z.array(z.string().max(64)).max(64).optional(),
  /** Precision that chosen tolerances were chosen under, when another is chosen by now. */
  tolerancesOf: z.enum(precisions).optional(),
  /** Name that the run has from its start, as it is typed; absent: none. */
  name: z.string().max(80).optional(),
  /** Budget that the run has from its start; absent: none. */
  p99BudgetMs: p99BudgetMsSchema.optional(),
  /** Text of config.pbtxt that could not be read yet; absent: the text is the generated one. */
  configText: z.string().max(1e6).optional(),
  /** Run that it changes; absent: it becomes a run of its own. */
  changing: z.string().max(200).optional(),
  /** Run that it was started as. */
  startedAs: z.string().max(200).optional(),
  updatedAt: z.string(),
});
export type Draft = z.infer<typeof draftSchema>;
