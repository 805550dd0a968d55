import { createHash } from 'node:crypto';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { isFileSource } from '../contract/run/own-model';
import { hashFile, hashFolder } from '../platform/files';
import { signatureOf } from '../presets/signature';
import { runFiles } from '../store/run-files';
import type { ModelSource } from '../toolkit/verb-commands';
import type { RunContext, StepInputs } from './step';

/** A run's model, and where the run's files are. */
export type ModelRun = Pick<RunContext, 'spec' | 'preset' | 'folder'>;

/** Where the steps of the run leave what later ones take. */
export const filesOf = ({ spec, preset, folder }: ModelRun) =>
  runFiles(folder, spec, preset.preset.framework ?? 'pyt');

/** The run's model, as the toolkit's commands are given it. */
export function modelSource(run: ModelRun): ModelSource {
  const { spec, preset } = run;
  const isFile = isFileSource(spec.model);
  const fileSignature = isFile ? signatureOf(preset.preset, spec) : undefined;
  const hasCheckpoint = !isFile && spec.model.checkpoint !== undefined;
  const argumentsFile = hasCheckpoint ? filesOf(run).checkpointArguments : undefined;
  return {
    modelDir: preset.dir,
    spec,
    framework: preset.preset.framework ?? 'pyt',
    fileSignature,
    argumentsFile,
  };
}

async function requireFile(path: string, field: string, what: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) {
    throw new WorkbenchError('input-invalid', `${what} ${path} does not exist`, { where: field });
  }
}

/** Hash of the code that the toolkit and the model folder run: a changed line is a changed input. */
export async function codeHash(run: Pick<StepInputs, 'preset' | 'services'>): Promise<readonly string[]> {
  return [
    await hashFolder(join(run.services.resources, 'toolkit')),
    await hashFolder(run.preset.dir),
    await hashFolder(join(run.services.resources, 'requirements')),
  ];
}

/** Content hash of the user's weights, or of an own SavedModel folder, null without. Throws input-invalid when the file is not there. */
export async function checkpointHash(checkpoint: string | undefined): Promise<string | null> {
  if (checkpoint === undefined) return null;
  await requireFile(checkpoint, 'model.checkpoint', 'The weights file');
  return (await stat(checkpoint)).isDirectory() ? hashFolder(checkpoint) : hashFile(checkpoint);
}

/**
 * Names, sizes and times of the user's data set, null without: a data set of hundreds of gigabytes is not read
 * to see whether it changed. Throws input-invalid when the folder is not there.
 */
export async function datasetHash(dataset: string | undefined): Promise<string | null> {
  if (dataset === undefined) return null;
  await requireFile(dataset, 'model.dataset', 'The data set');
  const hash = createHash('sha256');
  // Loaders follow links; one that leads back to a folder above it has nothing new.
  const walk = async (folder: string, above: readonly string[]): Promise<void> => {
    const real = await realpath(folder);
    if (above.includes(real)) return;
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      const link = entry.isSymbolicLink();
      const to = link ? await stat(path).catch(() => null) : entry;
      if (link) hash.update(`${path}\0${await realpath(path).catch(() => 'broken')}\n`);
      if (to?.isDirectory() === true) await walk(path, [...above, real]);
      else if (to?.isFile() === true) {
        const { size, mtimeMs } = await stat(path);
        hash.update(`${path}\0${size}\0${mtimeMs}\n`);
      }
    }
  };
  if ((await stat(dataset)).isDirectory()) await walk(dataset, []);
  else hash.update(await hashFile(dataset));
  return hash.digest('hex');
}
