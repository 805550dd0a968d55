import { join } from 'node:path';
import type { DeploymentVersion } from '../contract/deployment/deployment-change';
import { WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import type { RunSpec } from '../contract/run/run-spec';
import type { RepositorySource } from '../formats/own-config';
import { canaryOf } from '../pipeline/repository-run';
import { readPlainText } from '../platform/plain-entry';
import type { RunFolder } from '../store/run-folder';
import { parseConfigPbtxt } from '../triton/config/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import type { Tensor } from '../triton/tensor';

interface ServedOfRepository {
  /** As Triton had it in force, with what it completed. */
  readonly config: ModelConfig;
  readonly canary: readonly Tensor[];
  readonly version: NonNullable<DeploymentVersion['repository']>;
}

/** What a run served of a repository. Throws input-invalid where it was not kept. */
export async function servedOfRepository(
  { folder, spec, runId }: { readonly folder: RunFolder; readonly spec: RunSpec; readonly runId: string },
  { repository }: RepositorySource,
): Promise<ServedOfRepository> {
  const { modelName, modelVersion } = spec.configure;
  const path = join(folder.step('deploy'), 'served', modelName, 'config.pbtxt');
  const text = await readPlainText(path, fileLimits.configPbtxt.bytes).catch((cause: unknown) => {
    throw new WorkbenchError('input-invalid', `The configuration that ${runId} served was not kept`, {
      ...{ where: path, cause },
      remedy: `Run "resume ${runId}" to serve it again.`,
    });
  });
  const config = parseConfigPbtxt(text);
  return {
    config,
    canary: canaryOf(config, spec.model.shapes ?? {}),
    version: {
      version: modelVersion,
      models: repository.models.map(({ name }) => name),
      with: [...repository.with],
    },
  };
}
