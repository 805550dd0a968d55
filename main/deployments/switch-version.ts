import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { DeployedVersion } from '../contract/deployment/deployment';
import { type DeploymentVersion, tritonVersionOf } from '../contract/deployment/deployment-change';
import type { DeploymentServer } from '../engine/engine';
import type { TritonClient } from '../triton/client';
import type { ModelConfig } from '../triton/model-config';
import { leftModels, readConfig, removeModel, removeVersion, writeConfig } from './deployable-run';
import { isOfRepository, isPlaced, linkRepository } from './deployed-repository';
import type { DeploymentFolder, StoredDeployment } from './deployment-store';
import { clientOf, grpcAddressOf } from './observe';
import { checkVersion } from './version-check';

const loadLimitMs = 300_000;

export const keptConfig = (
  folder: DeploymentFolder,
  { model, version }: Pick<DeploymentVersion, 'model' | 'version'>,
): Promise<ModelConfig> => readConfig(join(folder.kept(model, version), 'config.pbtxt'));

/** Makes it the one that Triton loads. */
export async function placeVersion(folder: DeploymentFolder, version: DeploymentVersion): Promise<void> {
  if (!isOfRepository(version)) await writeConfig(folder, await keptConfig(folder, version));
  else if (!(await isPlaced(folder, version))) await linkRepository(folder, version, folder.repository);
}

/** The models of an ensemble are loaded with it. Throws model-load-failed. */
export async function loadVersion(
  client: TritonClient,
  { model, repository }: DeploymentVersion,
): Promise<void> {
  for (const name of [...(repository?.with ?? []), model]) {
    await client.loadModel(name, { timeoutMs: loadLimitMs });
  }
}

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
  await placeVersion(folder, from).catch(() => undefined);
  await server.sync(deployment, folder).catch(() => undefined);
  await loadVersion(client, from).catch(() => undefined);
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
    await placeVersion(folder, to);
    await server.sync(deployment, folder);
    await loadVersion(client, to);
    await checkVersion({
      ...{ client, model: to.model, version: to.version, tritonVersion: tritonVersionOf(to), config },
      ...{ kept: folder.kept(to.model, to.version), load: false },
      grpcAddress: await grpcAddressOf(deployment, server),
    });
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
  dropped: DeploymentVersion,
): Promise<void> {
  const { model, version } = dropped;
  const { deployment, folder } = stored;
  const known = deployment.models[model];
  await removeLeftModels(stored, server).catch(() => undefined);
  if (known === undefined) await removeModel(folder, model);
  else if (version !== known.active.version && version !== known.previous?.version) {
    await removeVersion(folder, dropped);
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
  // Files of a repository say nothing of what is loaded.
  if (from === null || isOfRepository(from) || !(await isConfigured(stored.folder, from))) {
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
