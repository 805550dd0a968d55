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
import { formatConfigPbtxt } from '../triton/config/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import { isUnchanged, type StepKeys, withDependents } from './plan';
import type { RunContext, Step } from './step';

const byteCode = '__pycache__';

/** Logs are informational. Byte code is removed before reuse: Triton's Python stub writes it beside a model. */
export const isVouched = (path: string): boolean =>
  path !== 'step.log' && !path.split('/').includes(byteCode);

/** Python would execute byte code instead of reviewed source. Does not follow links. */
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

/** Files of a step, synced to disk. Throws run-folder-unsafe. */
export const listStepFiles = (
  run: Pick<RunContext, 'folder'>,
  step: Step,
  contents: ReadContents,
): Promise<readonly FileEntry[]> =>
  listContents(run.folder.step(step.id), { sync: true, contents, except: (path) => !isVouched(path) });

type Verified = Pick<RunContext, 'folder' | 'spec' | 'manifests' | 'state'>;

/** Why the step's files cannot be reused; null if unchanged. */
async function difference(
  run: Verified,
  step: Step,
  key: string,
  contents: ReadContents,
): Promise<string | null> {
  const files = run.manifests.of(step.id, key);
  if (files === null) return 'no list of its files was kept, or it was not written by this workbench home';
  // A manual edit is a change of the deployment, and checked there.
  const edited = join('model-repository', run.spec.configure.modelName, 'config.pbtxt');
  const except = (path: string) => !isVouched(path) || (step.id === 'configure' && path === edited);
  try {
    return await firstDifference(run.folder.step(step.id), files, { contents, except });
  } catch (error) {
    if (error instanceof WorkbenchError) return error.message;
    throw error;
  }
}

/** Verifies files that would be reused, and journals the steps to repeat. */
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

/** The part of `configure`'s output that {@link editedConfig} compares. */
export const writtenConfig = (config: ModelConfig): z.infer<typeof writtenConfigSchema> => ({
  configSha256: createHash('sha256').update(formatConfigPbtxt(config)).digest('hex'),
});

function ifThere<Value>(value: Promise<Value>): Promise<Value | null> {
  return value.catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
}

/** SHA-256 of an edited config.pbtxt; null if it is as `configure` wrote it. */
export async function editedConfig({
  folder,
  spec,
}: Pick<RunContext, 'folder' | 'spec'>): Promise<string | null> {
  const output = await ifThere(readPlainText(folder.output('configure'), fileLimits.stepJson.bytes));
  const found = await ifThere(hashFile(join(folder.repository, spec.configure.modelName, 'config.pbtxt')));
  if (output === null || found === null) return null;
  return found === writtenConfigSchema.parse(JSON.parse(output)).configSha256 ? null : found;
}
