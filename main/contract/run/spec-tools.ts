import { z } from 'zod';
import type { ErrorCode, WireError } from '../errors';
import type { Preset } from './preset';
import { runNameSchema } from './run-content';
import type { Scenario, StepId } from './run-events';
import { type Precision, precisions, type RunSpec, runSpecSchema } from './run-spec';
import type { LoadLevel } from './sweep';

/** A changed field; absent values: not set. */
export interface FieldChange {
  /** Dotted path in the run specification: "performance.batchSizes". */
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

export interface SpecChange {
  readonly at: string;
  readonly changed: readonly FieldChange[];
}

export interface ChangePlan {
  /** Empty where the specification is unchanged. */
  readonly changed: readonly FieldChange[];
  readonly steps: readonly StepId[];
  readonly measured: number;
  /** Measurements, earlier ones included, that are results under the changed specification. */
  readonly kept: number;
  /** In measuring order. */
  readonly keptLevels: readonly (LoadLevel & { readonly scenario: Scenario })[];
}

/** Every leaf of a specification by dotted path, in order; lists are leaves. */
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

/** "1, 2, 4", "on", "none". */
export function fieldText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(fieldText).join(', ');
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** In the order of the specification. */
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

/** The preset, and overrides of its defaults as a partial run specification. */
export const choiceSchema = z.strictObject({
  preset: z.string().max(128),
  overrides: z.record(z.string(), z.unknown()),
});
export type Choice = z.infer<typeof choiceSchema>;

/** One-click fix of a problem: install the missing tools, use another engine, or leave the port to the engine. */
export type ProblemFix = 'install-tools' | 'use-docker' | 'use-local' | 'use-free-port';

export interface SpecProblem {
  /** "configure.preferredBatchSizes"; '' for the whole. */
  readonly field: string;
  /** A `note` only says where a value comes from. */
  readonly severity: 'problem' | 'warning' | 'note';
  readonly message: string;
  readonly remedy: string | null;
  /** Those possible here and now. */
  readonly fixes?: readonly ProblemFix[];
  /** From the preflight, which a start can skip. */
  readonly preflight?: true;
}

export interface StartProblem extends SpecProblem {
  readonly code: ErrorCode;
}

export const problemError = ({ code, message, field, remedy }: StartProblem): WireError => ({
  code,
  message,
  where: field,
  ...(remedy === null ? {} : { remedy }),
});

export interface PlannedCommand {
  readonly step: StepId;
  /** Paths of the future run are written as <run>. */
  readonly argv: readonly string[];
}

export interface SpecPreview {
  /** null while the choice is incomplete. */
  readonly spec: RunSpec | null;
  readonly specHash: string | null;
  /** Preset defaults under profile and precision, to mark and reset changes. */
  readonly defaults: RunSpec | null;
  /** Precision when it is left out, with all other choices applied. */
  readonly defaultPrecision?: Precision;
  readonly problems: readonly SpecProblem[];
  /** Of the user's own model; published presets are listed elsewhere. */
  readonly ownPreset?: Preset;
  /** As it will be written; null while there is none. */
  readonly configPbtxt: string | null;
  /** Without manual edits. */
  readonly generatedPbtxt: string | null;
  readonly commands: readonly PlannedCommand[];
}

/** An edited config.pbtxt, split. */
export interface ConfigEdit {
  readonly overrides: Readonly<Record<string, unknown>>;
  /** null when the text was accepted. */
  readonly problem: { readonly message: string; readonly line: number | null } | null;
}

export interface ImportedSpec {
  readonly source: 'run-yaml' | 'runner-yaml-1' | 'runner-yaml-2' | 'shell-environment' | 'config-pbtxt';
  readonly choice: Choice | null;
  /** Left-out or reinterpreted parts, one sentence each. */
  readonly notes: readonly string[];
  /** Of a runner's file with several configurations: distinguishing names, and the number taken, from 1. */
  readonly configurations?: { readonly names: readonly string[]; readonly taken: number };
}

export interface MatrixAxis {
  /** Path in the run specification; in a runner's file also a variable without a field. */
  readonly field: string;
  readonly value: string;
}

export interface MatrixEntry {
  /** Preset id, or path of an own model; null: given beside the file. */
  readonly preset: string | null;
  readonly overrides: Choice['overrides'];
  readonly axes: readonly MatrixAxis[];
  /** Why it cannot run; null: no obstacle in the file. */
  readonly refusal: string | null;
  /** Left-out or reinterpreted parts, one sentence each. */
  readonly notes: readonly string[];
}

export interface MatrixFile {
  /** null: not in the file. */
  readonly name: string | null;
  /** Hosts to spread runs over, or "all"; null: not in the file. */
  readonly hosts: readonly string[] | null;
  readonly entries: readonly MatrixEntry[];
}

/** Milliseconds. */
export const p99BudgetMsSchema = z.number().positive().max(1e9);

export const startRequestSchema = z.strictObject({
  spec: runSpecSchema,
  /** Starts a run in containers despite preflight problems, and marks it. */
  skipPreflight: z.boolean().optional(),
  name: runNameSchema.optional(),
  p99BudgetMs: p99BudgetMsSchema.optional(),
});

export const draftSchema = z.strictObject({
  id: z.string().regex(/^[\w-]{1,64}$/),
  choice: choiceSchema,
  page: z.string().max(64),
  /** Opened pages; absent in drafts of earlier versions. */
  visited: z.array(z.string().max(64)).max(64).optional(),
  /** Precision under which changed tolerances were chosen, once it differs. */
  tolerancesOf: z.enum(precisions).optional(),
  /** As typed; absent: none. */
  name: z.string().max(80).optional(),
  /** Absent: none. */
  p99BudgetMs: p99BudgetMsSchema.optional(),
  /** Unparsable text of config.pbtxt; absent: the generated text. */
  configText: z.string().max(1e6).optional(),
  /** Run that it changes; absent: a new run. */
  changing: z.string().max(200).optional(),
  startedAs: z.string().max(200).optional(),
  updatedAt: z.string(),
});
export type Draft = z.infer<typeof draftSchema>;
