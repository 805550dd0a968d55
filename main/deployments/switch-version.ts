import { join } from 'node:path';
import type { DeployedVersion } from '../contract/deployment';
import type { DeploymentServer } from '../engine/engine';
import type { ModelConfig } from '../triton/model-config';
import { leftModels, readConfig, removeModel, writeConfig } from './deployable-run';
import type { DeploymentFolder, StoredDeployment } from './deployment-store';
import { clientOf } from './observe';
import { checkVersion } from './version-check';

const loadLimitMs = 300_000;

/** The configuration under which a version is served. */
export const keptConfig = (
  folder: DeploymentFolder,
  { model, version }: DeployedVersion,
): Promise<ModelConfig> => readConfig(join(folder.kept(model, version), 'config.pbtxt'));

interface VersionSwitch {
  readonly to: DeployedVersion;
  /** null: the model is new. */
  readonly from: DeployedVersion | null;
  /** Journals it; where that fails, the version before is served again. */
  readonly commit: () => Promise<StoredDeployment>;
}

/** Triton loads the other version, hands over between two requests, and lets go of the one before. */
export async function switchVersion(
  { deployment, folder }: StoredDeployment,
  server: DeploymentServer,
  { to, from, commit }: VersionSwitch,
): Promise<StoredDeployment> {
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
    if (from === null) await client.unloadModel(to.model).catch(() => undefined);
    else {
      await keptConfig(folder, from)
        .then((before) => writeConfig(folder, before))
        .catch(() => undefined);
      await server.sync(deployment, folder).catch(() => undefined);
      await client.loadModel(from.model, { timeoutMs: loadLimitMs }).catch(() => undefined);
    }
    throw error;
  }
}

/** What an update left that did not come to its end; all but the new model that is being added. */
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
