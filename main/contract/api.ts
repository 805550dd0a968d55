import { z } from 'zod';
import { desktopApi, hostsApi, settingsApi } from './calls/application-calls';
import { type Call, call } from './calls/call';
import { comparisonApi } from './calls/comparison-calls';
import { modelsApi } from './calls/model-calls';
import { productionApi } from './calls/production-calls';
import { reportApi } from './calls/report-calls';
import type { WireText } from './calls/wire-text';
import { type DataItem, type DataWork, fetchRequestSchema } from './data-source';
import { bundleRequestSchema, type DeploymentInfo, deployRequestSchema } from './deployment/deployment';
import {
  builtImages,
  type ContainerStats,
  type DockerState,
  type ImageInfo,
  imageReferenceSchema,
  type ImageWork,
  registryLoginSchema,
} from './docker';
import type { WireError } from './errors';
import type { GpuReport, MachineStatus } from './machine';
import type { PublishedResults } from './measured/baseline';
import { warmUpAskSchema } from './measured/cold-start';
import {
  alertRuleSchema,
  type MonitorEvent,
  type MonitorState,
  monitorTargetSchema,
  probeSettingsSchema,
  type RecordingInfo,
} from './monitor/monitor';
import type { MonitorHistoryImage } from './monitor/monitor-history';
import { type ImportedRuns, importRequestSchema } from './run/imported';
import { describeRequestSchema, measureRequestSchema, type ServerDescription } from './run/measure-request';
import type { Preset } from './run/preset';
import { runNameSchema } from './run/run-content';
import { type RunEvent, type StepId, stepIds } from './run/run-events';
import type { RunList } from './run/run-outcome';
import { publishedGpus, runSpecSchema } from './run/run-spec';
import type { RunState } from './run/run-state';
import type { PastRun } from './run/run-step';
import {
  type ChangePlan,
  type Choice,
  choiceSchema,
  type ConfigEdit,
  type Draft,
  draftSchema,
  type ImportedSpec,
  p99BudgetMsSchema,
  type SpecPreview,
  type StartProblem,
  startRequestSchema,
} from './run/spec-tools';
import type { SettingsState } from './settings/settings';
import type { HomeMoveWork } from './settings/storage';
import { componentsSchema, type ComponentStatus, type SetupWork } from './setup';
import { duelRequestSchema } from './study/duel';
import { jointRequestSchema } from './study/joint';
import { searchRequestSchema } from './study/search';
import {
  type DuelPlan,
  type JointPlan,
  type SearchCapacity,
  type SearchPlan,
  type StudyDetail,
  type StudyEntry,
  type StudyPlan,
  type StudyReports,
  type StudySize,
  type StudySpec,
  studySpecSchema,
  type StudySummary,
  type WinnerConfigs,
} from './study/study';

export type { RunSummary } from './run/run-outcome';

export interface AppInfo {
  readonly version: string;
  readonly home: string;
  /** TRITON_WORKBENCH_HOME names the home, so that it cannot be moved. */
  readonly homeFixed: boolean;
  readonly electron: string | null;
}

const containerId = z.strictObject({ id: z.string().regex(/^[0-9a-f]{12,64}$/) });
const runId = z.strictObject({ runId: z.string().max(200) });
const deploymentId = z.strictObject({ id: z.string().max(63) });
const studyName = z.strictObject({ name: z.string().max(40) });
/** Of a search of several, from 1. */
const modelNumber = { model: z.int().min(1).max(16).optional() };
const modelName = z.strictObject({ model: z.string().min(1).max(256) });

/** Every call of the window; those of the desktop and the settings are in `calls`. Handlers, client and preload derive from it. */
export const api = {
  'app.info': call<AppInfo>().with(z.undefined()),
  'machine.get': call<MachineStatus>().with(z.undefined()),
  'machine.gpus': call<GpuReport>().with(z.undefined()),
  'tools.list': call<readonly ComponentStatus[]>().with(z.undefined()),
  /** Starts, unless something is under way; `setup-work` events report the progress. Throws toolchain-missing on other systems. */
  'tools.install': call<null>().with(componentsSchema.extend({ repair: z.boolean() })),
  /** Removes these components with all that was made from them; as `tools.install`. */
  'tools.remove': call<null>().with(componentsSchema),
  'tools.cancel': call<null>().with(z.undefined()),
  /** null where nothing was set up since the start. */
  'tools.work': call<SetupWork | null>().with(z.undefined()),
  /** As last known; each change is a `docker-changed` event. */
  'docker.state': call<DockerState>().with(z.undefined()),
  'docker.start': call<null>().with(containerId),
  'docker.stop': call<null>().with(containerId),
  'docker.restart': call<null>().with(containerId),
  'docker.remove': call<null>().with(containerId),
  'docker.stats': call<readonly ContainerStats[]>().with(z.undefined()),
  /** Starts `container-log` events of the container's log, with its last `tail` lines first. */
  'docker.followLog': call<null>().with(containerId.extend({ tail: z.int().min(0).max(20_000) })),
  'docker.unfollowLog': call<null>().with(containerId),
  'docker.images': call<readonly ImageInfo[]>().with(z.undefined()),
  /** Starts; progress comes as `image-work` events. */
  'docker.pullImage': call<{ readonly workId: string }>().with(
    z.strictObject({ reference: imageReferenceSchema }),
  ),
  'docker.buildImage': call<{ readonly workId: string }>().with(
    z.strictObject({ image: z.enum(builtImages) }),
  ),
  'docker.cancelImageWork': call<null>().with(z.strictObject({ workId: z.string().max(64) })),
  'docker.imageWorks': call<readonly ImageWork[]>().with(z.undefined()),
  'docker.removeImage': call<null>().with(z.strictObject({ id: z.string().regex(/^sha256:[0-9a-f]{64}$/) })),
  /** `kept`: false where the desktop has no key ring, so that it is held in memory only. */
  'docker.login': call<{ readonly kept: boolean }>().with(registryLoginSchema),
  'monitor.state': call<MonitorState>().with(z.undefined()),
  /** Everything kept since monitoring began, which `monitor-sample` events continue; null before the first sample. */
  'monitor.history': call<MonitorHistoryImage | null>().with(z.undefined()),
  /** Replaces the server that was watched before. Throws input-invalid. */
  'monitor.start': call<null>().with(monitorTargetSchema),
  'monitor.stop': call<null>().with(z.undefined()),
  'monitor.setProbe': call<null>().with(z.strictObject({ probe: probeSettingsSchema.nullable() })),
  'monitor.setRules': call<null>().with(z.strictObject({ rules: z.array(alertRuleSchema).max(50) })),
  'monitor.record': call<null>().with(z.strictObject({ on: z.boolean() })),
  'monitor.recordings': call<readonly RecordingInfo[]>().with(z.undefined()),
  /** Plays a recording of the home; `speed` 2 is twice as fast as recorded, 0 as fast as possible. */
  'monitor.replay': call<null>().with(
    z.strictObject({
      file: z.string().regex(/^[\w][\w.-]{0,199}\.jsonl$/),
      speed: z.number().min(0).max(100_000),
    }),
  ),
  /** Throws model-load-failed with Triton's reason. */
  'monitor.loadModel': call<null>().with(modelName),
  'monitor.unloadModel': call<null>().with(modelName),
  /** The configuration in use, as config.pbtxt. Throws model-not-ready. */
  'monitor.modelConfig': call<{ readonly text: string }>().with(modelName),
  'presets.list': call<readonly Preset[]>().with(z.undefined()),
  /** null where none are published. */
  'presets.published': call<PublishedResults | null>().with(z.strictObject({ preset: z.string().max(128) })),
  /** How the load and the GPUs of a run differ from the procedure published for that GPU, one text each. */
  'presets.differences': call<readonly string[]>().with(
    z.strictObject({ spec: runSpecSchema, gpu: z.enum(publishedGpus) }),
  ),
  /** The complete specification of a choice: defaults of preset and profile under the given overrides. */
  'presets.resolve': call<z.infer<typeof runSpecSchema>>().with(
    z.strictObject({ preset: z.string().max(128), overrides: z.record(z.string(), z.unknown()) }),
  ),
  /** Where a preset's data sets and checkpoints come from, and which are on this machine. Throws preset-unknown. */
  'data.list': call<readonly DataItem[]>().with(z.strictObject({ preset: z.string().max(128) })),
  /** Starts; progress comes as `data-work` events. Throws input-invalid for sources that are fetched by hand only. */
  'data.fetch': call<{ readonly workId: string }>().with(fetchRequestSchema),
  'data.cancel': call<null>().with(z.strictObject({ workId: z.string().max(64) })),
  'data.works': call<readonly DataWork[]>().with(z.undefined()),
  'spec.preview': call<SpecPreview>().with(choiceSchema),
  /** The fields of a specification that differ from its preset's defaults under the same precision, format and engine. */
  'spec.choice': call<Choice>().with(z.strictObject({ spec: runSpecSchema })),
  /** Splits the text of an edited config.pbtxt into fields and patch. */
  'spec.editConfig': call<ConfigEdit>().with(choiceSchema.extend({ text: z.string().max(1_000_000) })),
  ...modelsApi,
  /** run.yaml, or a shell script that does the whole run with the CLI. Throws spec-invalid. */
  'spec.export': call<{ readonly text: string; readonly fileName: string }>().with(
    choiceSchema.extend({ as: z.enum(['run-yaml', 'shell', 'commands']) }),
  ),
  /** Understands run.yaml, runner configurations of both generations, shell environment files and config.pbtxt. */
  'spec.import': call<ImportedSpec>().with(
    z.strictObject({
      text: z.string().max(1_000_000),
      fileName: z.string().max(512),
      preset: z.string().max(128),
      /** Of the draft that a part of a deployment is merged into; absent: there is no draft. */
      overrides: z.record(z.string(), z.unknown()).optional(),
      /** Number of the configuration in a runner's file, from 1; absent: the first. */
      configuration: z.int().min(1).optional(),
    }),
  ),
  'drafts.list': call<readonly Draft[]>().with(z.undefined()),
  'drafts.save': call<null>().with(draftSchema),
  'drafts.remove': call<null>().with(z.strictObject({ id: draftSchema.shape.id })),
  /** Stops before the next level or step, and keeps results; `runs.resume` continues. Throws input-invalid. */
  'runs.pause': call<null>().with(runId),
  'deployments.list': call<readonly DeploymentInfo[]>().with(z.undefined()),
  'deployments.show': call<DeploymentInfo>().with(deploymentId),
  'deployments.deploy': call<DeploymentInfo>().with(deployRequestSchema),
  /** Serves the previous version again. Throws input-invalid where there is none. */
  'deployments.rollback': call<DeploymentInfo>().with(
    deploymentId.extend({ model: z.string().max(128).optional() }),
  ),
  'deployments.start': call<DeploymentInfo>().with(deploymentId),
  'deployments.stop': call<DeploymentInfo>().with(deploymentId),
  'deployments.restart': call<DeploymentInfo>().with(deploymentId),
  /** Deletes its files as well. Throws input-invalid while it serves, unless `force`. */
  'deployments.remove': call<null>().with(deploymentId.extend({ force: z.boolean() })),
  'deployments.log': call<readonly string[]>().with(
    deploymentId.extend({ limit: z.int().min(1).max(20_000) }),
  ),
  /** The search that a request asks for; starts nothing. Throws run-unknown, input-invalid, combination-unsupported. */
  'searches.plan': call<SearchPlan>().with(searchRequestSchema),
  /** The comparison in turns that a request asks for; starts nothing. Throws as `searches.plan`. */
  'duels.plan': call<DuelPlan>().with(duelRequestSchema),
  /** The search of several models that a request asks for; starts nothing. Throws as `searches.plan`. */
  'searches.planJoint': call<JointPlan>().with(jointRequestSchema),
  /**
   * null: no configuration is the best one so far. `model`: of a search of several, by its number from 1. Throws
   * study-unknown, run-unknown, and input-invalid without the model.
   */
  'searches.configs': call<WinnerConfigs | null>().with(studyName.extend(modelNumber)),
  /** Changes the run of a search to its best configuration, and continues it. Throws as `runs.change`. */
  'searches.run': call<{ readonly runId: string }>().with(studyName.extend(modelNumber)),
  'studies.list': call<readonly StudySummary[]>().with(z.undefined()),
  'studies.get': call<StudyDetail>().with(studyName),
  /** The runs that a file of a matrix, or a runner's, asks for. Throws input-invalid. */
  'studies.read': call<StudySpec>().with(
    z.strictObject({
      text: z.string().max(1_000_000),
      fileName: z.string().max(512),
      preset: z.string().max(128).optional(),
    }),
  ),
  /** The runs it would start and leave out; starts nothing. Throws preset-unknown, host-unknown. */
  'studies.plan': call<StudyPlan>().with(z.strictObject({ spec: studySpecSchema })),
  /** Runs it in this process. Throws input-invalid where the name is taken or no run is possible. */
  'studies.start': call<null>().with(z.strictObject({ spec: studySpecSchema })),
  /** Starts no further run; those in progress pause before their next level or step. Throws input-invalid. */
  'studies.pause': call<null>().with(studyName),
  /** Continues it in this process; complete runs are kept. Throws study-busy. */
  'studies.resume': call<null>().with(studyName),
  'studies.cancel': call<null>().with(studyName),
  'studies.size': call<StudySize>().with(studyName),
  /** Removes it with its reports; its runs move to the trash, or stay. Throws study-busy, run-busy. */
  'studies.remove': call<null>().with(studyName.extend({ withRuns: z.boolean() })),
  /** Writes its reports to its folder in the home. @returns their paths */
  'studies.report': call<StudyReports>().with(studyName),
  /**
   * A configuration of a search as a run that a capacity is planned with: the best, else the present one, where none is
   * named; of a search of several, of the model with that title or number. Throws study-unknown, run-unknown, and
   * input-invalid where the search has no such number or model.
   */
  'searches.capacity': call<SearchCapacity>().with(
    studyName.extend({
      candidate: z.int().min(1).optional(),
      model: z.union([z.int().min(1), z.string().max(40)]).optional(),
    }),
  ),
  /** Loads the model by itself, and keeps in the run what it takes. Throws as `searches.plan`, and run-busy. */
  'runs.measureMemory': call<null>().with(runId),
  /** Measures first requests without and with a warm-up on fresh loads, and keeps them in the run. Throws as `runs.measureMemory`. */
  'runs.tryWarmUp': call<null>().with(runId.extend(warmUpAskSchema.shape)),
  /** Writes the bundle of a verified model. @returns the absolute path of its folder */
  'runs.bundle': call<{ readonly path: string }>().with(bundleRequestSchema),
  /** Forgets this step and all that depend on it, then resumes the run. Throws run-busy. */
  'runs.rerunFrom': call<null>().with(runId.extend({ step: z.enum(stepIds).optional() })),
  /** The steps that `runs.rerunFrom` forgets, in order. Throws input-invalid for a step that the run does not have. */
  'runs.planRerun': call<readonly StepId[]>().with(runId.extend({ step: z.enum(stepIds).optional() })),
  /** Replaces tags and note. Throws run-busy while another process works on the run. */
  'runs.annotate': call<null>().with(
    runId.extend({ tags: z.array(z.string().min(1).max(40)).max(20), note: z.string().max(10_000) }),
  ),
  'runs.rename': call<null>().with(runId.extend({ name: runNameSchema.nullable() })),
  /** Sets the p99 budget in milliseconds, or removes it. Throws run-busy while another process works on the run. */
  'runs.setBudget': call<null>().with(runId.extend({ p99BudgetMs: p99BudgetMsSchema.nullable() })),
  /** Moves the run to the trash of the home; `runs.restore` brings it back. Throws run-busy while somebody works on the run. */
  'runs.remove': call<null>().with(runId),
  'runs.restore': call<null>().with(runId),
  'runs.list': call<RunList>().with(z.undefined()),
  'runs.get': call<RunState>().asTextWith(runId),
  /** What complete runs of the same model took on this machine, the likest first; none for a measured server. */
  'runs.past': call<readonly PastRun[]>().with(runId),
  /** Why `runs.start` would refuse this specification: missing tools, taken ports, an unsuitable remote server. */
  'runs.check': call<readonly StartProblem[]>().with(z.strictObject({ spec: runSpecSchema })),
  'runs.start': call<{ readonly runId: string }>().with(startRequestSchema),
  /** Stores the figures of another tool's file as imported runs. Throws input-invalid with line or field. */
  'runs.import': call<ImportedRuns>().with(importRequestSchema),
  /** The models that are ready on a running Triton, or that a server of OpenAI's protocol lists. Throws server-unreachable, input-invalid. */
  'servers.describe': call<ServerDescription>().with(describeRequestSchema),
  /** Measures one of them as a run. Throws before the run exists where server or load are refused. */
  'servers.measure': call<{ readonly runId: string }>().with(measureRequestSchema),
  /**
   * `allowUnverified`: measures although the accuracy gate failed; every result then says so. `again`: measures the
   * levels in doubt again in longer windows; throws input-invalid where none is.
   */
  'runs.resume': call<null>().with(
    runId.extend({
      allowUnverified: z.boolean().optional(),
      skipPreflight: z.boolean().optional(),
      again: z.boolean().optional(),
    }),
  ),
  /** What a changed specification of a run would repeat and keep. Throws input-invalid and not-trusted as `runs.change`. */
  'runs.planChange': call<ChangePlan>().with(runId.extend({ spec: runSpecSchema })),
  /**
   * Changes the specification of a run and continues it; what does not depend on the change is kept.
   * Throws run-busy, and input-invalid for an imported run and for another model.
   */
  'runs.change': call<null>().with(
    runId.extend({ spec: runSpecSchema, skipPreflight: z.boolean().optional() }),
  ),
  /**
   * Trusts the files of a run from elsewhere as they are now; nothing for a run of this home.
   * Throws run-folder-unsafe, and run-busy while somebody works on the run.
   */
  'runs.trust': call<null>().with(runId),
  'runs.cancel': call<null>().with(runId),
  /** The last `limit` lines of a step's log. */
  'runs.log': call<readonly string[]>().with(
    runId.extend({ step: z.enum(stepIds), limit: z.int().min(1).max(20_000) }),
  ),
  ...settingsApi,
  ...hostsApi,
  ...comparisonApi,
  ...reportApi,
  ...productionApi,
  ...desktopApi,
} as const;

type Api = typeof api;
export type CallName = keyof Api;
export type CallInput<Name extends CallName> = z.infer<Api[Name]['input']>;
export type CallOutput<Name extends CallName> =
  Api[Name] extends Call<z.ZodType, infer Output> ? Output : never;
export type Handlers = {
  readonly [Name in CallName]: (input: CallInput<Name>) => Promise<CallOutput<Name>>;
};

export type CoreEvent =
  | RunEvent
  | { readonly type: 'runs-changed' }
  | { readonly type: 'runs-retired'; readonly runIds: readonly string[] }
  | { readonly type: 'deployments-changed'; readonly id: string; readonly work: string | null }
  /** One more journal entry of a study that this process works on. */
  | { readonly type: 'study'; readonly name: string; readonly entry: StudyEntry }
  | { readonly type: 'docker-changed'; readonly state: DockerState }
  | { readonly type: 'container-log'; readonly id: string; readonly lines: readonly string[] }
  | { readonly type: 'image-work'; readonly work: ImageWork }
  | { readonly type: 'data-work'; readonly work: DataWork }
  | { readonly type: 'setup-work'; readonly work: SetupWork }
  | { readonly type: 'settings-changed'; readonly state: SettingsState }
  | { readonly type: 'home-move'; readonly work: HomeMoveWork }
  | MonitorEvent;

export type MenuCommand =
  | 'new-deployment'
  | 'open-file'
  | 'command-palette'
  | 'find'
  | 'toggle-theme'
  | 'settings'
  | 'pause'
  | 'cancel'
  | 'resume'
  | 'duplicate'
  | 'shortcuts'
  | 'documentation'
  | 'whats-new'
  | 'changelog'
  | 'report-problem'
  | 'open-logs'
  | 'about';

/** Work that ends with the workbench. */
export interface WorkUnderWay {
  readonly runIds: readonly string[];
  readonly images: readonly Pick<ImageWork, 'kind' | 'image'>[];
  readonly fetches: readonly string[];
  readonly tools: readonly string[];
  readonly deployments: readonly string[];
  readonly studies: readonly string[];
}

/** The core's events, and the request to close, which waits for an answer while work is in progress. */
export type WindowEvent =
  | CoreEvent
  | { readonly type: 'close-asked'; readonly work: WorkUnderWay }
  | { readonly type: 'opened' }
  | { readonly type: 'menu'; readonly command: MenuCommand };

/** Errors travel as plain objects: thrown values lose their fields between the processes. */
export type CallAnswer<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: WireError };

/** An answer on its way into the page: the value, or its text. */
export type WireAnswer = CallAnswer<unknown> | { readonly ok: true; readonly text: WireText };
