import { createContext, useContext } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import type { AppInfo, RunSummary } from '../main/contract/api';
import type { DeploymentInfo } from '../main/contract/deployment';
import type { ContainerStats, ImageInfo } from '../main/contract/docker';
import type { MachineStatus } from '../main/contract/machine';
import type { Preset } from '../main/contract/run/preset';
import type { StorageReport } from '../main/contract/settings/storage';
import type { Client } from './client';
import { type Baselines, createBaselines } from './stores/baselines';
import { type Closing, createClosing } from './stores/closing';
import { type ComparedRuns, createComparedRuns } from './stores/compared-runs';
import { createDocker, type Docker } from './stores/docker';
import { createDataSources, type DataSources } from './stores/draft/data-sources';
import { createDraft, type DraftState } from './stores/draft/draft';
import { newDraftOf } from './stores/draft/draft-session';
import { createFormView, type FormView } from './stores/draft/form-view';
import { createOwnModel, type OwnModel } from './stores/draft/own-model';
import { createStartCheck, type StartCheck } from './stores/draft/start-check';
import { createGpuReadings, type GpuReadings } from './stores/gpu-load';
import { createHosts, type Hosts } from './stores/hosts';
import { createImageWorks, type ImageWorks } from './stores/image-works';
import { type ContainerLog, createContainerLog } from './stores/logs/container-log';
import { createStepLog, type StepLog } from './stores/logs/step-log';
import { createMonitorStore, type Monitor } from './stores/monitor';
import { createOpenRun, type OpenRun } from './stores/open-run';
import { createOverlay, type Overlay } from './stores/overlay';
import { createResource, type Resource } from './stores/resource';
import { createRoute, type RouteState } from './stores/route';
import { createRunFilter, type RunFilter } from './stores/run-filter';
import { createRunList, type RowsToCome } from './stores/run-list';
import { createSeenFailures, type SeenFailures } from './stores/seen-failures';
import { createSelection, type Selection } from './stores/selection';
import { createSettings, settingsOf, type SettingsStore } from './stores/settings';
import { createTools, type Tools } from './stores/tools';

/** Everything that the pages share: one store a resource, over one client. */
export interface Workbench {
  readonly client: Client;
  readonly app: StoreApi<Resource<AppInfo>>;
  readonly machine: StoreApi<Resource<MachineStatus>>;
  /** Once a second while the Environment page is shown. */
  readonly gpus: StoreApi<GpuReadings>;
  readonly docker: StoreApi<Docker>;
  /** Once a second while the Containers page is shown. */
  readonly containerStats: StoreApi<Resource<readonly ContainerStats[]>>;
  readonly containerLog: StoreApi<ContainerLog>;
  readonly deployments: StoreApi<Resource<readonly DeploymentInfo[]>>;
  readonly hosts: StoreApi<Hosts>;
  readonly monitor: StoreApi<Monitor>;
  readonly images: StoreApi<Resource<readonly ImageInfo[]>>;
  readonly imageWorks: StoreApi<ImageWorks>;
  readonly presets: StoreApi<Resource<readonly Preset[]>>;
  readonly runs: StoreApi<Resource<readonly RunSummary[]>>;
  readonly rowsToCome: StoreApi<RowsToCome>;
  readonly run: StoreApi<OpenRun>;
  readonly log: StoreApi<StepLog>;
  /** Runs ticked in the list. */
  readonly selection: StoreApi<Selection>;
  readonly runFilter: StoreApi<RunFilter>;
  readonly seenFailures: StoreApi<SeenFailures>;
  readonly compared: StoreApi<ComparedRuns>;
  readonly baselines: StoreApi<Baselines>;
  readonly draft: StoreApi<DraftState>;
  readonly formView: StoreApi<FormView>;
  readonly ownModel: StoreApi<OwnModel>;
  readonly dataSources: StoreApi<DataSources>;
  readonly tools: StoreApi<Tools>;
  /** What keeps the draft from being started now. */
  readonly startCheck: StoreApi<StartCheck>;
  readonly route: StoreApi<RouteState>;
  readonly closing: StoreApi<Closing>;
  readonly overlay: StoreApi<Overlay>;
  readonly settings: StoreApi<SettingsStore>;
  /** Sizes of the home, while the Settings page is shown. */
  readonly storage: StoreApi<Resource<StorageReport>>;
}

export function createWorkbench(client: Client, storage: Storage): Workbench {
  const settings = createSettings(client);
  const draft = createDraft(client, () => newDraftOf(settingsOf(settings.getState())));
  const machine = createResource(() => client.call('machine.get'));
  return {
    client,
    app: createResource(() => client.call('app.info')),
    machine,
    gpus: createGpuReadings(client),
    docker: createDocker(client),
    containerStats: createResource(() => client.call('docker.stats')),
    containerLog: createContainerLog(client),
    deployments: createResource(() => client.call('deployments.list')),
    hosts: createHosts(client),
    monitor: createMonitorStore(client),
    images: createResource(() => client.call('docker.images')),
    imageWorks: createImageWorks(client),
    presets: createResource(() => client.call('presets.list')),
    ...createRunList(client),
    run: createOpenRun(client),
    log: createStepLog(client),
    selection: createSelection(),
    runFilter: createRunFilter(),
    seenFailures: createSeenFailures(storage),
    compared: createComparedRuns(client),
    baselines: createBaselines(client, storage),
    draft,
    formView: createFormView(storage),
    ownModel: createOwnModel(client, draft),
    dataSources: createDataSources(client, draft),
    tools: createTools(client, machine),
    startCheck: createStartCheck(client, draft, machine),
    route: createRoute(storage),
    closing: createClosing(),
    overlay: createOverlay(),
    settings,
    storage: createResource(() => client.call('home.storage')),
  };
}

const context = createContext<Workbench | null>(null);
export const WorkbenchProvider = context.Provider;

export function useWorkbench(): Workbench {
  const workbench = useContext(context);
  if (workbench === null) throw new Error('useWorkbench is used outside its provider');
  return workbench;
}
