import type { RequestHeader, TlsFiles } from '../contract/address';
import type { CoreEvent, Handlers, WorkUnderWay } from '../contract/api';
import type { DataWork } from '../contract/data-source';
import type { ImageWork } from '../contract/docker';
import type { GoldenCheck } from '../contract/golden';
import type { HostFit } from '../contract/host/host-text';
import type { MachineStatus } from '../contract/machine';
import type { WarmUpAsk, WarmUpTrial } from '../contract/measured/cold-start';
import type { ModelMemory } from '../contract/measured/model-memory';
import type { OutputRules } from '../contract/measured/output-rules';
import type { LoadPoint } from '../contract/measured/results';
import type { SlowRequests } from '../contract/measured/slow-requests';
import type { AlertRule, MonitorTarget } from '../contract/monitor/monitor';
import type { HubModel } from '../contract/own/hub';
import type { Reach } from '../contract/reach';
import type { OpenModelInput } from '../contract/run/own-model';
import type { RunContent } from '../contract/run/run-content';
import type { ReportFile } from '../contract/run/run-events';
import type { KnownParameters } from '../contract/run/run-source';
import type { DockerEngineSpec, Format, RunSpec } from '../contract/run/run-spec';
import type { RunState } from '../contract/run/run-state';
import type { ComparisonFile, ComparisonRequest } from '../contract/run/saved-comparison';
import type { ServerLoad } from '../contract/run/server-load';
import type { Choice, SpecProblem } from '../contract/run/spec-tools';
import type { ReportChange } from '../contract/settings/report-settings';
import type { ComponentId, SetupWork } from '../contract/setup';
import type { AnalyzerConfig } from '../contract/study/analyzer-config';
import type { Searched, SearchRequest } from '../contract/study/search';
import type { Study, StudyConsent, StudySpec } from '../contract/study/study';
import type { TraceAsked } from '../deployments/trace-deployment';
import type { MatrixResult } from '../domain/measured/matrix-result';
import type { ModelCode } from '../own/open-model';
import type { InitOutcome } from '../own/own-preset';
import type { RunEnd } from '../pipeline/attempt';
import type { ExecuteOptions, ServerStart, StartHow } from '../pipeline/run-options';
import type { WrittenStudy } from '../reports/study-files';
import type { GivenConsent } from '../store/approvals';
import type { ListedRuns } from '../store/run-rows';
import type { SearchHow } from '../studies/search/searches';
import type { SoakHow } from '../studies/soak/soaks';
import type { OpenHow, OpenStudy, ShownStudy, StudyPlanned } from '../studies/studies';
import type { UpgradeHow } from '../studies/upgrade/upgrades';
import type { WritePipeline, WrittenPipeline } from './huggingface/write-pipeline';
import type { Readers } from './readers';
import type { ServedRepository, ServeRepository } from './repository-server';
import type { Cleaned, CleanPlan, CleanRequest } from './upkeep';

type CoreCall = Exclude<keyof Handlers, `desktop.${string}`>;
type Run = { readonly runId: string };
type File = { readonly path: string };

export interface MatrixReportRequest {
  readonly name: string;
  readonly results: readonly MatrixResult[];
  readonly out?: string;
}

/** A model of a running Triton. */
export interface GoldenServer {
  /** `host:port` of its HTTP service. */
  readonly http: string;
  /** null: no TLS. */
  readonly tls: TlsFiles | null;
  readonly headers: readonly RequestHeader[];
  /** Absent: its only model. */
  readonly model?: string;
  readonly version?: string;
}

export interface GoldenRecord {
  readonly of: GoldenServer | Run;
  /** As people call it; absent: the address. */
  readonly from?: string;
  /** Random ones, or at most that many of a run. */
  readonly samples?: number;
  /** File or folder with inputs. */
  readonly inputData?: string;
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
  /** Sizes of dynamic dimensions without a shape, one sample each. */
  readonly lengths?: readonly number[];
  readonly rules?: OutputRules;
  readonly output: string;
  /** Overwrites the file. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

export interface GoldenWritten {
  readonly file: string;
  readonly model: string;
  readonly samples: number;
  readonly outputs: OutputRules;
  readonly warnings: readonly string[];
}

/** CLI and native dialogs: `electron/answer-call.ts` answers the names of `api` only, so the page cannot make these. */
export interface TrustedCalls {
  /** The part of `reach` without consent. */
  'approvals.missing': (reach: Reach) => Promise<Reach>;
  'approvals.add': (reach: Reach) => Promise<void>;
  /** Keeps what the person who gave a specification agreed to. */
  'approvals.given': (
    input: GivenConsent & { readonly spec: KnownParameters | Pick<RunSpec, 'engine'> },
  ) => Promise<void>;
  'approvals.give': (file: File) => Promise<void>;
  /** Throws run-unknown, and toolchain-missing for a PDF without a printer. */
  'comparisons.write': (input: {
    readonly request: ComparisonRequest;
    readonly kind: ComparisonFile;
    readonly path: string;
  }) => Promise<void>;
  /** Like `data.fetch`, into the folder `to` and from the file `from`, if given. */
  'data.fetchTo': (input: {
    readonly preset: string;
    readonly source: string;
    readonly to?: string | undefined;
    readonly from?: string | undefined;
  }) => Promise<{ readonly workId: string }>;
  /** Resolves when the work ends, also if it failed. */
  'data.ended': (work: { readonly workId: string }) => Promise<DataWork>;
  /** Completes or undoes a change whose process was killed. Throws deployment-busy. */
  'deployments.recover': (deployment: { readonly id: string }) => Promise<void>;
  /** Traces the next requests to a deployment, whoever sends them. Throws input-invalid where none arrives. */
  'deployments.trace': (
    input: TraceAsked & { readonly id: string },
  ) => Promise<{ readonly dir: string; readonly slow: readonly SlowRequests[] }>;
  /** Throws input-invalid, model-not-ready, inference-failed, server-unreachable, run-unknown, file-unwritable. */
  'golden.record': (request: GoldenRecord) => Promise<GoldenWritten>;
  /** Throws as `golden.record`. `rules` come before those of the file. */
  'golden.check': (input: {
    readonly path: string;
    readonly server: GoldenServer;
    readonly rules?: OutputRules;
    readonly signal?: AbortSignal;
  }) => Promise<GoldenCheck>;
  'docker.imageWorkEnded': (work: { readonly workId: string }) => Promise<ImageWork>;
  /** A warning if other users could read the home until now; null otherwise. */
  'home.closed': (input: undefined) => Promise<string | null>;
  /** Hosts ("local": this machine) that can execute a run in containers. An unreachable host does not reject. */
  'hosts.fit': (input: {
    readonly spec: RunSpec;
    readonly hosts: readonly string[];
    /** Whether only the GPU that the run is for will do. */
    readonly modelOfGpu: boolean;
    readonly skipPreflight?: boolean | undefined;
  }) => Promise<readonly HostFit[]>;
  /** Whether a scheduler's job executes the run, independent of this process. */
  'jobs.isHandedOver': (run: Run) => Promise<boolean>;
  /** Submits runs, as one array job where their requests are equal, until `signal` stops it. */
  'jobs.submit': (input: {
    readonly runIds: readonly string[];
    readonly name: string;
    readonly signal?: AbortSignal;
  }) => Promise<void>;
  /** Resolves when the run ends, or its job without it. */
  'jobs.follow': (run: Run) => Promise<RunEnd>;
  /** Called in a job that the scheduler is about to end. */
  'jobs.ends': (input: Run & { readonly when: 'soon' | 'now' }) => Promise<void>;
  /**
   * @param input.engine what the preflight is made for; when absent, all GPUs, or the CPU where there are none.
   * @param input.format what is to be served, where that is known.
   */
  'machine.check': (input: {
    readonly engine?: DockerEngineSpec | undefined;
    readonly format?: Format | undefined;
  }) => Promise<MachineStatus>;
  /** Like `runs.tryWarmUp`, until the signal. `onRound`: a round begins. */
  'warmUps.try': (
    input: Run &
      WarmUpAsk & {
        readonly signal?: AbortSignal | undefined;
        readonly onRound?: ((round: number, rounds: number) => void) | undefined;
      },
  ) => Promise<WarmUpTrial>;
  /** Like `runs.measureMemory`, until the signal. */
  'memory.measure': (input: Run & { readonly signal?: AbortSignal | undefined }) => Promise<ModelMemory>;
  /** Reads a matrix file in the reader process. */
  'matrix.read': Readers['matrix'];
  /** Writes to the study's folder, or to `out`. */
  'matrix.write': (request: MatrixReportRequest) => Promise<WrittenStudy>;
  /** As `models.hub`, until the signal. */
  'models.lookHub': (input: {
    readonly reference: string;
    readonly signal?: AbortSignal | undefined;
    readonly onProgress?: ((text: string) => void) | undefined;
  }) => Promise<HubModel>;
  /** The code that trusting the model covers. Throws as `models.open`. */
  'models.code': (input: OpenModelInput) => Promise<ModelCode>;
  /** Serves a repository as it is with the local Triton, until it is stopped. Throws as {@link serveRepository}. */
  'models.serve': (input: ServeRepository) => Promise<ServedRepository>;
  /** Writes a Hugging Face folder as the repository of a pipeline, where that is not there. Throws as {@link writePipeline}. */
  'models.pipeline': (input: WritePipeline) => Promise<WrittenPipeline>;
  'models.init': (input: { readonly dir: string }) => Promise<InitOutcome>;
  /** What a recorded trace has. Throws input-invalid. */
  'replay.read': Readers['replayRead'];
  /** Where the requests of a trace file, or of a folder of them, spent their time. Throws input-invalid. */
  'traces.read': Readers['slowRequests'];
  /** One sample per interval. Throws input-invalid. */
  'monitor.watch': (input: {
    readonly target: MonitorTarget;
    readonly intervalMs: number;
    readonly headers: readonly RequestHeader[];
  }) => Promise<void>;
  /** Throws input-invalid with the names of the server's models if none matches. */
  'monitor.requireModel': (input: {
    readonly target: MonitorTarget;
    readonly headers: readonly RequestHeader[];
    readonly model: string;
  }) => Promise<void>;
  /** Replaces the rules for this process without saving them. */
  'monitor.judgeBy': (input: { readonly rules: readonly AlertRule[] }) => Promise<void>;
  /** Rules with a limit for which no sample had a figure: their silence means nothing. */
  'monitor.unjudged': (input: undefined) => Promise<readonly AlertRule[]>;
  /** Throws input-invalid if the file exists, disk-full, file-unwritable. */
  'monitor.recordTo': (file: File) => Promise<void>;
  /** Throws input-invalid if the file is not a recording. */
  'monitor.replayFile': (input: File & { readonly speed: number }) => Promise<void>;
  'monitor.write': (input: File & { readonly kind: 'csv' | 'html' | 'pdf' }) => Promise<void>;
  /** File name without extension for what was recorded. */
  'monitor.fileStem': (input: undefined) => Promise<string>;
  'runs.create': (
    input: StartHow & { readonly spec: RunSpec; readonly out?: string | undefined },
  ) => Promise<Run>;
  /** Throws before there is a run: server-unreachable, model-not-ready, input-invalid, combination-unsupported. */
  'runs.createOnServer': (input: ServerStart & { readonly load: ServerLoad }) => Promise<Run>;
  /** Starts, continues, or repeats `from` and its dependents. Resolves when the work has begun. */
  'runs.execute': (input: ExecuteOptions & Run) => Promise<{ readonly end: Promise<RunEnd> }>;
  /** Throws as `runs.planChange`, and spec-invalid. */
  'runs.changedSpec': (
    input: Run & { readonly overrides: Readonly<Record<string, unknown>> },
  ) => Promise<RunSpec>;
  /** Code and addresses of an imported run, to review before `runs.trustContent`. */
  'runs.content': (run: Run) => Promise<RunContent>;
  /** Like `runs.trust`. Throws input-invalid if the content no longer has this hash. */
  'runs.trustContent': (input: Run & { readonly hash: string }) => Promise<void>;
  /** Includes the paths of the reports. */
  'runs.show': (run: Run) => Promise<{ readonly state: RunState; readonly dir: string }>;
  /** Every run including unreadable ones; also computes the rows that `runs.list` skips. */
  'runs.all': (input: undefined) => Promise<ListedRuns>;
  /** Of every run including unreadable ones, oldest first. Reads no run. */
  'runs.ids': (input: undefined) => Promise<readonly string[]>;
  'runs.folder': (run: Run) => Promise<{ readonly dir: string }>;
  /** Rewritten first if the run's budget or name has changed. Throws report-failed without one of that kind. */
  'runs.reportPath': (input: Run & { readonly kind: ReportFile['kind'] }) => Promise<string>;
  /** Like `runs.report`, and returns the files. */
  'runs.writeReports': (input: Run & { readonly change?: ReportChange }) => Promise<readonly ReportFile[]>;
  /** CSV with the columns of the reports. */
  'runs.levelsCsv': (input: { readonly points: readonly LoadPoint[] }) => Promise<string>;
  /** The problems of `spec.preview`. */
  'spec.check': (choice: Choice) => Promise<readonly SpecProblem[]>;
  /** Like `presets.resolve`, also for a model of the user. */
  'spec.resolve': (choice: Choice) => Promise<RunSpec>;
  /** The model that a specification names; read in the reader process. */
  'spec.readModel': Readers['specModel'];
  /** Like `studies.plan`, with the trials. */
  'studies.planned': (input: {
    readonly spec: StudySpec;
    readonly consent: StudyConsent;
  }) => Promise<StudyPlanned>;
  /** Takes the lease of a study. Throws study-busy. */
  'studies.open': (
    input: OpenHow & { readonly spec: StudySpec; readonly plan: StudyPlanned },
  ) => Promise<OpenStudy>;
  /** Like `studies.get`, with the runs. */
  'studies.show': (study: { readonly name: string }) => Promise<ShownStudy>;
  /** Throws study-unknown, and input-invalid for a matrix of an earlier version. */
  'studies.specOf': (study: { readonly name: string }) => Promise<StudySpec>;
  /** Works on a study that measures by itself, a search or a duel, to its end or a stop. Throws study-busy, input-invalid. */
  'searches.work': (input: SearchHow & { readonly spec: StudySpec }) => Promise<Searched>;
  /** Works on a soak, to its end or a stop. Throws study-busy, input-invalid, and what starting the server and sending throw. */
  'soaks.work': (input: SoakHow & { readonly spec: StudySpec }) => Promise<void>;
  /** Works on an upgrade, to its end or a stop. Throws study-busy, input-invalid, not-trusted, and what opening the run throws. */
  'upgrades.work': (input: UpgradeHow & { readonly spec: StudySpec }) => Promise<void>;
  /** Writes its report in all formats. Throws study-unknown, disk-full, file-unwritable. */
  'searches.report': (study: {
    readonly name: string;
    readonly out?: string | undefined;
  }) => Promise<WrittenStudy>;
  /** A file of several models that are searched together; null: it is another file. Throws input-invalid with the line. */
  'searches.readJoint': Readers['jointFile'];
  /** Where the model of a configuration of Model Analyzer lies. Throws input-invalid. */
  'searches.analyzerModel': Readers['analyzerModel'];
  /**
   * What a configuration of Model Analyzer asks a search for. Throws run-unknown, input-invalid with the line, and what
   * resolving the choice throws.
   */
  'searches.fromAnalyzer': (input: {
    /** A run, or what is made first. */
    readonly of: Pick<SearchRequest, 'runId' | 'choice'>;
    /** The model was read from the repository that the file names. */
    readonly isOfRepository: boolean;
    readonly text: string;
    readonly fileName: string;
    /** null: the one that is called as the run's model, or the only one. */
    readonly model: string | null;
  }) => Promise<AnalyzerConfig>;
  /** Throws study-unknown. */
  'searches.get': (study: { readonly name: string }) => Promise<Study>;
  /** In order of installation. */
  'tools.plan': (input: {
    readonly components: readonly ComponentId[];
    readonly repair: boolean;
  }) => Promise<readonly ComponentId[]>;
  /** Missing Debian packages without which no environment can be created. */
  'tools.systemPackages': (input: undefined) => Promise<readonly string[]>;
  /** The current work at its end, or the last one; null if nothing was started. */
  'tools.ended': (input: undefined) => Promise<SetupWork | null>;
  /** Throws run-unknown. */
  'upkeep.plan': (request: CleanRequest) => Promise<CleanPlan>;
  /** Ends orphans, including containers that wait for `resume`, and removes what is requested. */
  'upkeep.clean': (request: CleanRequest) => Promise<Cleaned>;
}

export interface Core {
  /** The contract's calls that need no desktop, and the trusted ones. */
  readonly handlers: Readonly<Pick<Handlers, CoreCall> & TrustedCalls>;
  subscribe(listener: (event: CoreEvent) => void): () => void;
  /** Active work; synchronous, because a closing window cannot wait. */
  underWay(): WorkUnderWay;
  /** Cancels own runs, waits for their end and stops events. */
  close(): Promise<void>;
}
