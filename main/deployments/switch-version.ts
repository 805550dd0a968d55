import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { DeployedVersion } from '../contract/deployment/deployment';
import type { DeploymentVersion } from '../contract/deployment/deployment-change';
import type { DeploymentServer } from '../engine/engine';
import type { ModelConfig } from '../triton/model-config';
import { leftModels, readConfig, removeModel, removeVersion, writeConfig } from './deployable-run';
import type { DeploymentFolder, StoredDeployment } from './deployment-store';
import { clientOf } from './observe';
import { checkVersion } from './version-check';

const loadLimitMs = 300_000;

export const keptConfig = (
  folder: DeploymentFolder,
  { model, version }: Pick<DeploymentVersion, 'model' | 'version'>,
): Promise<ModelConfig> => readConfig(join(folder.kept(model, version), 'config.pbtxt'));

interface Versions {
  readonly to: DeploymentVersion;
  /** null: new model. */
  readonly from: DeployedVersion | null;
}

interface VersionSwitch extends Versions {
  /** Journals the switch; if it fails, the previous version is restored. */
  readonly commit: () => Promise<StoredDeployment>;
}

/** Best effort. */
async function serveBefore(
  { deployment, folder }: StoredDeployment,
  server: DeploymentServer,
  { to, from }: Versions,
): Promise<void> {
  const client = await clientOf(deployment, server);
  if (from === null) {
    await client.unloadModel(to.model).catch(() => undefined);
    return;
  }
  await keptConfig(folder, from)
    .then((before) => writeConfig(folder, before))
    .catch(() => undefined);
  await server.sync(deployment, folder).catch(() => undefined);
  await client.loadModel(from.model, { timeoutMs: loadLimitMs }).catch(() => undefined);
}

/** Triton loads the new version, switches between requests, and unloads the old one. */
export async function switchVersion(
  stored: StoredDeployment,
  server: DeploymentServer,
  { to, from, commit }: VersionSwitch,
): Promise<StoredDeployment> {
  const { deployment, folder } = stored;
  const client = await clientOf(deployment, server);
  const config = await keptConfig(folder, to);
  try {
    await writeConfig(folder, config);
    await server.sync(deployment, folder);
    await client.loadModel(to.model, { timeoutMs: loadLimitMs });
    const kept = folder.kept(to.model, to.version);
    await checkVersion({ client, model: to.model, version: to.version, config, kept, load: false });
    return await commit();
  } catch (error) {
    await serveBefore(stored, server, { to, from });
    throw error;
  }
}

/** Removes a new version or model with its candidate. */
export async function dropVersion(
  stored: StoredDeployment,
  server: DeploymentServer,
  { model, version }: DeploymentVersion,
): Promise<void> {
  const { deployment, folder } = stored;
  const known = deployment.models[model];
  await removeLeftModels(stored, server).catch(() => undefined);
  if (known === undefined) await removeModel(folder, model);
  else if (version !== known.active.version && version !== known.previous?.version) {
    await removeVersion(folder, model, version);
  }
  await server.sync(deployment, folder).catch(() => undefined);
}

/** Whether Triton's configuration already names the version, so that nothing was switched. */
async function isConfigured(folder: DeploymentFolder, version: DeployedVersion): Promise<boolean> {
  const [there, kept] = await Promise.all([
    readConfig(join(folder.repository, version.model, 'config.pbtxt')).catch(() => null),
    keptConfig(folder, version).catch(() => null),
  ]);
  return isDeepStrictEqual(there?.versionPolicy, kept?.versionPolicy);
}

/** After a killed switch: restores the previous version, and removes the new one. */
export async function undoSwitch(
  stored: StoredDeployment,
  server: DeploymentServer,
  { to, from }: Versions,
): Promise<void> {
  if (from === null || !(await isConfigured(stored.folder, from))) {
    await serveBefore(stored, server, { to, from });
  }
  await dropVersion(stored, server, to);
}

/** Removes remains of an interrupted update, except the model being added. */
export async function removeLeftModels(
  { deployment, folder }: StoredDeployment,
  server: DeploymentServer,
  added?: string,
): Promise<void> {
  for (const name of await leftModels(folder, deployment.models)) {
    if (name === added) continue;
    await clientOf(deployment, server)
      .then((client) => client.unloadModel(name))
      .catch(() => undefined);
    await removeModel(folder, name);
  }
}
