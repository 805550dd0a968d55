import { join } from 'node:path';
import type { DeployedVersion, Deployment } from '../contract/deployment/deployment';
import { type DeploymentVersion, tritonVersionOf } from '../contract/deployment/deployment-change';
import { present } from '../contract/trees';
import { addVersion, type DeployableRun, removeVersion, servingOnly, writeCandidate } from './deployable-run';
import {
  isOfRepository,
  keepRepository,
  type RepositoryVersion,
  requireShareable,
} from './deployed-repository';
import type { DeploymentFolder, StoredDeployment } from './deployment-store';
import type { DeploymentTritons } from './deployment-tritons';
import { recordFirstLoad } from './first-requests';
import { clientOf, grpcAddressOf } from './observe';
import { removeLeftModels } from './switch-version';
import { onTritonApart } from './triton-apart';
import { checkVersion, keepCheck } from './version-check';

export interface TryParts {
  readonly tritons: DeploymentTritons;
  readonly signal: AbortSignal;
  readonly say: (id: string, what: string) => void;
}

/** Where a version is checked; absent: where it will be served, under its name. */
interface CheckedOn {
  readonly servedAs?: string;
  readonly on?: Deployment;
  /** How long the start of its Triton took; null: it is loaded now. */
  readonly readyUs: number | null;
}

/** @param before the version that it follows; its golden samples are those of a run that was not checked */
export async function addFiles(
  folder: DeploymentFolder,
  run: DeployableRun,
  to: DeploymentVersion,
  before: DeployedVersion | null = null,
): Promise<void> {
  const { model, version } = to;
  const kept = folder.kept(model, version);
  await removeVersion(folder, to);
  if (isOfRepository(to) && run.repository !== undefined) await keepRepository(folder, to, run.repository);
  else await addVersion(folder, { from: run.files, model, version });
  const follows = run.about.accuracy === 'not checked' && before?.golden !== undefined;
  const samples = follows ? folder.kept(model, before.version) : run.samples;
  await keepCheck(kept, run.check, samples);
  const config = isOfRepository(to) ? run.config : servingOnly(run.config, version);
  await run.keepConfig(join(kept, 'config.pbtxt'), config);
}

/** Its first requests, then whether it answers as its run did. Throws as `checkVersion`. */
export async function checkedVersion(
  stored: StoredDeployment,
  run: DeployableRun,
  to: DeploymentVersion,
  { servedAs = to.model, on = stored.deployment, readyUs }: CheckedOn,
  { tritons, signal, say }: TryParts,
): Promise<DeployedVersion> {
  const { deployment, folder } = stored;
  const { model, version } = to;
  say(deployment.id, 'Checking the new version');
  const server = tritons.serverOf(stored);
  const [client, grpcAddress] = [await clientOf(on, server), await grpcAddressOf(on, server)];
  const tritonVersion = tritonVersionOf(to);
  const config = { ...run.config, name: servedAs };
  const first = { client, grpcAddress, config, version: tritonVersion, readyUs, signal };
  const coldStart = await recordFirstLoad(run, first);
  const checked = await checkVersion({
    ...{ client, grpcAddress, model: servedAs, version, tritonVersion, config, signal },
    ...{ kept: folder.kept(model, version), load: false },
  });
  const accuracy = checked.checkedSamples > 0 ? 'verified' : run.about.accuracy;
  return { ...run.about, model, version, ...checked, coldStart, ...present({ accuracy }) };
}

/** Under a candidate name, beside the active version. */
async function triedAsCandidate(
  stored: StoredDeployment,
  run: DeployableRun,
  to: DeploymentVersion,
  parts: TryParts,
): Promise<DeployedVersion> {
  const { tritons, signal } = parts;
  const candidate = await writeCandidate(stored.folder, run.config, to.version);
  await tritons.sync(stored, signal);
  signal.throwIfAborted();
  const served = await checkedVersion(stored, run, to, { servedAs: candidate, readyUs: null }, parts);
  await removeLeftModels(stored, tritons.serverOf(stored), to.model);
  return served;
}

/** On a Triton of its own, under its own names. */
async function triedApart(
  stored: StoredDeployment,
  run: DeployableRun,
  to: RepositoryVersion & DeploymentVersion,
  parts: TryParts,
): Promise<DeployedVersion> {
  const { deployment, folder } = stored;
  await requireShareable(folder, deployment, to);
  const { tritons, signal } = parts;
  return onTritonApart(stored, tritons.serverOf(stored), { version: to, signal }, (on, readyUs) =>
    checkedVersion(stored, run, to, { on, readyUs }, parts),
  );
}

/** Loads and checks it where nobody is served by it. Throws as `checkVersion`, and as starting Triton. */
export const triedVersion = (
  stored: StoredDeployment,
  run: DeployableRun,
  to: DeploymentVersion,
  parts: TryParts,
): Promise<DeployedVersion> =>
  isOfRepository(to) ? triedApart(stored, run, to, parts) : triedAsCandidate(stored, run, to, parts);
