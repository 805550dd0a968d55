import type { DeploymentEngine } from '../contract/deployment/deployment';
import { tritonVersionOf } from '../contract/deployment/deployment-change';
import { toWire } from '../contract/errors';
import { sameValue } from '../contract/trees';
import type { DeploymentStore, StoredDeployment } from './deployment-store';
import type { DeploymentTritons } from './deployment-tritons';
import { grpcAddressOf } from './observe';
import { keptConfig } from './switch-version';
import { checkVersion } from './version-check';

export interface MoveParts {
  readonly store: DeploymentStore;
  readonly tritons: DeploymentTritons;
}

/** The engine is unreachable; recovery is tried later. */
export const isAway = (error: unknown): boolean =>
  ['host-unreachable', 'docker-unreachable', 'cancelled'].includes(toWire(error).code);

/** Starts it where it is not running, and asks every model for what its run answered. Throws as `checkVersion`. */
async function servedAsBefore(stored: StoredDeployment, { tritons }: MoveParts): Promise<StoredDeployment> {
  const started = await tritons.start(stored);
  await tritons.untilAnswering(started);
  const { deployment, folder } = started;
  const client = await tritons.clientOf(started);
  const grpcAddress = await grpcAddressOf(deployment, tritons.serverOf(started));
  for (const { active } of Object.values(deployment.models)) {
    const { model, version } = active;
    await checkVersion({
      ...{ client, model, version, tritonVersion: tritonVersionOf(active), grpcAddress },
      ...{ config: await keptConfig(folder, active), kept: folder.kept(model, version), load: false },
    });
  }
  return started;
}

/** As it was served before; a failure is seen in its state. */
async function backTo(
  stored: StoredDeployment,
  engine: DeploymentEngine,
  { store, tritons }: MoveParts,
): Promise<void> {
  await tritons.stop(stored).catch(() => undefined);
  const back = await store.append(stored.folder, { type: 'engine-changed', engine });
  await tritons
    .start(back)
    .then((started) => tritons.untilAnswering(started))
    .catch(() => undefined);
}

/**
 * Serves with the engine of the change that was begun; where a model does not answer there as its run did, with the one
 * before. Throws as starting Triton and `checkVersion`.
 */
export async function moveEngine(stored: StoredDeployment, parts: MoveParts): Promise<StoredDeployment> {
  const { store, tritons } = parts;
  const { engines } = stored.deployment.change ?? {};
  if (engines === undefined) throw new Error('No move was started');
  await tritons.stop(stored);
  const changed = await store.append(stored.folder, { type: 'engine-changed', engine: engines.to });
  try {
    await servedAsBefore(changed, parts);
  } catch (error) {
    const failed = await tritons.withLog(changed, error);
    await backTo(changed, engines.from, parts);
    throw failed;
  }
  return store.append(stored.folder, { type: 'moved' });
}

/** Completes a killed move where its models answer there, and undoes it otherwise. Throws where the engine is away. */
export async function recoverMove(stored: StoredDeployment, parts: MoveParts): Promise<void> {
  const { store } = parts;
  const { deployment, folder } = stored;
  const { engines } = deployment.change ?? {};
  const isThere = engines !== undefined && sameValue(deployment.engine, engines.to);
  const isServed = await servedAsBefore(stored, parts).then(
    () => true,
    (error: unknown) => {
      if (isAway(error)) throw error;
      return false;
    },
  );
  if (isThere && !isServed) await backTo(stored, engines.from, parts);
  await store.append(folder, {
    type: 'change-recovered',
    outcome: isThere && isServed ? 'completed' : 'undone',
  });
}
