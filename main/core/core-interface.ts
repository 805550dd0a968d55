import type { CallOutput, CoreEvent, Handlers, RunSummary, WorkUnderWay } from '../contract/api';
import type { HostFit } from '../contract/host/host-text';
import type { MachineStatus } from '../contract/machine';
import type { LoadPoint } from '../contract/measured/results';
import type { ImportRequest } from '../contract/run/imported';
import type { Preset } from '../contract/run/preset';
import type { ReportChange } from '../contract/run/report-look';
import type { RunContent } from '../contract/run/run-content';
import type { ReportFile } from '../contract/run/run-events';
import type { DockerEngineSpec, Format, RunSpec } from '../contract/run/run-spec';
import type { RunState } from '../contract/run/run-state';
import type { ComparisonFile, ComparisonRequest } from '../contract/run/saved-comparison';
import type { ServerLoad } from '../contract/run/server-load';
import type { Choice } from '../contract/run/spec-tools';
import type { DataCalls } from '../data/data-calls';
import type { ImageWorks } from '../docker/images/prepare-image';
import type { MatrixResult } from '../domain/measured/matrix-result';
import type { Monitor } from '../monitor/monitor';
import type { ModelCode } from '../own/open-model';
import type { InitOutcome } from '../own/own-preset';
import type { RunEnd } from '../pipeline/attempt';
import type { ExecuteOptions, ServerStart, StartHow } from '../pipeline/run-options';
import type { WrittenMatrix } from '../reports/matrix-report';
import type { Approvals } from '../store/approvals';
import type { UnreadableRun } from '../store/run-rows';
import type { Readers } from './core-parts';
import type { ToolCalls } from './tool-calls';
import type { Cleaned, CleanPlan, CleanRequest } from './upkeep';

export interface MatrixReportRequest {
  readonly name: string;
  readonly results: readonly MatrixResult[];
  readonly out?: string;
}

type CoreCall = Exclude<keyof Handlers, `desktop.${string}`>;

/** What window, CLI and tests ask of the core. */
export interface Core {
  /** Every call of the contract that needs no desktop. */
  readonly handlers: Pick<Handlers, CoreCall>;
  /** Says that the home was open to other users until now; null: it was not. */
  readonly closedHome: string | null;
  subscribe(listener: (event: CoreEvent) => void): () => void;
  /** Makes a change of a deployment to its end whose process was killed, or undoes it. Throws deployment-busy. */
  recoverDeployment(id: string): Promise<void>;
  presets(): readonly Preset[];
  resolveSpec(preset: string, overrides: Readonly<Record<string, unknown>>): RunSpec;
  /** The same also for an own model, whose choice holds what was read of it. */
  resolveChoice(choice: Choice): Promise<RunSpec>;
  /**
   * The specification of a run with these fields changed; the defaults of the others follow as at the start of a run.
   * Throws run-unknown, input-invalid (imported, another model), not-trusted (from elsewhere), spec-invalid and
   * combination-unsupported.
   */
  resolveChange(runId: string, overrides: Readonly<Record<string, unknown>>): Promise<RunSpec>;
  /**
   * @param engine what the preflight is made for; when absent, all GPUs, or the CPU where there are none.
   * @param format what is to be served, where that is known.
   */
  machine(engine?: DockerEngineSpec, format?: Format): Promise<MachineStatus>;
  /**
   * Which of these hosts ("local": this machine) can do the work of a run in containers; for other engines none. Asks each
   * host at the same time; never rejects for one that is not there.
   * @param how.modelOfGpu whether only the GPU that the run is for will do
   */
  hostFits(
    spec: RunSpec,
    hosts: readonly string[],
    how: { readonly modelOfGpu: boolean; readonly skipPreflight?: boolean },
  ): Promise<readonly HostFit[]>;
  /** Pulls and builds of images. */
  readonly images: ImageWorks;
  /** The tools in the workbench home. */
  readonly setup: ToolCalls;
  /** Published data sets and checkpoints. */
  readonly data: DataCalls;
  /** What trusting the model at a path would trust. Throws as `models.open`. */
  modelCode(path: string): Promise<ModelCode>;
  /** What runs may use outside of the workbench. */
  readonly approvals: Approvals;
  /** What comes from outside is read by these alone. */
  readonly readers: Readers;
  /** Watches any Triton. */
  readonly monitor: Monitor;
  initModelFolder(dir: string): Promise<InitOutcome>;
  createRun(spec: RunSpec, out?: string, how?: StartHow): Promise<string>;
  /**
   * A run that measures a Triton which is there already. Throws, before there is a run, what looking at the server throws:
   * server-unreachable, model-not-ready, input-invalid, combination-unsupported.
   */
  createServerRun(load: ServerLoad, how?: ServerStart): Promise<string>;
  /** Starts or goes on, or does `from` and all that need it again; resolves when the work has begun. */
  executeRun(runId: string, options?: ExecuteOptions): Promise<{ readonly end: Promise<RunEnd> }>;
  /** Runs that jobs of a scheduler work on. */
  readonly jobs: {
    /** Whether executing the run hands it to a job, which works on whether or not this process is there. */
    isHandedOver(runId: string): Promise<boolean>;
    /**
     * Hands them over together, as one array job where they ask for the same. Once `signal` asks, no further one is handed
     * over.
     */
    submit(runIds: readonly string[], name: string, signal?: AbortSignal): Promise<void>;
    /** Until the run has ended, or its job has without it. */
    follow(runId: string): Promise<RunEnd>;
    /** Inside of a job that the scheduler is about to end. */
    ends(runId: string, when: 'soon' | 'now'): Promise<void>;
  };
  /** What a run from elsewhere would execute and reach, to be shown before `trustRun`. */
  runContent(runId: string): Promise<RunContent>;
  /** @param hash of the content that was shown: throws input-invalid when it is another one by now. */
  trustRun(runId: string, hash?: string): Promise<void>;
  cancelRun(runId: string): Promise<void>;
  /** Before the next level or step. Throws input-invalid when nobody works on the run. */
  pauseRun(runId: string): Promise<void>;
  /** Levels as CSV, with the columns of the reports. */
  levelsCsv(points: readonly LoadPoint[]): string;
  getRun(runId: string): Promise<{ readonly state: RunState; readonly dir: string }>;
  listRuns(): Promise<{
    readonly runs: readonly RunSummary[];
    readonly unreadable: readonly UnreadableRun[];
  }>;
  runDir(runId: string): Promise<string>;
  /**
   * Path of a written report; written again first where the run's budget or name is another one by now. Throws report-failed
   * when there is none of that kind.
   */
  reportPath(runId: string, kind: ReportFile['kind']): Promise<string>;
  /** Sets the p99 budget of a run, in milliseconds, or takes it away. Throws run-busy while another process works on it. */
  setBudget(runId: string, p99BudgetMs: number | null): Promise<void>;
  /**
   * Writes the reports again from the journal, with what is changed of their title, notes, logo and sections. Throws run-busy
   * while somebody works on the run, and input-invalid for a logo that is none.
   */
  writeReports(runId: string, change?: ReportChange): Promise<readonly ReportFile[]>;
  /** Throws input-invalid for a file that is not a logo, as `writeReports` does, which has the run's lease by then. */
  checkLogo(path: string): Promise<void>;
  /** Writes several runs side by side into a file. Throws run-unknown, and toolchain-missing where a PDF has no printer. */
  writeComparison(request: ComparisonRequest, kind: ComparisonFile, path: string): Promise<void>;
  /** Writes the report of a matrix to its folder in the home, or to `out`. */
  writeMatrix(input: MatrixReportRequest): Promise<WrittenMatrix>;
  /** Stores the figures of a file of perf_analyzer as a run. Throws input-invalid with line or field. */
  importFile(request: ImportRequest): Promise<CallOutput<'runs.import'>>;
  /** What `clean` would remove, and what that frees. Throws run-unknown. */
  planClean(request: CleanRequest): Promise<CleanPlan>;
  /** Ends orphans, containers that wait for `resume` too, and removes what is asked for. */
  clean(request: CleanRequest): Promise<Cleaned>;
  /** What this process works on. */
  underWay(): WorkUnderWay;
  /** Cancels own runs, waits for their end and stops telling. */
  close(): Promise<void>;
}
