import type { z } from 'zod';
import type { Signature } from '../contract/run/artefacts';
import type { JournalBody, RunEvent, StepId } from '../contract/run/run-events';
import type { LoadTool as LoadToolId, RunSpec } from '../contract/run/run-spec';
import type { RunState } from '../contract/run/run-state';
import type { Executor, ServerHandle } from '../engine/engine';
import type { PlanPlaces } from '../engine/engine-interface';
import type { GoldenReaders } from '../golden/golden-samples';
import type { ModelReaders } from '../own/model-readers';
import type { InputReaders } from '../perf/input/input-readers';
import type { LoadTool } from '../perf/load-tool';
import type { ReadingSources } from '../perf/readings';
import type { LoadedPreset } from '../presets/presets';
import type { StepManifests } from '../store/file-manifest';
import type { RunFolder } from '../store/run-folder';
import type { Toolkit, ToolkitCommand, ToolkitListener } from '../toolkit/toolkit';
import type { Hold } from './hold';

/** Services of steps; injected, so that tests and places can replace them. */
export interface RunServices extends PlanPlaces {
  readonly toolkit: Toolkit;
  readonly startServer: Executor['startServer'];
  readonly readers: InputReaders & GoldenReaders & Pick<ModelReaders, 'huggingFace'>;
  readonly loadTools: Readonly<Record<LoadToolId, LoadTool>>;
  /** See `Executor`. */
  readonly imageNames: Executor['imageNames'];
  readonly prepareImages: Executor['prepareImages'];
  readonly resources: string;
  /** GPUs of Triton's machine; absent: another machine. */
  readonly watchGpus?: ReadingSources['watchGpus'];
  /** HTML file -> PDF file. */
  readonly printPdf: (htmlPath: string, pdfPath: string, signal: AbortSignal) => Promise<void>;
  readonly now: () => Date;
  /** Logo and sections of all reports of the home. */
  readonly reportSettings: string;
}

export interface RunContext {
  readonly runId: string;
  readonly folder: RunFolder;
  readonly spec: RunSpec;
  readonly preset: LoadedPreset;
  readonly services: RunServices;
  /** Verified hashes of the steps' files. */
  readonly manifests: StepManifests;
  /** Key per step; recomputed when a step changed its inputs. */
  keys: Readonly<Record<StepId, string>>;
  state(): RunState;
  /** Appends to the journal and emits; resolves when on disk. */
  append(body: JournalBody): Promise<void>;
  emit(event: RunEvent): void;
  /** The hold behind `error`, or null. @param unfinished folder that is about to be cleared */
  holdOf(error: unknown, unfinished?: string): Promise<Hold | null>;
  /** Aborted when the engine has been away too long. */
  away: AbortSignal;
  /** In a job: whether a failed step was stopped. A scheduler may end children before this process. */
  readonly isStopped?: (signal: AbortSignal) => Promise<boolean>;
  /** Polled before each step and level. */
  pauseAsked(): boolean;
  /** The step behind which this attempt pauses; absent: none. */
  readonly until?: StepId | undefined;
  /** The Triton of the deploy step; null without one. */
  server: ServerHandle | null;
}

export type InputServices = Pick<RunServices, 'resources' | 'imageNames' | 'gpuNames' | 'readers'>;

export type StepInputs = Pick<RunContext, 'spec' | 'preset' | 'folder'> & {
  readonly services: InputServices;
};

/** Inputs of a step's commands, known before the run. */
export type CommandInputs = Pick<RunContext, 'spec' | 'preset' | 'folder'> &
  Pick<ServerHandle, 'forClients'> & {
    /** Signature of the served file. */
    readonly signature: Signature;
  };

export interface PlannedRun extends CommandInputs {
  /** Command that starts Triton; null: running already. */
  readonly server: readonly string[] | null;
  /** Path of perf_analyzer. */
  readonly analyzer: string;
}

/** A toolkit verb, or the arguments of another program. */
export type StepCommand = ToolkitCommand | readonly string[];

/** A running step's context, which also receives toolkit progress. */
export interface StepContext extends Omit<ToolkitListener, 'command'> {
  readonly run: RunContext;
  readonly spec: RunSpec;
  /** Empty at the start of a first attempt. */
  readonly dir: string;
  readonly command: (argv: readonly string[], note?: string) => Promise<void>;
  /** The output of an earlier step. */
  readonly output: <Schema extends z.ZodType>(step: StepId, schema: Schema) => Promise<z.infer<Schema>>;
}

export interface StepOutcome {
  /** Written to `output.json` for later steps. */
  readonly output?: unknown;
  /** The accuracy gate failed; the run must stop. */
  readonly gate?: { readonly reasons: readonly string[] };
  /** Stopped between levels for a pause; the next attempt continues. */
  readonly paused?: boolean;
}

/**
 * A pipeline step. `files`: leaves files and can be cached; `session`: keeps something open (a server) while later
 * steps need it, and starts only for them; `record`: its result is in the journal.
 */
export interface Step {
  readonly id: StepId;
  readonly kind: 'files' | 'session' | 'record';
  readonly needs: readonly StepId[];
  /** Seconds; the specification's `deadlines` override it. */
  readonly deadlineS: number;
  /** Retries after failures with these codes. */
  readonly retry?: { readonly times: number; readonly codes: readonly string[] };
  /** Everything apart from needed steps that affects the result. */
  inputs(run: StepInputs): Promise<unknown>;
  /** Commands in order; absent: no program. `run` uses the same functions. */
  commands?(run: PlannedRun): readonly StepCommand[];
  /** Whether user code may write to its inputs. */
  writesInputs?(run: StepInputs): boolean;
  run(context: StepContext): Promise<StepOutcome>;
  /**
   * Releases resources in reverse order at the end of an attempt; sessions when no longer needed. `leave`: the engine
   * is away, and its processes are kept for reuse.
   */
  undo?(run: RunContext, leave: boolean): Promise<void>;
}
