import type { RequestHeader } from '../contract/address';
import type { CoreEvent } from '../contract/api';
import type { Environment } from '../contract/measured/results';
import type { JournalBody, MatrixMark, StepId } from '../contract/run/run-events';
import type { Framework, RunSpec } from '../contract/run/run-spec';
import type { ExecutorRun } from '../engine/engine';
import type { LoadedPreset } from '../presets/presets';
import type { RunStore } from '../store/run-store';
import type { AttemptOptions, OpenServices } from './attempt';
import type { JobRuns } from './jobs/job-runs';
import type { ServerLoadListener } from './measure/server-levels';
import type { Servers } from './server-run';
import type { InputServices } from './step';

export interface RunsOptions extends AttemptOptions {
  readonly store: RunStore;
  readonly presetOf: (model: RunSpec['model']) => Promise<LoadedPreset>;
  /** Adds values chosen at the start, such as the images' release. */
  readonly completed: (spec: RunSpec, how?: StartHow) => Promise<RunSpec>;
  /** Throws if the engine cannot be used. */
  readonly check: (spec: RunSpec) => Promise<void>;
  /** Throws if containers cannot start here, unless skipped. Returns the journal record, or null. */
  readonly preflight: (spec: RunSpec, how: StartHow) => Promise<JournalBody | null>;
  readonly open: (spec: RunSpec, run: ExecutorRun) => Promise<OpenServices>;
  /** Services for step keys without a place; throws if the specification may not be inspected. */
  readonly inputServices: (spec: RunSpec, framework: Framework) => Promise<InputServices>;
  /** Ends leftovers of dead processes, except those that the run can reuse. */
  readonly sweep: (except: string, spec: RunSpec) => Promise<void>;
  readonly environmentFor: (spec: RunSpec) => Promise<Environment>;
  readonly servers: Servers;
  /** Absent: no scheduler. */
  readonly jobs?: JobRuns;
  readonly emit: (event: CoreEvent) => void;
}

export interface StartHow {
  /** Start despite preflight problems; journaled. */
  readonly skipPreflight?: boolean | undefined;
  /** Titles of problems that were accepted at an earlier start. */
  readonly passed?: readonly string[] | undefined;
  /** Recorded in a new run. */
  readonly matrix?: MatrixMark | undefined;
  /** p99 budget of a new run in ms. Does not affect measurements. */
  readonly p99BudgetMs?: number | undefined;
  readonly name?: string | undefined;
  /** From a file: settings add nothing. */
  readonly ofFile?: boolean | undefined;
}

export interface ExecuteOptions extends StartHow {
  /** The complete new specification; unaffected results are kept. */
  readonly spec?: RunSpec | undefined;
  /** Repeat this step and its dependents regardless of journal and cache. */
  readonly from?: StepId | undefined;
  /** Pause behind this step, without the device's turn where nothing before it measures. */
  readonly until?: StepId | undefined;
  /** Repeat doubtful levels with longer windows. */
  readonly again?: boolean | undefined;
  /** Measure despite a failed accuracy gate; journaled. */
  readonly allowUnverified?: boolean | undefined;
  /** For measured servers: receives levels. */
  readonly listener?: ServerLoadListener | undefined;
  /** For measured servers: sent with every request. */
  readonly headers?: readonly RequestHeader[] | undefined;
}

/** Options for creating a run that measures a server. */
export type ServerStart = Pick<ExecuteOptions, 'p99BudgetMs' | 'headers'>;
