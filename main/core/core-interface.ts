import type { RequestHeader } from '../contract/address';
import type { CoreEvent, Handlers, WorkUnderWay } from '../contract/api';
import type { DataWork } from '../contract/data-source';
import type { ImageWork } from '../contract/docker';
import type { HostFit } from '../contract/host/host-text';
import type { MachineStatus } from '../contract/machine';
import type { LoadPoint } from '../contract/measured/results';
import type { AlertRule, MonitorTarget } from '../contract/monitor/monitor';
import type { Reach } from '../contract/reach';
import type { ReportChange } from '../contract/run/report-settings';
import type { RunContent } from '../contract/run/run-content';
import type { ReportFile } from '../contract/run/run-events';
import type { KnownParameters } from '../contract/run/run-source';
import type { DockerEngineSpec, Format, RunSpec } from '../contract/run/run-spec';
import type { RunState } from '../contract/run/run-state';
import type { ComparisonFile, ComparisonRequest } from '../contract/run/saved-comparison';
import type { ServerLoad } from '../contract/run/server-load';
import type { Choice } from '../contract/run/spec-tools';
import type { ComponentId, SetupWork } from '../contract/setup';
import type { StudyConsent, StudySpec } from '../contract/study/study';
import type { MatrixResult } from '../domain/measured/matrix-result';
import type { ModelCode } from '../own/open-model';
import type { InitOutcome } from '../own/own-preset';
import type { RunEnd } from '../pipeline/attempt';
import type { ExecuteOptions, ServerStart, StartHow } from '../pipeline/run-options';
import type { WrittenMatrix } from '../reports/matrix-report';
import type { ListedRuns } from '../store/run-rows';
import type { OpenHow, OpenStudy, ShownStudy, StudyPlanned } from '../studies/studies';
import type { GivenConsent } from './approve-given';
import type { Readers } from './core-parts';
import type { Cleaned, CleanPlan, CleanRequest } from './upkeep';

type CoreCall = Exclude<keyof Handlers, `desktop.${string}`>;
type Run = { readonly runId: string };
type File = { readonly path: string };

export interface MatrixReportRequest {
  readonly name: string;
  readonly results: readonly MatrixResult[];
  readonly out?: string;
}

/**
 * Calls that only this process makes: the verbs of the command line, and the dialogs of the desktop. The page cannot make
 * them: `electron/answer-call.ts` answers the names of `api` only, and these have no schema there.
 */
export interface TrustedCalls {
  /** What runs may use outside of the workbench: what of it nobody agreed to. */
  'approvals.missing': (reach: Reach) => Promise<Reach>;
  'approvals.add': (reach: Reach) => Promise<void>;
  /** Keeps what the person who gave a specification agreed to. */
  'approvals.given': (input: GivenConsent & { readonly spec: KnownParameters }) => Promise<void>;
  /** Until this process ends: a path that the person chose or named. */
  'approvals.give': (file: File) => Promise<void>;
  /** Writes several runs side by side into a file. Throws run-unknown, and toolchain-missing where a PDF has no printer. */
  'comparisons.write': (input: {
    readonly request: ComparisonRequest;
    readonly kind: ComparisonFile;
    readonly path: string;
  }) => Promise<void>;
  /** As `data.fetch`, into the folder `to` and from the published file `from`, where they are given. */
  'data.fetchTo': (input: {
    readonly preset: string;
    readonly source: string;
    readonly to?: string | undefined;
    readonly from?: string | undefined;
  }) => Promise<{ readonly workId: string }>;
  /** The work at its end, well or not. */
  'data.ended': (work: { readonly workId: string }) => Promise<DataWork>;
  /** Makes a change of a deployment to its end whose process was killed, or undoes it. Throws deployment-busy. */
  'deployments.recover': (deployment: { readonly id: string }) => Promise<void>;
  /** The work at its end, well or not. */
  'docker.imageWorkEnded': (work: { readonly workId: string }) => Promise<ImageWork>;
  /** Says that the home was open to other users until now; null: it was not. */
  'home.closed': (input: undefined) => Promise<string | null>;
  /**
   * Which of these hosts ("local": this machine) can do the work of a run in containers; for other engines none. Asks each
   * host at the same time; never rejects for one that is not there.
   */
  'hosts.fit': (input: {
    readonly spec: RunSpec;
    readonly hosts: readonly string[];
    /** Whether only the GPU that the run is for will do. */
    readonly modelOfGpu: boolean;
    readonly skipPreflight?: boolean | undefined;
  }) => Promise<readonly HostFit[]>;
  /** Whether executing the run hands it to a job of a scheduler, which works on whether or not this process is there. */
  'jobs.isHandedOver': (run: Run) => Promise<boolean>;
  /** Hands runs over together, as one array job where they ask for the same, until `signal` asks for no further one. */
  'jobs.submit': (input: {
    readonly runIds: readonly string[];
    readonly name: string;
    readonly signal?: AbortSignal;
  }) => Promise<void>;
  /** Until the run has ended, or its job has without it. */
  'jobs.follow': (run: Run) => Promise<RunEnd>;
  /** Inside of a job that the scheduler is about to end. */
  'jobs.ends': (input: Run & { readonly when: 'soon' | 'now' }) => Promise<void>;
  /**
   * @param input.engine what the preflight is made for; when absent, all GPUs, or the CPU where there are none.
   * @param input.format what is to be served, where that is known.
   */
  'machine.check': (input: {
    readonly engine?: DockerEngineSpec | undefined;
    readonly format?: Format | undefined;
  }) => Promise<MachineStatus>;
  /** What the file of a matrix asks for; read in the process that reads what comes from outside. */
  'matrix.read': Readers['matrix'];
  /** Writes the report of a matrix to its folder in the home, or to `out`. */
  'matrix.write': (request: MatrixReportRequest) => Promise<WrittenMatrix>;
  /** What trusting the model at a path would trust. Throws as `models.open`. */
  'models.code': (file: File) => Promise<ModelCode>;
  'models.init': (input: { readonly dir: string }) => Promise<InitOutcome>;
  /** Watches this Triton, one sample per interval. Throws input-invalid. */
  'monitor.watch': (input: {
    readonly target: MonitorTarget;
    readonly intervalMs: number;
    readonly headers: readonly RequestHeader[];
  }) => Promise<void>;
  /** Throws input-invalid with the names of the server's models where it answers and none has this name. */
  'monitor.requireModel': (input: {
    readonly target: MonitorTarget;
    readonly headers: readonly RequestHeader[];
    readonly model: string;
  }) => Promise<void>;
  /** Has these rules in place of those that are kept, which stay as they are, until others are set. */
  'monitor.judgeBy': (input: { readonly rules: readonly AlertRule[] }) => Promise<void>;
  /** The rules with a limit that no sample had a figure for: that they did not fire says nothing. */
  'monitor.unjudged': (input: undefined) => Promise<readonly AlertRule[]>;
  /** Begins to record into a new file. Throws input-invalid when it exists, disk-full, file-unwritable. */
  'monitor.recordTo': (file: File) => Promise<void>;
  /** Plays any recording to its end. Throws input-invalid when the file is none. */
  'monitor.replayFile': (input: File & { readonly speed: number }) => Promise<void>;
  /** Writes what has been kept. Throws report-failed, disk-full, file-unwritable. */
  'monitor.write': (input: File & { readonly kind: 'csv' | 'html' | 'pdf' }) => Promise<void>;
  /** For a file of what has been kept, without its ending. */
  'monitor.fileStem': (input: undefined) => Promise<string>;
  'runs.create': (
    input: StartHow & { readonly spec: RunSpec; readonly out?: string | undefined },
  ) => Promise<Run>;
  /**
   * A run that measures a Triton which is there already. Throws, before there is a run, what looking at the server throws:
   * server-unreachable, model-not-ready, input-invalid, combination-unsupported.
   */
  'runs.createOnServer': (input: ServerStart & { readonly load: ServerLoad }) => Promise<Run>;
  /** Starts or goes on, or does `from` and all that need it again; resolves when the work has begun. */
  'runs.execute': (input: ExecuteOptions & Run) => Promise<{ readonly end: Promise<RunEnd> }>;
  /** The specification of a run with these fields changed, as `runs.change` takes it. Throws as `runs.planChange`, and spec-invalid. */
  'runs.changedSpec': (
    input: Run & { readonly overrides: Readonly<Record<string, unknown>> },
  ) => Promise<RunSpec>;
  /** What a run from elsewhere would execute and reach, to be shown before `runs.trustContent`. */
  'runs.content': (run: Run) => Promise<RunContent>;
  /** As `runs.trust`. Throws input-invalid when the content is another one by now than the one of this hash. */
  'runs.trustContent': (input: Run & { readonly hash: string }) => Promise<void>;
  /** With the paths of its reports. */
  'runs.show': (run: Run) => Promise<{ readonly state: RunState; readonly dir: string }>;
  /** Every run of the home, those that cannot be read too; makes the rows that `runs.list` would not wait for. */
  'runs.all': (input: undefined) => Promise<ListedRuns>;
  'runs.folder': (run: Run) => Promise<{ readonly dir: string }>;
  /**
   * Path of a written report; written again first where the run's budget or name is another one by now. Throws report-failed
   * when there is none of that kind.
   */
  'runs.reportPath': (input: Run & { readonly kind: ReportFile['kind'] }) => Promise<string>;
  /** As `runs.report`, and gives the files. */
  'runs.writeReports': (input: Run & { readonly change?: ReportChange }) => Promise<readonly ReportFile[]>;
  /** Throws input-invalid for a file that is not a logo, as `runs.writeReports` does, which has the run's lease by then. */
  'runs.checkLogo': (file: File) => Promise<void>;
  /** Levels as CSV, with the columns of the reports. */
  'runs.levelsCsv': (input: { readonly points: readonly LoadPoint[] }) => Promise<string>;
  /** As `presets.resolve`, also for an own model, whose choice holds what was read of it. */
  'spec.resolve': (choice: Choice) => Promise<RunSpec>;
  /** The model that the text of a specification names; read in the process that reads what comes from outside. */
  'spec.readModel': Readers['specModel'];
  /** As `studies.plan`, with the trials themselves. */
  'studies.planned': (input: {
    readonly spec: StudySpec;
    readonly consent: StudyConsent;
  }) => Promise<StudyPlanned>;
  /** Takes a study for this process, before it is worked on. Throws study-busy. */
  'studies.open': (
    input: OpenHow & { readonly spec: StudySpec; readonly plan: StudyPlanned },
  ) => Promise<OpenStudy>;
  /** As `studies.get`, with the runs themselves. */
  'studies.show': (study: { readonly name: string }) => Promise<ShownStudy>;
  /** What it is continued by. Throws study-unknown, and input-invalid for a matrix of an earlier version. */
  'studies.specOf': (study: { readonly name: string }) => Promise<StudySpec>;
  /** What an installation would change, in its order. */
  'tools.plan': (input: {
    readonly components: readonly ComponentId[];
    readonly repair: boolean;
  }) => Promise<readonly ComponentId[]>;
  /** Debian packages without which no environment can be made; empty where it can, or where others help. */
  'tools.systemPackages': (input: undefined) => Promise<readonly string[]>;
  /** The work under way at its end, or the last one; null where nothing was started. */
  'tools.ended': (input: undefined) => Promise<SetupWork | null>;
  /** What `upkeep.clean` would remove, and what that frees. Throws run-unknown. */
  'upkeep.plan': (request: CleanRequest) => Promise<CleanPlan>;
  /** Ends orphans, containers that wait for `resume` too, and removes what is asked for. */
  'upkeep.clean': (request: CleanRequest) => Promise<Cleaned>;
}

/** What window, CLI and tests ask of the core. */
export interface Core {
  /** Every call of the contract that needs no desktop, and those of this process. */
  readonly handlers: Readonly<Pick<Handlers, CoreCall> & TrustedCalls>;
  subscribe(listener: (event: CoreEvent) => void): () => void;
  /** What this process works on; a window that closes cannot wait for an answer. */
  underWay(): WorkUnderWay;
  /** Cancels own runs, waits for their end and stops telling. */
  close(): Promise<void>;
}
