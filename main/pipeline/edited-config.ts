import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { fileLimits } from '../contract/reader-limits';
import { hashFile } from '../platform/files';
import { readPlainText } from '../platform/plain-entry';
import { formatConfigPbtxt } from '../triton/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import type { RunContext } from './step';

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
