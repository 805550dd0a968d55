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

/** Who keeps it cannot be asked at present: what became of the change is found another time. */
const isAway = (error: unknown): boolean =>
  ['host-unreachable', 'docker-unreachable', 'cancelled'].includes(toWire(error).code);

/** The version that a change was to serve, if it answers as its run did; null: it does not, or nothing answers. */
async function answering(
  stored: StoredDeployment,
  tritons: DeploymentTritons,
  to: NonNullable<DeploymentChange['to']>,
): Promise<DeployedVersion | null> {
  const { folder, deployment } = stored;
  // Who cannot look throws here: no version is given up for that.
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
      // Of a restart it may have been stopped, and started again, already.
      await tritons.serve(
        change.what === 'restart' && deployment.wanted ? await tritons.stop(stored) : stored,
      );
  }
  await store.append(folder, { type: 'change-recovered', outcome: 'completed' });
}

/**
 * Makes a change to its end whose process was killed, or undoes it: a version that answers as its run did is served, any other
 * is undone. The deployment must be held. Throws docker-unreachable, host-unreachable, and what a start throws.
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
