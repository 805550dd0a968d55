import type { z } from 'zod';
import type { Signature } from '../contract/run/artefacts';
import type { JournalBody, RunEvent, StepId } from '../contract/run/run-events';
import type { LoadTool as LoadToolId, RunSpec } from '../contract/run/run-spec';
import type { RunState } from '../contract/run/run-state';
import type { Executor, ServerHandle } from '../engine/engine';
import type { PlanPlaces } from '../engine/engine-interface';
import type { InputReaders } from '../perf/input/input-readers';
import type { LoadTool } from '../perf/load-tool';
import type { ReadingSources } from '../perf/readings';
import type { LoadedPreset } from '../presets/presets';
import type { StepManifests } from '../store/file-manifest';
import type { RunFolder } from '../store/run-folder';
import type { Toolkit, ToolkitCommand, ToolkitListener } from '../toolkit/toolkit';
import type { Hold } from './hold';

/** What steps compose; given by the core, so that tests and other places to run can give their own. */
export interface RunServices extends PlanPlaces {
  readonly toolkit: Toolkit;
  readonly startServer: Executor['startServer'];
  readonly readers: InputReaders;
  readonly loadTools: Readonly<Record<LoadToolId, LoadTool>>;
  /** See `Executor`. */
  readonly imageNames: Executor['imageNames'];
  readonly prepareImages: Executor['prepareImages'];
  readonly resources: string;
  /** GPUs of the machine on which the run's Triton is; absent: it is another machine. */
  readonly watchGpus?: ReadingSources['watchGpus'];
  /** HTML file -> PDF file. */
  readonly printPdf: (htmlPath: string, pdfPath: string, signal: AbortSignal) => Promise<void>;
  readonly now: () => Date;
  /** Logo and sections of every report of the home. */
  readonly reportSettings: string;
}

/** One run under way: what outlives a single step. */
export interface RunContext {
  readonly runId: string;
  readonly folder: RunFolder;
  readonly spec: RunSpec;
  readonly preset: LoadedPreset;
  readonly services: RunServices;
  /** What is known for sure of the files that steps left. */
  readonly manifests: StepManifests;
  /** Key of each step, from its inputs and the keys of the steps it needs; others once a step has changed what they are of. */
  keys: Readonly<Record<StepId, string>>;
  state(): RunState;
  /** Journals and then tells; resolves when it is on disk. */
  append(body: JournalBody): Promise<void>;
  emit(event: RunEvent): void;
  /**
   * What holds the run up where that is behind `error`; null for an error of its own.
   * @param unfinished folder whose files are about to be removed.
   */
  holdOf(error: unknown, unfinished?: string): Promise<Hold | null>;
  /** Aborted when the engine has been away too long: what is under way is left. */
  away: AbortSignal;
  /**
   * Inside of a job: whether the attempt was stopped, when a step has failed. A scheduler ends a job's children together
   * with the run's own process, which may see their end first.
   */
  readonly isStopped?: (signal: AbortSignal) => Promise<boolean>;
  /** Asked before each step and level; what is under way is ended first. */
  pauseAsked(): boolean;
  /** The Triton that the deploy step started; null outside its life. */
  server: ServerHandle | null;
}

/** What the key of a step is asked of. */
export type InputServices = Pick<RunServices, 'resources' | 'imageNames' | 'gpuNames' | 'readers'>;

/** What decides the key of a step. */
export type StepInputs = Pick<RunContext, 'spec' | 'preset' | 'folder'> & {
  readonly services: InputServices;
};

/** What the commands of a step are made of, known of a run to come too. */
export type CommandInputs = Pick<RunContext, 'spec' | 'preset' | 'folder'> &
  Pick<ServerHandle, 'forClients'> & {
    /** Of the file that is served. */
    readonly signature: Signature;
  };

export interface PlannedRun extends CommandInputs {
  /** The command that starts Triton; null: it runs already. */
  readonly server: readonly string[] | null;
  /** The program perf_analyzer. */
  readonly analyzer: string;
}

/** Of the toolkit its verb, of any other program the whole argument list. */
export type StepCommand = ToolkitCommand | readonly string[];

/** What a step sees while it runs; has everything that a toolkit verb reports to. */
export interface StepContext extends Omit<ToolkitListener, 'command'> {
  readonly run: RunContext;
  readonly spec: RunSpec;
  /** The step's folder, empty at the start of a first attempt. */
  readonly dir: string;
  readonly command: (argv: readonly string[], note?: string) => Promise<void>;
  /** The value that an earlier step left. */
  readonly output: <Schema extends z.ZodType>(step: StepId, schema: Schema) => Promise<z.infer<Schema>>;
}

export interface StepOutcome {
  /** Written to the step's `output.json` for later steps. */
  readonly output?: unknown;
  /** The accuracy gate did not pass and the run must not go on. */
  readonly gate?: { readonly reasons: readonly string[] };
  /** It stopped between two levels because a pause was asked for; the next attempt goes on. */
  readonly paused?: boolean;
}

/**
 * One step of the pipeline.
 * `files`: leaves files and can be taken from the cache; `session`: holds something open (a server) that lives until no
 * step to come needs it, and is only started when a step that needs it will run; `record`: its result is in the journal.
 */
export interface Step {
  readonly id: StepId;
  readonly kind: 'files' | 'session' | 'record';
  readonly needs: readonly StepId[];
  /** Seconds; `deadlines` of the specification can set another. */
  readonly deadlineS: number;
  /** How many times it is tried again after a failure with one of these codes. */
  readonly retry?: { readonly times: number; readonly codes: readonly string[] };
  /** Everything beside the needed steps that decides what the step gives. */
  inputs(run: StepInputs): Promise<unknown>;
  /** What it will run, in order; absent: no program. What `run` runs is made by the same functions. Pure. */
  commands?(run: PlannedRun): readonly StepCommand[];
  /** The user's code may write to its inputs while it runs. */
  writesInputs?(run: StepInputs): boolean;
  run(context: StepContext): Promise<StepOutcome>;
  /**
   * Releases what `run` holds: in reverse order at the end of every attempt, of a session as soon as nothing needs
   * it. `leave`: its engine is away, and what runs there is to be taken up when that is back.
   */
  undo?(run: RunContext, leave: boolean): Promise<void>;
}
