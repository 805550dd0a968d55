import { link, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Deployment } from '../contract/deployment/deployment';
import type { DeploymentVersion } from '../contract/deployment/deployment-change';
import { WorkbenchError } from '../contract/errors';
import { hashFile, listFiles, writeFileAtomic } from '../platform/files';
import type { DeploymentFolder } from './deployment-store';
import { copied, placeModel } from './place-files';

/** What a run has of a repository. */
export interface RepositoryFiles {
  /** Has the folders of all models that are served with it. */
  readonly folder: string;
  /** The config.pbtxt with the fields of a search, and the model of it; absent: all are as they are. */
  readonly config?: { readonly model: string; readonly text: string };
}

/** A version whose models are served as they are. */
export interface RepositoryVersion extends Pick<DeploymentVersion, 'model' | 'version'> {
  readonly repository: NonNullable<DeploymentVersion['repository']>;
}

export const isOfRepository = <Version extends Pick<DeploymentVersion, 'model' | 'version' | 'repository'>>(
  version: Version,
): version is Version & RepositoryVersion => version.repository !== undefined;

/** All models of a version as the run served them, outside of what Triton reads. */
const keptModels = (folder: DeploymentFolder, { model, version }: RepositoryVersion): string =>
  join(folder.kept(model, version), 'models');

/** Copies all models of the run. Throws as {@link placeModel}. */
export async function keepRepository(
  folder: DeploymentFolder,
  version: RepositoryVersion,
  { folder: from, config }: RepositoryFiles,
): Promise<void> {
  const to = keptModels(folder, version);
  for (const name of version.repository.models) await placeModel(join(from, name), join(to, name), copied);
  if (config !== undefined) await writeFileAtomic(join(to, config.model, 'config.pbtxt'), config.text);
}

/** Hard links to all models of a version, under their own names. Throws as {@link placeModel}. */
export async function linkRepository(
  folder: DeploymentFolder,
  version: RepositoryVersion,
  repository: string,
): Promise<void> {
  const from = keptModels(folder, version);
  const beside = join(folder.dir, 'placing');
  for (const name of version.repository.models) {
    const to = join(repository, name);
    await rm(beside, { recursive: true, force: true });
    await placeModel(join(from, name), beside, (file, target) => link(file, target));
    await rm(to, { recursive: true, force: true });
    await rename(beside, to);
  }
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const idOf = async (path: string) => {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  };
  return (await idOf(one)) === (await idOf(other));
}

/** What Triton reads is this version: no version number of its own tells them apart. */
export async function isPlaced(folder: DeploymentFolder, version: RepositoryVersion): Promise<boolean> {
  for (const name of version.repository.models) {
    const [kept, there] = [join(keptModels(folder, version), name), join(folder.repository, name)];
    const files = await listFiles(kept).catch(() => null);
    const placed = await listFiles(there).catch(() => null);
    if (files === null || placed === null || files.join('\n') !== placed.join('\n')) return false;
    for (const file of files) if (!(await isSameFile(join(kept, file), join(there, file)))) return false;
  }
  return true;
}

const namesOf = ({ model, repository }: Pick<DeploymentVersion, 'model' | 'repository'>): readonly string[] =>
  repository?.models ?? [model];

/** Every model that the active versions need. */
export const servedNames = (models: Deployment['models']): ReadonlySet<string> =>
  new Set(Object.entries(models).flatMap(([name, { active }]) => [name, ...namesOf(active)]));

async function contentOf(
  folder: DeploymentFolder,
  version: RepositoryVersion,
  name: string,
): Promise<string> {
  const root = join(keptModels(folder, version), name);
  const hashes = await Promise.all(
    (await listFiles(root)).map(async (path) => `${path} ${await hashFile(join(root, path))}`),
  );
  return hashes.join('\n');
}

/**
 * Models keep their names, so that two versions share what has the same name: it must be the same, byte for byte.
 * Throws input-invalid.
 */
export async function requireShareable(
  folder: DeploymentFolder,
  { id, models }: Deployment,
  version: DeploymentVersion,
): Promise<void> {
  const others = Object.values(models).flatMap(({ active }) =>
    active.model === version.model ? [] : [active],
  );
  for (const other of others) {
    for (const name of namesOf(version).filter((one) => namesOf(other).includes(one))) {
      const isSame =
        isOfRepository(version) &&
        isOfRepository(other) &&
        (await contentOf(folder, version, name)) === (await contentOf(folder, other, name));
      if (isSame) continue;
      throw new WorkbenchError('input-invalid', `${other.model} of ${id} is served with another ${name}`, {
        where: 'to',
        remedy: 'Deploy the run as a deployment of its own.',
      });
    }
  }
}

/** Removes a version that is kept. What Triton reads stays. */
export const removeKept = (
  folder: DeploymentFolder,
  { model, version }: Pick<DeploymentVersion, 'model' | 'version'>,
): Promise<void> => rm(folder.kept(model, version), { recursive: true, force: true });

/** Folder of all versions of a model that are kept. */
export const keptVersions = (folder: DeploymentFolder, model: string): string =>
  dirname(folder.kept(model, 1));
