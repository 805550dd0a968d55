import type { MatrixResult } from '../../contract/measured/matrix';
import type { Choice } from '../../contract/run/spec-tools';
import type { Tree } from '../../contract/trees';
import type { Core } from '../../core';
import type { Output } from '../output';
import type { RunOptions } from '../read-spec';
import { budgetOf } from '../settings/defaults';

export interface MatrixOptions extends RunOptions {
  readonly matrix: string;
  readonly resume?: boolean;
  readonly out?: string;
  readonly allowRemoteLoad?: boolean;
  readonly skipPreflight?: boolean;
  readonly p99BudgetMs?: number;
  readonly detach?: boolean;
  readonly verbose?: boolean;
}

/** A run of the matrix before it is started. */
export interface PlannedRun extends MatrixResult {
  readonly choice: Choice;
  /** The part of the choice that the command itself says. */
  readonly typed: Tree;
  /** SHA-256 (hex) of the choice: how the run is found again. */
  readonly entry: string;
}

export interface Ended extends PlannedRun {
  readonly code: number;
}

export interface Session {
  readonly core: Core;
  readonly output: Output;
  readonly options: MatrixOptions;
  readonly name: string;
  /** Ctrl-C: what runs is cancelled by its own listener, and no more is started. */
  readonly stop: { asked: boolean };
}

export const withoutDocument = (output: Output): Output => ({
  ...output,
  json: false,
  document: () => undefined,
});

/** The run in the store, which is there already where it is continued. */
export async function started(session: Session, run: PlannedRun): Promise<string> {
  const { core, name, options } = session;
  if (run.state !== null) return run.state.runId;
  const spec = await core.resolveChoice(run.choice);
  const { skipPreflight = false } = options;
  const p99BudgetMs = await budgetOf(core, options.p99BudgetMs);
  const matrix = { name, entry: run.entry };
  const how = { skipPreflight, matrix, p99BudgetMs, ofFile: true };
  const runId = await core.createRun(spec, undefined, how);
  await core.handlers['runs.annotate']({ runId, tags: [name], note: '' });
  return runId;
}
