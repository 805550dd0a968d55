import { writeBundle } from '../bundle/bundle';
import { type BundleImage } from '../bundle/manifests';
import type { Handlers } from '../contract/api';
import type { DeploymentEngine } from '../contract/deployment';
import type { RunState } from '../contract/run/run-state';
import { metricTitlesOf } from '../contract/words';
import { deployableRun } from '../deployments/deployable-run';
import { DeploymentStore } from '../deployments/deployment-store';
import { Deployments } from '../deployments/deployments';
import { requireServable } from '../deployments/placement';
import { readImageRecipe } from '../docker/images/image-recipe';
import { createDeploymentContainers } from '../engine/docker/deployment-container';
import { imageRelease, readImageRelease } from '../engine/docker/triton-command';
import { createDetachedServers } from '../engine/local/detached-server';
import { readJournal } from '../store/journal';
import type { CoreParts } from './core-parts';

type DeploymentCall = Extract<keyof Handlers, `deployments.${string}` | 'runs.bundle'>;

/** The image that a run was served on, else the one with the same Triton that is built here. */
async function bundleImage(
  { docker, options }: CoreParts,
  engine: DeploymentEngine,
  { environment }: RunState,
): Promise<BundleImage> {
  if (engine.kind === 'local') {
    const args: Readonly<Record<string, string>> = engine.framework === 'tf' ? { FRAMEWORK: 'tf' } : {};
    const { reference } = await readImageRecipe(options.resources, 'triton-cpu', args);
    return { reference, builtHere: true, release: null };
  }
  const { image, imageId, builtHere } = engine;
  const digest = environment.images.find(({ id }) => id === imageId)?.digest ?? null;
  // An engine that is not there, or has let go of the image, leaves what the name says.
  const release = await docker
    .connect()
    .then((client) => readImageRelease(client, { id: imageId, reference: image }))
    .catch(() => imageRelease(null, image));
  return { reference: digest ?? image, builtHere, release: builtHere ? null : release };
}

/** Models that are kept serving, on the engines that the workbench starts Triton on. */
export function createDeploymentCalls(parts: CoreParts): Pick<Handlers, DeploymentCall> {
  const { layout, docker, hosts, reach, store, presetOf, emit, now } = parts;
  const verified = async (runId: string, allowUnverified: boolean) => {
    const loaded = await store.load(runId);
    const manifests = await store.manifestsOf(await readJournal(loaded.folder.journal), runId);
    return { state: loaded.state, run: await deployableRun(loaded, manifests, allowUnverified) };
  };
  const deployments = new Deployments({
    store: new DeploymentStore(layout.deployments),
    servers: {
      local: createDetachedServers(layout, parts.options.env),
      docker: createDeploymentContainers({ docker, hosts, reach }),
    },
    runOf: async (runId, allowUnverified) => {
      const { state, run } = await verified(runId, allowUnverified);
      requireServable(runId, state.spec.engine);
      return run;
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
    'runs.bundle': async ({ runId, out, allowUnverified }) => {
      const { state, run } = await verified(runId, allowUnverified === true);
      const { preset } = await presetOf(state.spec.model);
      const path = await writeBundle(out, {
        ...{ run, state, titles: metricTitlesOf(preset), resources: parts.options.resources },
        image: await bundleImage(parts, run.engine, state),
      });
      return { path };
    },
  };
}
