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
  /** With what is chosen only where the run is started: the release of its images. */
  readonly completed: (spec: RunSpec, how?: StartHow) => Promise<RunSpec>;
  /** Throws where the engine of a specification cannot be used at all. */
  readonly check: (spec: RunSpec) => Promise<void>;
  /** Throws where its containers cannot start on this machine, unless that is skipped; what to journal, null: nothing. */
  readonly preflight: (spec: RunSpec, how: StartHow) => Promise<JournalBody | null>;
  readonly open: (spec: RunSpec, run: ExecutorRun) => Promise<OpenServices>;
  /** What the keys of its steps are asked of, without a place to run; throws where a specification may not be looked into. */
  readonly inputServices: (spec: RunSpec, framework: Framework) => Promise<InputServices>;
  /** Ends what dead workbenches left, save what this run could take up. */
  readonly sweep: (except: string, spec: RunSpec) => Promise<void>;
  readonly environmentFor: (spec: RunSpec) => Promise<Environment>;
  readonly servers: Servers;
  /** Of runs that jobs work on; absent: there is no scheduler. */
  readonly jobs?: JobRuns;
  readonly emit: (event: CoreEvent) => void;
}

export interface StartHow {
  /** Starts a run in containers although the preflight found problems; the journal keeps that someone chose so. */
  readonly skipPreflight?: boolean | undefined;
  /** Titles of the preflight's problems that this run was started in spite of before: they are passed over again. */
  readonly passed?: readonly string[] | undefined;
  /** Noted in a new run. */
  readonly matrix?: MatrixMark | undefined;
  /** p99 budget of a new run, in milliseconds. Nothing is measured otherwise for it. */
  readonly p99BudgetMs?: number | undefined;
  readonly name?: string | undefined;
  /** The specification is a file's: the settings add nothing to it. */
  readonly ofFile?: boolean | undefined;
}

export interface ExecuteOptions extends StartHow {
  /** The specification from now on, whole; what does not depend on the change is kept. */
  readonly spec?: RunSpec | undefined;
  /** This step and all that need it are done again, whatever the journal and the cache hold. */
  readonly from?: StepId | undefined;
  /** The levels that leave the answer in doubt are measured once more, in longer windows. */
  readonly again?: boolean | undefined;
  /** Measures although the accuracy gate did not pass; the journal keeps that someone chose so. */
  readonly allowUnverified?: boolean | undefined;
  /** Of a run that measures a Triton which is there already: hears of the levels as they come. */
  readonly listener?: ServerLoadListener | undefined;
  /** Of the same: go with every request. */
  readonly headers?: readonly RequestHeader[] | undefined;
}

/** What a run that measures a Triton is created with. */
export type ServerStart = Pick<ExecuteOptions, 'p99BudgetMs' | 'headers'>;
