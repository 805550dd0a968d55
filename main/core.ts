import type { CoreEvent, Handlers, RunSummary } from './contract/api';
import { toWire, WorkbenchError } from './contract/errors';
import type { ImportRequest } from './contract/imported';
import type { MachineStatus } from './contract/machine';
import type { Preset } from './contract/preset';
import type { Environment } from './contract/results';
import type { ReportFile, StepId } from './contract/run-events';
import type { DockerEngineSpec, Format, LoadTool as LoadToolId, RunSpec } from './contract/run-spec';
import type { RunState } from './contract/run-state';
import type { Choice } from './contract/spec-tools';
import type { DataDesk } from './data/data-desk';
import { createDataDesk } from './data/data-desk';
import { createDockerDesk } from './docker/desk';
import { createDockerLink } from './docker/docker-link';
import { createImageWorks } from './docker/images/image-works';
import type { ImageWorks } from './docker/images/image-works';
import { prepareImage } from './docker/images/prepare-image';
import { createRegistryAuths } from './docker/images/registry-auth';
import { preflightPlan } from './engine/docker/preflight-plan';
import { buildArgsOf } from './engine/docker/run-images';
import { deviceOf, deviceOfUrl } from './engine/device';
import { createEngines } from './engine/engines';
import { createPlanPlaces } from './engine/plan-places';
import { readEnvironment } from './machine/environment';
import { readGpus } from './machine/gpu-report';
import { readMachineStatus } from './machine/machine-status';
import { readCapture } from './perf/import/read-capture';
import type { LoadTool } from './perf/load-tool';
import { sweepSharedFiles } from './perf/native/shared-names';
import { createLoadTools } from './perf/load-tools';
import type { Monitor } from './monitor/monitor';
import { createMonitor } from './monitor/monitor';
import { reportContext } from './pipeline/report-context';
import type { RunEnd } from './pipeline/attempt';
import { Runs } from './pipeline/runs';
import { createRunsDesk } from './pipeline/runs-desk';
import type { RunServices } from './pipeline/step';
import { steps } from './pipeline/steps';
import { homeLayout } from './platform/layout';
import { Listeners } from './platform/listeners';
import { readPresets, requirePreset } from './presets/presets';
import { readPublished } from './presets/published';
import { resolveSpec } from './presets/resolve-spec';
import type { ReportContext } from './reports/to-report';
import { writeReports } from './reports/write-reports';
import { initModelFolder } from './own/init-folder';
import type { InitOutcome } from './own/init-folder';
import { createOwnModels } from './own/own-models';
import { createPresetOf, sourceOf } from './own/preset-of';
import { createSpecTools } from './spec/spec-tools';
import { ArtefactCache } from './store/artefact-cache';
import type { DeviceTurn } from './store/device-queue';
import { takeDevice } from './store/device-queue';
import { createDrafts } from './store/drafts';
import { followRuns } from './store/follow';
import { importRun } from './store/import-run';
import { acquireLease } from './store/lease';
import { JournalWriter } from './store/journal';
import type { UnreadableRun } from './store/run-store';
import { RunStore } from './store/run-store';
import { createRunTrash } from './store/run-trash';
import { readPackages } from './toolkit/packages';
import { createLocalPython } from './toolkit/local-python';
import { createToolkit } from './toolkit/toolkit';

/** Everything from outside comes in as a value: the core knows no window and no global. */
export interface CoreOptions {
  readonly home: string;
  /** The `resources` folder of the product. */
  readonly resources: string;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  /** Bundled entry of the native load generator. */
  readonly workerFile: string;
  readonly printPdf: RunServices['printPdf'];
  /** Version of the Electron that the core runs in; null without. */
  readonly electron: string | null;
  /** Tell also of runs that other processes work on. */
  readonly follow?: boolean;
}

interface ImportOutcome {
  readonly runId: string;
  /** What the file does not say, and what was not taken. */
  readonly notes: readonly string[];
}

type CoreCall = Exclude<keyof Handlers, `desktop.${string}`>;

export interface Core {
  /** Every call of the contract that needs no desktop. */
  readonly handlers: Pick<Handlers, CoreCall>;
  readonly loadTools: Readonly<Record<LoadToolId, LoadTool>>;
  subscribe(listener: (event: CoreEvent) => void): () => void;
  presets(): readonly Preset[];
  resolveSpec(preset: string, overrides: Readonly<Record<string, unknown>>): RunSpec;
  /** The same also for an own model, whose choice holds what was read of it. */
  resolveChoice(choice: Choice): Promise<RunSpec>;
  /**
   * @param engine what the preflight is made for; when absent, all GPUs, or the CPU where there are none.
   * @param format what is to be served, where that is known.
   */
  machine(engine?: DockerEngineSpec, format?: Format): Promise<MachineStatus>;
  /** Pulls and builds of images. */
  readonly images: ImageWorks;
  /** Published data sets and checkpoints. */
  readonly data: DataDesk;
  /** Watches any Triton. */
  readonly monitor: Monitor;
  initModelFolder(dir: string): Promise<InitOutcome>;
  createRun(spec: RunSpec, out?: string): Promise<string>;
  /** Starts or goes on, or does `from` and all that need it again; resolves when the work has begun. */
  executeRun(runId: string, from?: StepId): Promise<{ readonly end: Promise<RunEnd> }>;
  cancelRun(runId: string): Promise<void>;
  /** Before the next level or step. Throws input-invalid when nobody works on the run. */
  pauseRun(runId: string): Promise<void>;
  /** Waits until no run measures where the server at this URL is, and keeps the runs waiting until the release. */
  takeDevice(
    url: string,
    turn: Pick<DeviceTurn, 'what' | 'signal' | 'onWaiting'>,
  ): Promise<() => Promise<void>>;
  getRun(runId: string): Promise<{ readonly state: RunState; readonly dir: string }>;
  listRuns(): Promise<{
    readonly runs: readonly RunSummary[];
    readonly unreadable: readonly UnreadableRun[];
  }>;
  runDir(runId: string): Promise<string>;
  /** Path of a written report. Throws report-failed when there is none of that kind. */
  reportPath(runId: string, kind: ReportFile['kind']): Promise<string>;
  /** Writes the reports again from the journal. Throws run-busy while somebody works on the run. */
  writeReports(runId: string): Promise<readonly ReportFile[]>;
  /** Stores the figures of a file of perf_analyzer as a run. Throws input-invalid with line or field. */
  importFile(request: ImportRequest): Promise<ImportOutcome>;
  /** Ends orphans, containers that wait for `resume` too, empties cache and trash, deletes the given runs. */
  clean(runIds: readonly string[]): Promise<{
    readonly endedServers: readonly number[];
    readonly removedContainers: readonly string[];
    /** Names under /dev/shm that dead workbenches left, those removed at this start too. */
    readonly sharedMemoryFiles: readonly string[];
    readonly cacheBytes: number;
    readonly removedRuns: readonly string[];
    /** Runs of the trash that are gone for good. */
    readonly emptiedRuns: readonly string[];
  }>;
  /** Names of runs that this process works on. */
  activeRuns(): readonly string[];
  /** Cancels own runs, waits for their end and stops telling. */
  close(): Promise<void>;
}

/** How long a removed run can be brought back after the window was closed. */
const trashMs = 24 * 3600 * 1000;

/** The one core of window, CLI and tests. Sweeps what dead workbenches left before it returns. */
export async function createCore(options: CoreOptions): Promise<Core> {
  const layout = homeLayout(options.home);
  const store = new RunStore(layout.runs);
  const cache = new ArtefactCache(layout.cache);
  const trash = createRunTrash(store, layout);
  const presets = await readPresets(options.resources);
  const events = new Listeners<CoreEvent>();
  const tell = (event: CoreEvent) => {
    events.tell(event);
  };
  const now = () => new Date();
  const { env, resources } = options;
  const docker = createDockerLink({ env, instanceFile: layout.instance });
  const auths = createRegistryAuths(env);
  const images = createImageWorks({
    engine: () => docker.connect(),
    layout,
    resources,
    env,
    auths,
    tell: (work) => {
      tell({ type: 'image-work', work });
    },
  });
  const desk = createDockerDesk({ link: docker, images, buildArgs: buildArgsOf, tell, now });
  const monitor = createMonitor({
    recordings: layout.recordings,
    settingsFile: layout.monitor,
    tell,
    printPdf: options.printPdf,
    now,
  });
  const engines = createEngines({
    layout,
    env,
    resources,
    workerFile: options.workerFile,
    docker,
    prepareImage: (client, request, listener) =>
      prepareImage({ layout, resources, env, auths }, client, request, listener),
  });
  const loadTools = createLoadTools({ layout, workerFile: options.workerFile, env });
  const toolkit = createToolkit(createLocalPython({ python: layout.python, resources, env }));
  const data = createDataDesk({ root: layout.data, presets, toolkit, tell });
  const environmentOf = (engine: string): Promise<Environment> =>
    readEnvironment({ workbenchVersion: options.version, engine, env });
  const environmentFor = async (engine: RunSpec['engine']): Promise<Environment> => ({
    ...(await environmentOf(engine.kind)),
    // In containers the packages are those of the client's image, told when it is there.
    packages: engine.kind === 'docker' ? {} : await readPackages(toolkit),
  });

  const presetOf = createPresetOf(presets, resources);
  const own = createOwnModels({ trustFile: layout.trusted, toolkit, now });
  const requireTrust = async ({ model }: RunSpec) => {
    if (model.source !== undefined) await own.trust.require(model.source);
  };

  const runs = new Runs({
    store,
    cache,
    steps,
    presetOf,
    check: async (spec) => {
      await requireTrust(spec);
      await engines.check(spec);
    },
    open: async (spec, run) => {
      await requireTrust(spec);
      const place = await engines.openPlace(spec, run);
      const { engine, imageNames, prepareImages } = place;
      return {
        services: {
          toolkit: createToolkit(place.launchPython),
          engine,
          loadTools: place.loadTools,
          imageNames,
          prepareImages,
          resources,
          ...createPlanPlaces({ env, resources, link: docker }),
          printPdf: options.printPdf,
          now,
        },
        reclaim: () => place.reclaim(),
        release: () => place.release(),
      };
    },
    sweep: async (except) => {
      await engines.sweep({ all: true, except });
    },
    environmentFor: (spec) => environmentFor(spec.engine),
    takeDevice: ({ runId, spec }, signal, onWaiting) =>
      takeDevice({ root: layout.devices, device: deviceOf(spec.engine), what: runId, signal, onWaiting }),
    tell,
  });
  await engines.sweep();
  const sharedMemoryFiles = [...(await sweepSharedFiles())];
  // What cannot be deleted must not keep the window closed; `clean` says why.
  if (options.follow === true) await trash.empty(trashMs).catch(() => []);
  const stopFollowing =
    options.follow === true ? followRuns(store, (runId) => runs.isOwn(runId), tell) : () => undefined;

  const machine = (engine?: DockerEngineSpec, format?: Format): Promise<MachineStatus> =>
    readMachineStatus({
      env,
      resources,
      home: options.home,
      environment: () => environmentOf('local'),
      engines: () => engines.detect(),
      docker: () => docker.facts(),
      plan: (facts, { gpus }) =>
        preflightPlan(
          engine ?? { kind: 'docker', gpus: gpus.length > 0 ? ['all'] : [], shmSizeMiB: 1024 },
          { resources, link: docker },
          facts,
          { format: format ?? null },
        ),
    });
  const resolve: Core['resolveSpec'] = (id, overrides) =>
    resolveSpec(requirePreset(presets, id).preset, overrides);
  const presetList = () => [...presets.values()].map((loaded) => loaded.preset);

  const contextOf = async ({ spec, imported }: RunState): Promise<ReportContext> =>
    imported === null
      ? reportContext(await presetOf(spec.model), spec, { resources, now: now() })
      : { generatedAt: now().toISOString(), modelTitle: spec.model.preset };
  const writeReportsOf = async (runId: string): Promise<readonly ReportFile[]> => {
    const { state, folder } = await store.load(runId);
    const release = await acquireLease(folder.dir);
    try {
      const files = await writeReports({
        state,
        context: await contextOf(state),
        dir: folder.results,
        signal: new AbortController().signal,
        printPdf: options.printPdf,
      });
      const { writer } = await JournalWriter.open(folder.journal);
      await writer.append({ type: 'report', files: [...files] });
      await writer.close();
      events.tell({ type: 'runs-changed' });
      return files;
    } finally {
      await release();
    }
  };
  const importFile = async (request: ImportRequest): Promise<ImportOutcome> => {
    const capture = await readCapture(request);
    const runId = await importRun(store, capture, options.version);
    tell({ type: 'runs-changed' });
    const { notes } = capture.source;
    try {
      await writeReportsOf(runId);
      return { runId, notes };
    } catch (error) {
      // The figures are kept; the report can be written again.
      return { runId, notes: [...notes, `The report could not be written: ${toWire(error).message}`] };
    }
  };

  const core: Core = {
    handlers: {
      'app.info': () =>
        Promise.resolve({ version: options.version, home: options.home, electron: options.electron }),
      'machine.get': () => machine(),
      'machine.gpus': () => readGpus(env),
      ...desk.handlers,
      ...monitor.handlers,
      ...data.handlers,
      'docker.login': (login) => {
        auths.login(login);
        return Promise.resolve({ kept: false });
      },
      'presets.list': () => Promise.resolve(presetList()),
      'presets.published': async ({ preset }) =>
        presets.has(preset) ? readPublished(resources, preset) : null,
      'presets.resolve': (input) => Promise.resolve().then(() => resolve(input.preset, input.overrides)),
      ...createSpecTools({
        presets,
        places: { layout, resources, workerFile: options.workerFile },
      }),
      ...own.handlers,
      'runs.import': importFile,
      ...createRunsDesk({ runs, store, trash, drafts: createDrafts(layout.drafts), tell }).handlers,
    },
    loadTools,
    subscribe: (listener) => events.add(listener),
    presets: presetList,
    resolveSpec: resolve,
    resolveChoice: async ({ preset, overrides }) => {
      const loaded = await presetOf({ preset, source: sourceOf(overrides['model']) });
      return resolveSpec(loaded.preset, overrides);
    },
    machine,
    initModelFolder: (dir) => initModelFolder(dir, resources),
    createRun: (spec, out) => runs.create(spec, out),
    executeRun: (runId, from) => runs.execute(runId, from),
    cancelRun: (runId) => runs.cancel(runId),
    pauseRun: (runId) => runs.pause(runId),
    takeDevice: (url, turn) => takeDevice({ root: layout.devices, device: deviceOfUrl(url), ...turn }),
    getRun: async (runId) => {
      const { state, folder } = await store.load(runId);
      return { state, dir: folder.dir };
    },
    listRuns: () => store.list(),
    runDir: async (runId) => (await store.folderOf(runId)).dir,
    reportPath: async (runId, kind) => {
      const { state } = await store.load(runId);
      const file = state.reports.find((report) => report.kind === kind);
      if (file === undefined) throw new WorkbenchError('report-failed', `This run has no ${kind} report yet`);
      return file.path;
    },
    writeReports: writeReportsOf,
    importFile,
    clean: async (runIds) => {
      const { ended, removedContainers } = await engines.sweep({ all: true });
      sharedMemoryFiles.push(...(await sweepSharedFiles()));
      for (const runId of runIds) await store.remove(runId);
      if (runIds.length > 0) events.tell({ type: 'runs-changed' });
      const emptiedRuns = await trash.empty(0);
      const cacheBytes = await cache.clear();
      return {
        endedServers: ended,
        removedContainers,
        sharedMemoryFiles: sharedMemoryFiles.splice(0),
        cacheBytes,
        removedRuns: runIds,
        emptiedRuns,
      };
    },
    images,
    data,
    monitor,
    activeRuns: () => runs.ids(),
    close: async () => {
      stopFollowing();
      await runs.close();
      await desk.close();
      await data.close();
      await monitor.close();
    },
  };
  return core;
}
