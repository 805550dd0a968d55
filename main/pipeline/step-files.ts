import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import type { FileEntry } from '../contract/run/artefacts';
import type { StepId } from '../contract/run/run-events';
import { stepTitle } from '../contract/words';
import { hashFile } from '../platform/files';
import { readPlainText } from '../platform/plain-entry';
import { firstDifference, listContents, ReadContents } from '../store/file-manifest';
import { formatConfigPbtxt } from '../triton/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import { isUnchanged, type StepKeys, withDependents } from './plan';
import type { RunContext, Step } from './step';

const byteCode = '__pycache__';

/**
 * Logs say how a step went and decide nothing; a resumed attempt appends to them. Byte code is removed before files are
 * used again: Triton's Python stub leaves it beside a model whatever its environment says.
 */
export const isVouched = (path: string): boolean =>
  path !== 'step.log' && !path.split('/').includes(byteCode);

/** Python runs byte code in place of the source that was looked at. No link is followed. */
async function removeByteCode(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name === byteCode) await rm(path, { recursive: true, force: true });
    else if (entry.isDirectory()) await removeByteCode(path);
  }
}

/** Every file that a step left, on disk from now on. Throws run-folder-unsafe. */
export const listStepFiles = (
  run: Pick<RunContext, 'folder'>,
  step: Step,
  contents: ReadContents,
): Promise<readonly FileEntry[]> =>
  listContents(run.folder.step(step.id), { sync: true, contents, except: (path) => !isVouched(path) });

type Verified = Pick<RunContext, 'folder' | 'spec' | 'manifests' | 'state'>;

/** Why the files of a step cannot be used again, in words; null: they are as the step left them. */
async function difference(
  run: Verified,
  step: Step,
  key: string,
  contents: ReadContents,
): Promise<string | null> {
  const files = run.manifests.of(step.id, key);
  if (files === null) return 'no list of its files was kept, or it was not written by this workbench home';
  // An edit by hand is a change of what is deployed, and is looked at there.
  const edited = join('model-repository', run.spec.configure.modelName, 'config.pbtxt');
  const except = (path: string) => !isVouched(path) || (step.id === 'configure' && path === edited);
  try {
    return await firstDifference(run.folder.step(step.id), files, { contents, except });
  } catch (error) {
    if (error instanceof WorkbenchError) return error.message;
    throw error;
  }
}

/**
 * Looks at every file that an earlier attempt left and this one would use again, and journals the steps that must be done
 * again because of them.
 */
export async function forgetChanged(
  run: Verified & Pick<RunContext, 'append'>,
  steps: readonly Step[],
  keys: StepKeys,
): Promise<void> {
  const contents = new ReadContents();
  const reasons: string[] = [];
  const forgotten = new Set<StepId>();
  for (const step of steps) {
    if (step.kind !== 'files' || !isUnchanged(step, run.state(), keys[step.id])) continue;
    await removeByteCode(run.folder.step(step.id));
    const reason = await difference(run, step, keys[step.id], contents);
    if (reason === null) continue;
    reasons.push(`${stepTitle[step.id]}: ${reason}`);
    for (const id of withDependents(steps, step.id)) forgotten.add(id);
  }
  if (forgotten.size === 0) return;
  const again = steps.map(({ id }) => id).filter((id) => forgotten.has(id));
  await run.append({ type: 'steps-forgotten', steps: again, reason: reasons.join('; ') });
}

const writtenConfigSchema = z.object({ configSha256: z.string() });

/** What the step `configure` leaves, for {@link editedConfig}. */
export const writtenConfig = (config: ModelConfig): z.infer<typeof writtenConfigSchema> => ({
  configSha256: createHash('sha256').update(formatConfigPbtxt(config)).digest('hex'),
});

function ifThere<Value>(value: Promise<Value>): Promise<Value | null> {
  return value.catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
}

/** SHA-256 of the run's config.pbtxt where it is not as the step `configure` wrote it; null: nobody has edited it. */
export async function editedConfig({
  folder,
  spec,
}: Pick<RunContext, 'folder' | 'spec'>): Promise<string | null> {
  const output = await ifThere(readPlainText(folder.output('configure'), fileLimits.stepJson.bytes));
  const found = await ifThere(hashFile(join(folder.repository, spec.configure.modelName, 'config.pbtxt')));
  if (output === null || found === null) return null;
  return found === writtenConfigSchema.parse(JSON.parse(output)).configSha256 ? null : found;
}
