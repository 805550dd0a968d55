import type { Handlers } from '../contract/api';
import { deployableRun } from '../deployments/deployable-run';
import { DeploymentStore } from '../deployments/deployment-store';
import { Deployments } from '../deployments/deployments';
import { createDeploymentContainers } from '../engine/docker/deployment-container';
import { createDetachedServers } from '../engine/local/detached-server';
import { readJournal } from '../store/journal';
import type { CoreParts } from './core-parts';

type DeploymentCall = Extract<keyof Handlers, `deployments.${string}`>;

/** Models that are kept serving, on the engines that the workbench starts Triton on. */
export function createDeploymentCalls(parts: CoreParts): Pick<Handlers, DeploymentCall> {
  const { layout, docker, store, emit, now } = parts;
  const deployments = new Deployments({
    store: new DeploymentStore(layout.deployments),
    servers: {
      local: createDetachedServers(layout, parts.options.env),
      docker: createDeploymentContainers(docker),
    },
    runOf: async (runId, allowUnverified) => {
      const run = await store.load(runId);
      const manifests = await store.manifestsOf(await readJournal(run.folder.journal), runId);
      return deployableRun(run, manifests, allowUnverified);
    },
    onChange: (id, work) => {
      emit({ type: 'deployments-changed', id, work });
    },
    now,
  });
  return {
    'deployments.list': () => deployments.list(),
    'deployments.show': ({ id }) => deployments.show(id),
    'deployments.deploy': (request) => deployments.deploy(request),
    'deployments.rollback': ({ id, model }) => deployments.rollback(id, model),
    'deployments.start': ({ id }) => deployments.start(id),
    'deployments.stop': ({ id }) => deployments.stop(id),
    'deployments.restart': ({ id }) => deployments.restart(id),
    'deployments.remove': async ({ id, force }) => {
      await deployments.remove(id, force);
      return null;
    },
    'deployments.log': ({ id, limit }) => deployments.log(id, limit),
  };
}
