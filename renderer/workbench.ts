import { createContext, useContext } from 'react';
import type { Client } from './client';
import { createBaselines } from './stores/baselines';
import { createClosing } from './stores/closing';
import { createComparedRuns } from './stores/compared-runs';
import { createDocker } from './stores/docker';
import { createDataSources } from './stores/draft/data-sources';
import { createDraft } from './stores/draft/draft';
import { newDraftOf } from './stores/draft/draft-session';
import { createFormView } from './stores/draft/form-view';
import { createHubModel } from './stores/draft/hub-model';
import { createOwnModel } from './stores/draft/own-model';
import { createPipelineChoice } from './stores/draft/pipeline-choice';
import { createRepository } from './stores/draft/repository';
import { createStartCheck } from './stores/draft/start-check';
import { createGpuReadings } from './stores/gpu-load';
import { createHelp } from './stores/help';
import { createHosts } from './stores/hosts';
import { createImageWorks } from './stores/image-works';
import { createContainerLog } from './stores/logs/container-log';
import { createStepLog } from './stores/logs/step-log';
import { createMonitorStore } from './stores/monitor';
import { createOpenRun } from './stores/open-run';
import { createOverlay } from './stores/overlay';
import { createResource } from './stores/resource';
import { createRoute } from './stores/route';
import { createRunFilter, createRunList, createSelection } from './stores/run-list';
import { createSeenFailures } from './stores/seen-failures';
import { createSeenVersion } from './stores/seen-version';
import { createSettings, settingsOf } from './stores/settings';
import { createTools } from './stores/tools';

export function createWorkbench(client: Client, storage: Storage) {
  const settings = createSettings(client);
  const draft = createDraft(client, () => newDraftOf(settingsOf(settings.getState())));
  const ownModel = createOwnModel(client, draft);
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
    studies: createResource(() => client.call('studies.list')),
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
    seenVersion: createSeenVersion(storage),
    compared: createComparedRuns(client),
    comparisons: createResource(() => client.call('comparisons.list')),
    baselines: createBaselines(client, storage),
    draft,
    formView: createFormView(storage),
    ownModel,
    hubModel: createHubModel(client, ownModel),
    pipelineChoice: createPipelineChoice(client, ownModel),
    repository: createRepository(client),
    dataSources: createDataSources(client, draft),
    tools: createTools(client, machine),
    startCheck: createStartCheck(client, draft, machine),
    route: createRoute(storage),
    closing: createClosing(),
    overlay: createOverlay(),
    help: createHelp(storage),
    documents: createResource(() => client.call('support.documents')),
    settings,
    storage: createResource(() => client.call('home.storage')),
  };
}

export type Workbench = Readonly<ReturnType<typeof createWorkbench>>;

const context = createContext<Workbench | null>(null);
export const WorkbenchProvider = context.Provider;

export function useWorkbench(): Workbench {
  const workbench = useContext(context);
  if (workbench === null) throw new Error('useWorkbench is used outside its provider');
  return workbench;
}
