import { dirname, join } from 'node:path';
import type { DeployedVersion, DeploymentEngine } from '../contract/deployment';
import { WorkbenchError } from '../contract/errors';
import { present } from '../contract/present';
import { isFileSource } from '../contract/run/own-model';
import type { StepId } from '../contract/run/run-events';
import type { RunState } from '../contract/run/run-state';
import { imageFamily } from '../contract/run/serving';
import { formatOf } from '../formats/formats';
import { sampleCanary } from '../pipeline/serve-model';
import { isVouched } from '../pipeline/step-files';
import { writeFileAtomic } from '../platform/files';
import { makeFolder } from '../platform/make-folder';
import { firstDifference, ReadContents } from '../store/file-manifest';
import { runFiles } from '../store/run-files';
import type { RunFolder } from '../store/run-folder';
import type { StepManifests } from '../store/step-manifests';
import { formatConfigPbtxt } from '../triton/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import { readConfig } from './deployed-models';
import type { VersionCheck } from './version-check';

/** What a deployment takes of a run. */
export interface DeployableRun {
  readonly about: Omit<DeployedVersion, 'model' | 'version' | 'checkedSamples'>;
  readonly config: ModelConfig;
  /** Number that it was verified under. */
  readonly version: number;
  readonly engine: DeploymentEngine;
  /** Version folder of its model repository. */
  readonly files: string;
  /** Folder of the samples that its accuracy check kept; may be missing. */
  readonly samples: string;
  readonly check: VersionCheck;
  readonly keepConfig: (path: string, config: ModelConfig) => Promise<void>;
}

const refused = (runId: string, why: string, remedy: string): WorkbenchError =>
  new WorkbenchError('input-invalid', `${runId} cannot be deployed: ${why}`, { where: runId, remedy });

const neededSteps: readonly StepId[] = ['configure', 'deploy', 'accuracy'];

/** Throws input-invalid for a run whose model nobody has seen answer rightly. */
function requireVerified(state: RunState, allowUnverified: boolean): void {
  const { runId, imported, onServer, origin, spec, steps, accuracy } = state;
  if (imported !== null) throw refused(runId, 'it was measured elsewhere', 'Run the model here first.');
  if (onServer !== null) {
    throw refused(runId, 'it measured a Triton that serves already', 'Run the model here first.');
  }
  if (origin === 'foreign') {
    throw refused(runId, 'it comes from another workbench', 'Trust the run, or run the model here.');
  }
  if (spec.engine.kind === 'remote') {
    throw refused(
      runId,
      'its model is served by a Triton that the workbench did not start',
      'Run it with the engine "docker" or "local".',
    );
  }
  const missing = steps.find(
    ({ id, status }) => neededSteps.includes(id) && status !== 'done' && status !== 'skipped',
  );
  if (missing !== undefined || (accuracy === null && !allowUnverified)) {
    throw refused(runId, 'its accuracy check was not completed', `Continue it first with "resume ${runId}".`);
  }
  if (accuracy?.result.passed !== true && !allowUnverified) {
    throw refused(
      runId,
      'its accuracy check did not pass',
      'Deploy it all the same with --allow-unverified.',
    );
  }
}

/** What serves the model of a run as it was verified. Throws deployment-refused where its image is not known. Pure. */
export function deploymentEngineOf({
  spec,
  environment,
  runId,
}: Pick<RunState, 'spec' | 'environment' | 'runId'>): DeploymentEngine {
  const { engine } = spec;
  if (engine.kind !== 'docker') {
    return { kind: 'local', framework: formatOf(spec.format).shimFramework ?? 'pyt' };
  }
  const image = environment.images.find(({ role }) => role === 'triton');
  if (image === undefined) throw refused(runId, 'its image is not known', `Run it again.`);
  return {
    kind: 'docker',
    ...present({ host: engine.host }),
    imageId: image.id,
    image: image.reference,
    builtHere: imageFamily(engine) === 'cpu' && engine.tritonImage === undefined,
    gpus: engine.gpus,
    shmSizeMiB: engine.shmSizeMiB,
    listen: '127.0.0.1',
  };
}

/** Throws verification-failed where the model is not the one any more that was verified. */
async function requireUnchanged(
  { state, folder }: { readonly state: RunState; readonly folder: RunFolder },
  manifests: StepManifests,
): Promise<void> {
  const key = state.steps.find(({ id }) => id === 'configure')?.key ?? null;
  const files = key === null ? null : manifests.of('configure', key);
  // An edit by hand is what was served and checked.
  const edited = join('model-repository', state.spec.configure.modelName, 'config.pbtxt');
  const except = (path: string) => !isVouched(path) || path === edited;
  const reason =
    files === null
      ? 'no list of its files was kept'
      : await firstDifference(folder.step('configure'), files, { contents: new ReadContents(), except });
  if (reason === null) return;
  throw new WorkbenchError(
    'verification-failed',
    `The model of ${state.runId} is not as it was checked: ${reason}`,
    {
      where: folder.repository,
      remedy: `Run "resume ${state.runId}" to make and check it again.`,
    },
  );
}

/** The model of a run, verified and unchanged. Throws input-invalid, verification-failed. */
export async function deployableRun(
  run: { readonly state: RunState; readonly folder: RunFolder },
  manifests: StepManifests,
  allowUnverified: boolean,
): Promise<DeployableRun> {
  const { state, folder } = run;
  requireVerified(state, allowUnverified);
  await requireUnchanged(run, manifests);
  const { spec, runId } = state;
  const { modelName, modelVersion } = spec.configure;
  const model = join(folder.repository, modelName);
  const { atol, rtol, maxMismatch = {} } = spec.accuracy;
  const canary = sampleCanary(spec)?.map(({ name, datatype, shape }) => ({
    name,
    datatype,
    shape: [...shape],
  }));
  return {
    about: { runId, format: spec.format, precision: spec.precision },
    config: await readConfig(join(model, 'config.pbtxt')),
    version: modelVersion,
    engine: deploymentEngineOf(state),
    files: join(model, String(modelVersion)),
    samples: runFiles(folder, spec).keptSamples,
    check: { canary: canary ?? null, anyValues: isFileSource(spec.model), atol, rtol, maxMismatch },
    keepConfig: async (path, config) => {
      await makeFolder(dirname(path));
      await writeFileAtomic(path, formatConfigPbtxt(config));
    },
  };
}
