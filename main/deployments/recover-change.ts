import type { DeployedVersion } from '../contract/deployment';
import type { DeploymentChange } from '../contract/deployment-change';
import { toWire } from '../contract/errors';
import type { DeploymentStore, StoredDeployment } from './deployment-store';
import type { DeploymentTritons } from './deployment-tritons';
import { keptConfig, removeLeftModels, undoSwitch } from './switch-version';
import { checkVersion } from './version-check';

interface RecoverParts {
  readonly store: DeploymentStore;
  readonly tritons: DeploymentTritons;
}

/** The engine is unreachable; recovery is tried later. */
const isAway = (error: unknown): boolean =>
  ['host-unreachable', 'docker-unreachable', 'cancelled'].includes(toWire(error).code);

/** The change's target version, if it responds like its run; null otherwise. */
async function answering(
  stored: StoredDeployment,
  tritons: DeploymentTritons,
  to: NonNullable<DeploymentChange['to']>,
): Promise<DeployedVersion | null> {
  const { folder, deployment } = stored;
  // Throws if the state is unknown: no version is given up then.
  const { kind } = await tritons.serverOf(stored).readStatus(deployment);
  if (kind !== 'running') return null;
  try {
    await tritons.untilAnswering(stored);
    const checked = await checkVersion({
      client: await tritons.clientOf(stored),
      model: to.model,
      version: to.version,
      load: false,
      config: await keptConfig(folder, to),
      kept: folder.kept(to.model, to.version),
    });
    return { ...to, ...checked };
  } catch (error) {
    if (isAway(error)) throw error;
    return null;
  }
}

async function recoverVersion(
  stored: StoredDeployment,
  { what, to }: DeploymentChange,
  { store, tritons }: RecoverParts,
): Promise<void> {
  const { folder, deployment } = stored;
  const version = to === undefined ? null : await answering(stored, tritons, to);
  const from = deployment.models[to?.model ?? '']?.active ?? null;
  if (version === null && what === 'deploy') return tritons.remove(stored);
  if (version === null) {
    if (to !== undefined) await undoSwitch(stored, tritons.serverOf(stored), { to, from });
    await store.append(folder, { type: 'change-recovered', outcome: 'undone' });
    return;
  }
  const { model } = version;
  const after = await store.append(
    folder,
    what === 'rollback'
      ? { type: 'rolled-back', model, to: version.version, from: from?.version ?? 0 }
      : { type: 'version-served', version },
    { type: 'change-recovered', outcome: 'completed' },
  );
  await removeLeftModels(after, tritons.serverOf(after));
  await tritons.tidy(after);
}

async function recover(
  stored: StoredDeployment,
  change: DeploymentChange,
  parts: RecoverParts,
): Promise<void> {
  const { store, tritons } = parts;
  const { folder, deployment } = stored;
  switch (change.what) {
    case 'deploy':
    case 'update':
    case 'rollback':
      return recoverVersion(stored, change, parts);
    case 'remove':
      return tritons.remove(stored);
    case 'stop':
      await tritons.stop(stored);
      break;
    case 'start':
    case 'restart':
      // A restart may have stopped and started it already.
      await tritons.serve(
        change.what === 'restart' && deployment.wanted ? await tritons.stop(stored) : stored,
      );
  }
  await store.append(folder, { type: 'change-recovered', outcome: 'completed' });
}

/**
 * Completes a killed change if the target version responds like its run; undoes it otherwise. Requires the lease.
 * Throws docker-unreachable, host-unreachable, and errors of a start.
 */
export async function recoverChange(stored: StoredDeployment, parts: RecoverParts): Promise<void> {
  const { change } = stored.deployment;
  if (change?.outcome !== null) return;
  try {
    await recover(stored, change, parts);
  } catch (error) {
    if (isAway(error)) throw error;
    await parts.store.append(stored.folder, {
      type: 'change-recovered',
      outcome: 'failed',
      problem: toWire(error).message,
    });
    throw error;
  }
}
