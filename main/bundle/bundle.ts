import { constants } from 'node:fs';
import { chmod, copyFile, lstat, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { bestPoint } from '../contract/measured/points';
import type { RunState } from '../contract/run/run-state';
import type { MetricTitles } from '../contract/words';
import type { DeployableRun } from '../deployments/deployable-run';
import { canaryOf, keepCheck } from '../deployments/version-check';
import { zeroCanary } from '../engine/ready';
import { fileError } from '../platform/file-error';
import { hashFile, listFiles, syncToDisk, writeFileAtomic } from '../platform/files';
import { makeFolder } from '../platform/make-folder';
import { temporaryBeside } from '../platform/temporary-files';
import { latencyLimit, readmeText } from './expectation';
import { type BundleImage, composeFile, kubernetesFiles, type Serving } from './manifests';

interface BundleInput {
  readonly run: DeployableRun;
  readonly state: RunState;
  readonly titles: MetricTitles;
  readonly image: BundleImage;
  /** Folder of the product's own files. */
  readonly resources: string;
}

/** The specification's own for containers; a local Triton takes what the machine has. */
const usualShmSizeMiB = 1024;

/** Read by whoever serves it, which is another user as a rule. */
const readable = { folder: 0o755, file: 0o644 };

/** Throws input-invalid for a folder that holds something. */
async function requireEmpty(dir: string): Promise<void> {
  const found = await lstat(dir).catch(() => null);
  if (found === null) return;
  if (found.isDirectory() && (await readdir(dir)).length === 0) return;
  throw new WorkbenchError('input-invalid', `${dir} is not empty`, {
    where: dir,
    remedy: 'Name a folder that does not exist yet, or an empty one.',
  });
}

/** Files of the model without what Python left among them. Gives their bytes together. */
async function copyModel(from: string, to: string): Promise<number> {
  let bytes = 0;
  for (const path of await listFiles(from)) {
    const target = join(to, path);
    await makeFolder(dirname(target));
    await copyFile(join(from, path), target, constants.COPYFILE_FICLONE);
    bytes += (await stat(target)).size;
  }
  return bytes;
}

/** As `sha256sum` writes it. */
async function checksums(dir: string, folder: string): Promise<string> {
  const lines: string[] = [];
  for (const path of await listFiles(join(dir, folder))) {
    lines.push(`${await hashFile(join(dir, folder, path))}  ${join(folder, path)}\n`);
  }
  return lines.join('');
}

/** Whatever the umask of whoever made it. */
async function makeReadable(dir: string): Promise<void> {
  await chmod(dir, readable.folder);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await makeReadable(path);
    else await chmod(path, readable.file);
  }
}

function expectationOf({ run, state }: BundleInput) {
  const { config, version, check } = run;
  const canary = canaryOf(check) ?? zeroCanary(config);
  return {
    model: config.name,
    version,
    batched: config.maxBatchSize > 0,
    canary: canary.map(({ name, datatype, shape }) => ({ name, datatype, shape })),
    latency: latencyLimit(state),
  };
}

async function fill(dir: string, input: BundleInput): Promise<void> {
  const { run, state, titles, image, resources } = input;
  const { engine, config } = run;
  const repositoryBytes = await copyModel(dirname(run.files), join(dir, 'model-repository', config.name));
  const samples = await keepCheck(join(dir, 'samples'), run.check, run.samples);
  const serving: Serving = {
    model: config.name,
    image,
    gpus: engine.kind === 'docker' ? engine.gpus.length : 0,
    shmSizeMiB: engine.kind === 'docker' ? engine.shmSizeMiB : usualShmSizeMiB,
    repositoryBytes,
    pendingRequests: Math.max(1, bestPoint(state)?.point.concurrency ?? 1),
  };
  const files: Readonly<Record<string, string>> = {
    SHA256SUMS: await checksums(dir, 'model-repository'),
    'compose.yaml': composeFile(serving),
    ...kubernetesFiles(serving),
    'expectation.json': `${JSON.stringify(expectationOf(input), null, 1)}\n`,
    'README.md': readmeText({ state, titles, image, measuredLocally: engine.kind === 'local', samples }),
  };
  for (const [path, text] of Object.entries(files)) await writeFileAtomic(join(dir, path), text);
  await copyFile(join(resources, 'bundle', 'smoke_test.py'), join(dir, 'smoke-test.py'));
  await makeReadable(dir);
}

/**
 * Writes what whoever serves the model in production needs into a folder that is new or empty: whole, or not at all. Gives
 * its absolute path. Throws input-invalid, file-unwritable, disk-full.
 */
export async function writeBundle(out: string, input: BundleInput): Promise<string> {
  const dir = resolve(out);
  await requireEmpty(dir);
  const beside = temporaryBeside(dir);
  try {
    await makeFolder(beside);
    await fill(beside, input);
    await rename(beside, dir);
    await syncToDisk(dirname(dir));
  } catch (error) {
    await rm(beside, { recursive: true, force: true }).catch(() => undefined);
    throw fileError(error, dir);
  }
  return dir;
}
