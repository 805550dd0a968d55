import { constants } from 'node:fs';
import { copyFile, link, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Deployment } from '../contract/deployment';
import { WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import { fileError } from '../platform/file-error';
import { listFiles, writeFileAtomic } from '../platform/files';
import { makeFolder } from '../platform/make-folder';
import { readPlainText, requirePlainEntry } from '../platform/plain-entry';
import { formatConfigPbtxt, parseConfigPbtxt } from '../triton/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import type { DeploymentFolder } from './deployment-store';

const candidateMark = '--candidate';

/** The name under which a new version is tried out beside the one that serves. */
export const candidateOf = (model: string): string => `${model}${candidateMark}`;
export const isCandidate = (name: string): boolean => name.endsWith(candidateMark);

/** Serves only this version, whatever else lies in the folder: files of the next one are copied there while it serves. */
export const servingOnly = (config: ModelConfig, version: number, name = config.name): ModelConfig => ({
  ...config,
  name,
  versionPolicy: { specific: { versions: [version] } },
});

export async function readConfig(path: string): Promise<ModelConfig> {
  return parseConfigPbtxt(await readPlainText(path, fileLimits.configPbtxt.bytes));
}

async function eachFile(from: string, to: string, place: (from: string, to: string) => Promise<void>) {
  try {
    for (const path of await listFiles(from)) {
      await requirePlainEntry(join(from, path));
      await makeFolder(dirname(join(to, path)));
      await place(join(from, path), join(to, path));
    }
  } catch (error) {
    throw fileError(error, to);
  }
}

/** Shares the blocks where the file system can: what happens to the original later does not reach the copy. */
const copied = (from: string, to: string) => copyFile(from, to, constants.COPYFILE_FICLONE);

/** Files of a version, from the repository of its run, under the number that it has in the deployment. */
export const addVersion = (
  { repository }: DeploymentFolder,
  { from, model, version }: { readonly from: string; readonly model: string; readonly version: number },
): Promise<void> => eachFile(from, join(repository, model, String(version)), copied);

export const removeVersion = (
  { repository, kept }: DeploymentFolder,
  model: string,
  version: number,
): Promise<unknown> =>
  Promise.all(
    [join(repository, model, String(version)), kept(model, version)].map((path) =>
      rm(path, { recursive: true, force: true }),
    ),
  );

/** Of the models of a deployment, the versions that are neither served nor kept for a rollback. */
export async function removeOthers(folder: DeploymentFolder, models: Deployment['models']): Promise<void> {
  for (const [name, { active, previous }] of Object.entries(models)) {
    const places = [join(folder.repository, name), dirname(folder.kept(name, active.version))];
    const names = await Promise.all(places.map((place) => readdir(place).catch(() => [])));
    for (const version of new Set(names.flat().filter((entry) => /^\d+$/.test(entry)))) {
      const isNamed = [active, previous].some((kept) => String(kept?.version) === version);
      if (!isNamed) await removeVersion(folder, name, Number(version));
    }
  }
}

export async function writeConfig({ repository }: DeploymentFolder, config: ModelConfig): Promise<void> {
  const folder = join(repository, config.name);
  await makeFolder(folder);
  await writeFileAtomic(join(folder, 'config.pbtxt'), formatConfigPbtxt(config));
}

/** The new version under a name of its own, by links to the same files. */
export async function writeCandidate(
  folder: DeploymentFolder,
  config: ModelConfig,
  version: number,
): Promise<string> {
  const name = candidateOf(config.name);
  const from = join(folder.repository, config.name, String(version));
  await eachFile(from, join(folder.repository, name, String(version)), (source, to) => link(source, to));
  await writeConfig(folder, servingOnly(config, version, name));
  return name;
}

export const removeModel = ({ repository }: DeploymentFolder, name: string): Promise<void> =>
  rm(join(repository, name), { recursive: true, force: true });

/** Names of candidates that an update left which did not come to its end. */
export async function leftCandidates({ repository }: DeploymentFolder): Promise<readonly string[]> {
  const names = await readdir(repository).catch(() => []);
  return names.filter(isCandidate);
}

/** Throws config-invalid for a name that a candidate of another model would have. */
export function requireModelName(name: string): void {
  if (!isCandidate(name) && candidateOf(name).length <= 128) return;
  throw new WorkbenchError('config-invalid', `The model name ${name} cannot be deployed`, {
    where: 'configure.modelName',
    remedy: `Use a name that is shorter than ${128 - candidateMark.length} characters and does not end with "${candidateMark}".`,
  });
}
