import { createContext, useContext } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import type { AppInfo, MachineStatus, RunSummary } from '../main/contract/api';
import type { Preset } from '../main/contract/preset';
import type { Client } from './client';
import type { Closing } from './stores/closing';
import { createClosing } from './stores/closing';
import type { Draft } from './stores/draft';
import { createDraft } from './stores/draft';
import type { OpenRun } from './stores/open-run';
import { createOpenRun } from './stores/open-run';
import type { Resource } from './stores/resource';
import { createResource } from './stores/resource';
import type { RouteState } from './stores/route';
import { createRoute } from './stores/route';
import type { StepLog } from './stores/step-log';
import { createStepLog } from './stores/step-log';

/** Everything that the pages share: one store a resource, over one client. */
export interface Workbench {
  readonly client: Client;
  readonly app: StoreApi<Resource<AppInfo>>;
  readonly machine: StoreApi<Resource<MachineStatus>>;
  readonly presets: StoreApi<Resource<readonly Preset[]>>;
  readonly runs: StoreApi<Resource<readonly RunSummary[]>>;
  readonly run: StoreApi<OpenRun>;
  readonly log: StoreApi<StepLog>;
  readonly draft: StoreApi<Draft>;
  readonly route: StoreApi<RouteState>;
  readonly closing: StoreApi<Closing>;
}

export function createWorkbench(client: Client, storage: Storage): Workbench {
  return {
    client,
    app: createResource(() => client.call('app.info')),
    machine: createResource(() => client.call('machine.get')),
    presets: createResource(() => client.call('presets.list')),
    runs: createResource(() => client.call('runs.list')),
    run: createOpenRun(client),
    log: createStepLog(client),
    draft: createDraft(client, storage),
    route: createRoute(storage),
    closing: createClosing(),
  };
}

const context = createContext<Workbench | null>(null);
export const WorkbenchProvider = context.Provider;

export function useWorkbench(): Workbench {
  const workbench = useContext(context);
  if (workbench === null) throw new Error('useWorkbench is used outside its provider');
  return workbench;
}
