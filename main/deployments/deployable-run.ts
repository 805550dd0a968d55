import { link, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DeployedVersion, Deployment, DeploymentEngine } from '../contract/deployment/deployment';
import type { DeploymentVersion } from '../contract/deployment/deployment-change';
import { WorkbenchError } from '../contract/errors';
import type { SteadyLatency } from '../contract/measured/cold-start';
import { fileLimits } from '../contract/reader-limits';
import { imageFamily, inContainers, isElsewhere, isProcess } from '../contract/run/engine-kinds';
import { hasReadTensors } from '../contract/run/own-model';
import type { StepId } from '../contract/run/run-events';
import { accuracyOf } from '../contract/run/run-outcome';
import { isDeployed } from '../contract/run/run-source';
import { repositoryOf } from '../contract/run/run-spec';
import type { DeployedRun, RunState } from '../contract/run/run-state';
import { present } from '../contract/trees';
import { steadyLatencies } from '../domain/measured/cold/cold-start';
import { servingFramework } from '../formats/formats';
import { repositorySourceOf } from '../formats/own-config';
import { warmedAs } from '../formats/warm-up';
import { coldSizes } from '../pipeline/measure/cold-start';
import { sampleCanary } from '../pipeline/serve-model';
import { isVouched } from '../pipeline/step-files';
import { makeFolder, writeFileAtomic } from '../platform/files';
import { readPlainText } from '../platform/plain-entry';
import { firstDifference, ReadContents, type StepManifests } from '../store/file-manifest';
import type { RunFolder } from '../store/run-folder';
import { runFiles } from '../store/step-paths';
import { formatConfigPbtxt, parseConfigPbtxt } from '../triton/config/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import {
  isOfRepository,
  keptVersions,
  removeKept,
  type RepositoryFiles,
  servedNames,
} from './deployed-repository';
import type { DeploymentFolder } from './deployment-store';
import { copied, eachFile, placeWarmUp, removeWarmUp } from './place-files';
import { servedOfRepository } from './served-of-repository';
import type { VersionCheck } from './version-check';

/** Parts of a run for a deployment. */
export interface DeployableRun {
  readonly about: Omit<DeployedVersion, 'model' | 'version' | 'checkedSamples'>;
  readonly config: ModelConfig;
  /** Version number at verification. */
  readonly version: number;
  readonly engine: DeploymentEngine;
  readonly files: string;
  /** Samples of the accuracy check; may be missing. null: the model does not answer them as its reference does. */
  readonly samples: string | null;
  readonly check: VersionCheck;
  /** Batch sizes of its levels, a few of many. */
  readonly sizes: readonly number[];
  /** Its latencies under steady load. */
  readonly steady: readonly SteadyLatency[];
  readonly keepConfig: (path: string, config: ModelConfig) => Promise<void>;
  /** Absent: one model, with a configuration that the workbench writes. */
  readonly repository?: RepositoryFiles;
}

const refused = (runId: string, why: string, remedy: string): WorkbenchError =>
  new WorkbenchError('input-invalid', `${runId} cannot be deployed: ${why}`, { where: runId, remedy });

const neededSteps: readonly StepId[] = ['configure', 'deploy', 'accuracy'];

/** Throws input-invalid for unverified models. */
function requireVerified(state: RunState, allowUnverified: boolean): DeployedRun {
  const { runId, source, origin, steps, accuracy } = state;
  if (!isDeployed(state)) {
    const why =
      source.kind === 'imported'
        ? 'it was measured elsewhere'
        : 'it measured a Triton that was already running';
    throw refused(runId, why, 'Run the model here first.');
  }
  const { spec } = state.source;
  if (origin === 'foreign') {
    throw refused(runId, 'it comes from another workbench', 'Trust the run, or run the model here.');
  }
  if (isElsewhere(spec.engine)) {
    throw refused(
      runId,
      'its model is served by a Triton that the workbench did not start',
      'Run it with the engine "docker" or "local".',
    );
  }
  const missing = steps.find(
    ({ id, status }) => neededSteps.includes(id) && status !== 'done' && status !== 'skipped',
  );
  if (missing !== undefined) {
    throw refused(runId, 'its accuracy check was not completed', `Continue it first with "resume ${runId}".`);
  }
  if (accuracy === null && !allowUnverified) {
    throw refused(
      runId,
      'its accuracy was not checked',
      'Run it with a reference, --golden FILE, or deploy it anyway with --allow-unverified.',
    );
  }
  if (accuracy?.result.passed !== true && !allowUnverified) {
    throw refused(runId, 'its accuracy check did not pass', 'Deploy it anyway with --allow-unverified.');
  }
  return state;
}

/** The engine as verified. Throws deployment-refused if its image is unknown. */
export function deploymentEngineOf({
  source: { spec },
  environment,
  runId,
}: Pick<DeployedRun, 'source' | 'environment' | 'runId'>): DeploymentEngine {
  const { engine } = spec;
  const asIs = present({ asIs: repositoryOf(spec.model) === null ? undefined : (true as const) });
  if (!inContainers(engine)) {
    const environment = isProcess(engine) ? engine.environment : undefined;
    return { kind: 'local', framework: servingFramework(spec), ...present({ environment }), ...asIs };
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
    ...asIs,
  };
}

/** Throws verification-failed if the model changed since verification. */
async function requireUnchanged(
  { state, folder }: { readonly state: DeployedRun; readonly folder: RunFolder },
  manifests: StepManifests,
): Promise<void> {
  const key = state.steps.find(({ id }) => id === 'configure')?.key ?? null;
  const files = key === null ? null : manifests.of('configure', key);
  // Manual edits were served and checked.
  const edited = join('model-repository', state.source.spec.configure.modelName, 'config.pbtxt');
  const except = (path: string) => !isVouched(path) || path === edited;
  const reason =
    files === null
      ? 'no list of its files was kept'
      : await firstDifference(folder.step('configure'), files, { contents: new ReadContents(), except });
  if (reason === null) return;
  throw new WorkbenchError(
    'verification-failed',
    `The model of ${state.runId} has changed since it was checked: ${reason}`,
    {
      where: folder.repository,
      remedy: `Run "resume ${state.runId}" to make and check it again.`,
    },
  );
}

/** Throws input-invalid, verification-failed. */
export async function deployableRun(
  run: { readonly state: RunState; readonly folder: RunFolder },
  manifests: StepManifests,
  allowUnverified: boolean,
): Promise<{ readonly state: DeployedRun; readonly run: DeployableRun }> {
  const { folder } = run;
  const state = requireVerified(run.state, allowUnverified);
  await requireUnchanged({ state, folder }, manifests);
  const { runId } = state;
  const { spec } = state.source;
  const { modelName, modelVersion } = spec.configure;
  const accuracy = accuracyOf(state.accuracy?.result).word;
  const model = join(folder.repository, modelName);
  const { atol, rtol, maxMismatch = {} } = spec.accuracy;
  const source = repositorySourceOf(spec.model);
  const own = source === null ? null : await servedOfRepository({ folder, spec, runId }, source);
  const canary = (own?.canary ?? sampleCanary(spec))?.map(({ name, datatype, shape }) => ({
    name,
    datatype,
    shape: [...shape],
  }));
  const deployable: DeployableRun = {
    about: {
      ...{ runId, format: spec.format, precision: spec.precision, accuracy },
      ...present({ repository: own?.version, record: state.modelRecord }),
    },
    config: own?.config ?? (await readConfig(join(model, 'config.pbtxt'))),
    version: modelVersion,
    engine: deploymentEngineOf(state),
    files: join(model, String(modelVersion)),
    samples: accuracy === 'failed' ? null : runFiles(folder, spec).keptSamples,
    check: {
      ...{ canary: canary ?? null, anyValues: hasReadTensors(spec.model), atol, rtol, maxMismatch },
      ...present({ anyAnswers: own === null ? undefined : (true as const) }),
    },
    sizes: coldSizes(spec.performance),
    steady: steadyLatencies(state),
    keepConfig: async (path, config) => {
      await makeFolder(dirname(path));
      await writeFileAtomic(path, formatConfigPbtxt(config));
    },
    ...present({ repository: own === null ? undefined : { folder: folder.repository } }),
  };
  return { state, run: deployable };
}

const candidateMark = '--candidate';

/** Name of the candidate beside the active version. */
const candidateOf = (model: string): string => `${model}${candidateMark}`;
const isCandidate = (name: string): boolean => name.endsWith(candidateMark);

/** Pins the version, because files of the next one are copied meanwhile. */
export const servingOnly = (config: ModelConfig, version: number, name = config.name): ModelConfig => ({
  ...warmedAs(config, version),
  name,
  versionPolicy: { specific: { versions: [version] } },
});

export async function readConfig(path: string): Promise<ModelConfig> {
  return parseConfigPbtxt(await readPlainText(path, fileLimits.configPbtxt.bytes));
}

/** Copies a run's version under its deployment number. */
export async function addVersion(
  { repository }: DeploymentFolder,
  { from, model, version }: { readonly from: string; readonly model: string; readonly version: number },
): Promise<void> {
  const to = join(repository, model, String(version));
  await eachFile(from, to, copied);
  await placeWarmUp(from, to, copied);
}

/** Version folders of a repository that is served as it is are its own, and stay. */
export async function removeVersion(
  folder: DeploymentFolder,
  version: Pick<DeploymentVersion, 'model' | 'version' | 'repository'>,
): Promise<void> {
  await removeKept(folder, version);
  if (isOfRepository(version)) return;
  const files = join(folder.repository, version.model, String(version.version));
  await removeWarmUp(files);
  await rm(files, { recursive: true, force: true });
}

/** Removes versions that are neither active nor the rollback's. */
export async function removeOthers(folder: DeploymentFolder, models: Deployment['models']): Promise<void> {
  for (const [name, { active, previous }] of Object.entries(models)) {
    const { repository } = active;
    const places = [
      ...(repository === undefined ? [join(folder.repository, name)] : []),
      keptVersions(folder, name),
    ];
    const names = await Promise.all(places.map((place) => readdir(place).catch(() => [])));
    for (const version of new Set(names.flat().filter((entry) => /^\d+$/.test(entry)))) {
      const isNamed = [active, previous].some((kept) => String(kept?.version) === version);
      if (!isNamed) await removeVersion(folder, { model: name, version: Number(version), repository });
    }
  }
}

export async function writeConfig({ repository }: DeploymentFolder, config: ModelConfig): Promise<void> {
  const folder = join(repository, config.name);
  await makeFolder(folder);
  await writeFileAtomic(join(folder, 'config.pbtxt'), formatConfigPbtxt(config));
}

/** The candidate, with hard links to the version's files. */
export async function writeCandidate(
  folder: DeploymentFolder,
  config: ModelConfig,
  version: number,
): Promise<string> {
  const name = candidateOf(config.name);
  const from = join(folder.repository, config.name, String(version));
  const to = join(folder.repository, name, String(version));
  for (const place of [eachFile, placeWarmUp])
    await place(from, to, (source, target) => link(source, target));
  await writeConfig(folder, servingOnly(config, version, name));
  return name;
}

export const removeModel = (folder: DeploymentFolder, name: string): Promise<unknown> =>
  Promise.all(
    [join(folder.repository, name), keptVersions(folder, name)].map((path) =>
      rm(path, { recursive: true, force: true }),
    ),
  );

/** Candidates and new models of an interrupted update, and models that no version needs any more. Triton would load them, and fails on incomplete ones. */
export async function leftModels(
  { repository }: DeploymentFolder,
  models: Deployment['models'],
): Promise<readonly string[]> {
  const names = await readdir(repository).catch(() => []);
  const served = servedNames(models);
  return names.filter((name) => !served.has(name));
}

/** Throws config-invalid for a name that looks like a candidate. */
export function requireModelName(name: string): void {
  if (!isCandidate(name) && candidateOf(name).length <= 128) return;
  throw new WorkbenchError('config-invalid', `The model name ${name} cannot be deployed`, {
    where: 'configure.modelName',
    remedy: `Use a name that is shorter than ${128 - candidateMark.length} characters and does not end with "${candidateMark}".`,
  });
}
