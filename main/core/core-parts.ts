import { dirname, join } from 'node:path';
import type { CoreEvent } from '../contract/api';
import type { LoadTool as LoadToolId } from '../contract/run/run-spec';
import { createDataCalls, type DataCalls } from '../data/data-calls';
import { createDockerLink, type DockerLink } from '../docker/docker-link';
import { createKnownImages } from '../docker/images/known-images';
import { createImageWorks, type ImageWorks, prepareImage } from '../docker/images/prepare-image';
import { createRegistryAuths, type RegistryAuths } from '../docker/images/registry';
import { createHostReach, type HostReach } from '../engine/docker-over-ssh/host-reach';
import { createSchedulers, ownJobOf } from '../engine/engine-registry';
import { createEngines, type Engines } from '../engine/engines';
import type { JobScheduler, OwnJob } from '../engine/job';
import { createJobSchedulers } from '../engine/job-schedulers';
import { createSettingsStore, type SettingsStore, withProxy } from '../home/settings-store';
import { createHosts, type Hosts } from '../hosts/hosts';
import { ngcRegistry } from '../machine/releases';
import { createMonitor, type Monitor } from '../monitor/monitor';
import { createHub, type Hub } from '../own/huggingface/hub';
import { hubVariables } from '../own/huggingface/hub-variables';
import { createOwnModels, type OwnModels } from '../own/open-model';
import { createPresetOf, type PresetOf } from '../own/own-preset';
import type { LoadTool } from '../perf/load-tool';
import { createLoadTools } from '../perf/load-tools';
import type { RunServices } from '../pipeline/step';
import { Listeners } from '../platform/abort';
import { type HomeLayout, homeLayout } from '../platform/layout';
import { readPrebuiltPresets } from '../presets/prebuilt-presets';
import { createPresets, type Presets } from '../presets/presets';
import { createPythonOnDemand, createSetup } from '../setup/setup';
import { type Approvals, createApprovals } from '../store/approvals';
import { ArtefactCache } from '../store/artefact-cache';
import { RunKey } from '../store/run-key';
import { RunStore } from '../store/run-store';
import { createRunTrash, type RunTrash } from '../store/run-trash';
import { createLocalPython } from '../toolkit/local-python';
import { createToolkit, type EnsurePython, type Toolkit } from '../toolkit/toolkit';
import { createReaders, type ReaderService } from './readers';
import { createToolCalls, type ToolCalls } from './tool-calls';

/** Values from outside: the core depends on no window and no global. */
export interface CoreOptions {
  readonly home: string;
  /** The `resources` folder of the product. */
  readonly resources: string;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  /** Bundled entry of the built-in load generator. */
  readonly workerFile: string;
  /** Bundled entry of the reader process. */
  readonly readerFile: string;
  readonly printPdf: RunServices['printPdf'];
  /** Version of the Electron that the core runs in; null without. */
  readonly electron: string | null;
  /** Also emit events of runs that other processes execute. */
  readonly follow?: boolean;
}

/** The command line of this program, with the environment that it needs. */
export const ownProgram = ({ home, workerFile, electron }: CoreOptions) => ({
  argv: [process.execPath, join(dirname(workerFile), 'cli.cjs')] as const,
  env: {
    TRITON_WORKBENCH_HOME: home,
    // Runs Electron and the packaged runtime as plain Node.
    ...(electron === null && !('electron' in process.versions) ? {} : { ELECTRON_RUN_AS_NODE: '1' }),
  },
});

export interface CoreParts {
  readonly options: CoreOptions & {
    /** NVIDIA's registry, or the mirror of the settings. */
    readonly registry: string;
  };
  readonly layout: HomeLayout;
  readonly settings: SettingsStore;
  readonly events: Listeners<CoreEvent>;
  readonly emit: (event: CoreEvent) => void;
  readonly now: () => Date;
  readonly store: RunStore;
  readonly runKey: RunKey;
  readonly trash: RunTrash;
  readonly cache: ArtefactCache;
  readonly presets: Presets;
  readonly presetOf: PresetOf;
  readonly reading: ReaderService;
  readonly toolkit: Toolkit;
  readonly own: OwnModels;
  readonly approvals: Approvals;
  readonly docker: DockerLink;
  readonly hosts: Hosts;
  readonly reach: HostReach;
  readonly auths: RegistryAuths;
  readonly images: ImageWorks;
  readonly engines: Engines;
  readonly jobs: JobScheduler;
  /** The job that this process runs in, or null. */
  readonly ownJob: OwnJob | null;
  readonly loadTools: Readonly<Record<LoadToolId, LoadTool>>;
  readonly data: DataCalls;
  /** Models of the Hugging Face hub. */
  readonly hub: Hub;
  readonly monitor: Monitor;
  /** Python with TensorFlow, installed on first use. */
  readonly tensorflowPython: EnsurePython;
  /** Python with transformers, installed on first use. */
  readonly transformersPython: EnsurePython;
  readonly tools: ToolCalls;
}

function imageWorksOf(parts: {
  readonly layout: HomeLayout;
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
  readonly auths: RegistryAuths;
  readonly docker: DockerLink;
  readonly emit: CoreParts['emit'];
}): ImageWorks {
  const { docker, emit, ...own } = parts;
  return createImageWorks({
    ...own,
    engine: () => docker.connect(),
    emit: (work) => emit({ type: 'image-work', work }),
  });
}

function toolsOf(
  given: Parameters<typeof createToolCalls>[0],
): Pick<CoreParts, 'tools' | 'tensorflowPython' | 'transformersPython'> {
  const { setup, layout } = given;
  return {
    tools: createToolCalls(given),
    tensorflowPython: createPythonOnDemand(setup, layout, 'tensorflow'),
    transformersPython: createPythonOnDemand(setup, layout, 'transformers'),
  };
}

/** What is taken from outside: consent to it, and models of the hub, whose library comes with transformers. */
function takenParts({
  options: { resources, env },
  layout,
  transformersPython: python,
  reading,
  data,
  now,
}: Pick<CoreParts, 'options' | 'layout' | 'transformersPython' | 'reading' | 'data' | 'now'>): Pick<
  CoreParts,
  'approvals' | 'hub'
> {
  const ownFolders = [layout.data, layout.pipelines, resources];
  const approvals = createApprovals({ file: layout.approved, own: ownFolders, now });
  const launch = { python, resources, env, cache: layout.cache, variables: hubVariables(env) };
  const hub = createHub({
    toolkit: createToolkit(createLocalPython(launch)),
    readers: reading.readers,
    keptFile: layout.hubModels,
    start: (key, facts, run) => data.start(key, facts, run),
    give: (path) => approvals.give(path),
    now,
  });
  return { approvals, hub };
}

/** Throws model-folder-invalid for a damaged model folder of the product. */
export async function createCoreParts(given: CoreOptions): Promise<CoreParts> {
  const { resources, workerFile, printPdf } = given;
  const layout = homeLayout(given.home);
  const presets = createPresets(resources, () => readPrebuiltPresets(dirname(workerFile), resources));
  const reading = createReaders(given.readerFile);
  const events = new Listeners<CoreEvent>();
  const emit = events.emit.bind(events);
  const now = () => new Date();
  const settings = createSettingsStore({
    file: layout.settings,
    now,
    onChange: (state) => emit({ type: 'settings-changed', state }),
  });
  const { values } = await settings.read();
  const env = withProxy(given.env, values);
  const options = { ...given, env, registry: values['network.registry'] ?? ngcRegistry };
  const runKey = new RunKey(layout.runKey);
  const hosts = createHosts({ layout, env, now });
  const schedulerOf = createSchedulers({ layout, env, hosts });
  const jobs = createJobSchedulers(schedulerOf);
  const store = new RunStore(layout.runs, runKey, jobs);
  const launch = createLocalPython({ python: layout.python, resources, env, cache: layout.cache });
  const toolkit = createToolkit(launch);
  const known = createKnownImages(layout.knownImages, now);
  const docker = createDockerLink({ env, instanceFile: layout.instance });
  const reach = createHostReach(hosts, env);
  const auths = createRegistryAuths(env);
  const data = createDataCalls({ root: layout.data, presets, toolkit, emit });
  const setup = createSetup({ layout, resources, env });
  const tools = toolsOf({ layout, setup, emit });
  return {
    options,
    layout,
    settings,
    events,
    emit,
    now,
    store,
    runKey,
    trash: createRunTrash(store, layout),
    cache: new ArtefactCache(layout.cache),
    presets,
    presetOf: createPresetOf(presets, resources, reading.readers),
    reading,
    toolkit,
    own: createOwnModels({ trustFile: layout.trusted, toolkit, readers: reading.readers, now }),
    docker,
    hosts,
    reach,
    auths,
    images: imageWorksOf({ layout, resources, env, auths, docker, emit }),
    jobs,
    ownJob: ownJobOf(env),
    engines: createEngines({
      layout,
      schedulerOf,
      env,
      resources,
      registry: options.registry,
      workerFile,
      docker,
      hosts,
      setup,
      prepareImage: (client, request, listener) =>
        prepareImage({ layout, resources, env, auths, known }, client, request, listener),
    }),
    loadTools: createLoadTools({ layout, workerFile, env }),
    ...tools,
    ...takenParts({ ...tools, options, layout, reading, data, now }),
    data,
    monitor: createMonitor({
      recordings: layout.recordings,
      settingsFile: layout.monitor,
      emit,
      printPdf,
      now,
      reach,
    }),
  };
}
