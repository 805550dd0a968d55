import type { ErrorCode } from '../../contract/errors';
import type { Check, CheckId, DockerFacts } from '../../contract/machine';
import type { PlanProvenance } from '../../contract/run/artefacts';
import { imageFamily } from '../../contract/run/engine-kinds';
import type { DockerEngineSpec, Format, Framework, RunSpec } from '../../contract/run/run-spec';
import type { StartProblem } from '../../contract/run/spec-tools';
import type { DockerLink } from '../../docker/docker-link';
import { imageIsThere } from '../../docker/images/prepare-image';
import { formatOf } from '../../formats/formats';
import { readHostFacts } from '../../machine/environment';
import { readGpus } from '../../machine/gpu-report';
import { preflight } from '../../machine/preflight';
import type { Outcome, PreflightPlan } from '../../machine/preflight-docker';
import { checkTensorRtPlan } from '../../machine/preflight-image';
import { readReleases, releaseOf } from '../../machine/releases';
import { portOwner } from '../local/listening-sockets';
import {
  type ImageSource,
  readEngineMachine,
  releaseFor,
  releaseNeeds,
  type ReleasePlaces,
  wantedImages,
} from './run-images';
import { readImageTensorRt } from './triton-command';

const gibibyte = 2 ** 30;

/** Disk space of an image with its layers: measured for CPU images, from NVIDIA's catalog for the others. */
const imageBytes = { cpu: 4 * gibibyte, ngc: 25 * gibibyte } as const;

async function portOf(port: number): Promise<PreflightPlan['requestedPorts'][number]> {
  const owner = await portOwner(port);
  if (owner === null) return { port, owner: null, free: true };
  const name = owner.command === '' ? '' : ` (${owner.command.slice(0, 80)})`;
  return { port, owner: owner.pid === null ? null : `process ${owner.pid}${name}`, free: false };
}

/** @param model format of the served model, null if unknown, and provenance of its TensorRT plan */
export async function preflightPlan(
  engine: DockerEngineSpec,
  options: ImageSource & { readonly link: DockerLink },
  docker: DockerFacts,
  model: {
    readonly format: Format | null;
    readonly framework?: Framework;
    readonly plan?: PlanProvenance;
  } = { format: null },
): Promise<PreflightPlan> {
  const family = imageFamily(engine);
  const { format, plan = null } = model;
  const served = format === null ? undefined : formatOf(format);
  const wanted = await wantedImages(
    engine,
    options,
    ...(format === null
      ? []
      : [{ framework: model.framework ?? served?.shimFramework ?? 'pyt', format } as const]),
  );
  const missing = async (reference: string) =>
    docker.reachable && !(await imageIsThere(await options.link.connect(), reference).catch(() => true));
  const absent = await Promise.all([missing(wanted.triton.reference), missing(wanted.client.reference)]);
  const ports = [engine.httpPort, engine.grpcPort].filter((port) => port !== undefined);
  return {
    images: family,
    tritonImage: wanted.triton.reference,
    release: engine.release ?? releaseOf(wanted.triton.reference, options.registry),
    buildsClient: family === 'ngc' && engine.clientImage === undefined,
    gpuIds: engine.gpus,
    shmSizeMiB: engine.shmSizeMiB,
    requestedPorts: await Promise.all(ports.map(portOf)),
    format,
    // CPU images serve it through the Python backend, which every release has.
    usesTensorFlow: family === 'ngc' && served?.newestNgcRelease !== undefined,
    tensorRtPlan: plan,
    imageTensorRt:
      plan === null || !docker.reachable
        ? null
        : await readImageTensorRt(await options.link.connect(), wanted.triton.reference),
    imageBytesNeeded: absent.filter(Boolean).length * imageBytes[family],
  };
}

/** Not checked here: containers have their tools, and a resumed container may hold the port. */
const notOfRuns: ReadonlySet<CheckId> = new Set(['tools', 'ports']);

/** Checks that another release can satisfy. */
const ofRelease: ReadonlySet<CheckId> = new Set(['driver', 'compute-capability']);

/** Field and error code of a problem. */
const refusals: Readonly<Partial<Record<CheckId, { readonly field: string; readonly code: ErrorCode }>>> = {
  gpus: { field: 'engine.gpus', code: 'engine-unavailable' },
  driver: { field: 'engine.release', code: 'engine-unavailable' },
  'compute-capability': { field: 'engine.release', code: 'engine-unavailable' },
  'container-toolkit': { field: 'engine.gpus', code: 'engine-unavailable' },
  disk: { field: 'engine.kind', code: 'disk-full' },
  'shared-memory': { field: 'engine.shmSizeMiB', code: 'engine-unavailable' },
  'security-floor': { field: 'engine.release', code: 'combination-unsupported' },
  'tensorflow-backend': { field: 'format', code: 'combination-unsupported' },
  'tensorrt-plan': { field: 'format', code: 'combination-unsupported' },
};

export interface RunPreflight {
  /** Why this release was chosen; null if it was named and another one fits, or the machine is unknown. */
  readonly reason: string | null;
  /** Problems that prevent a start. */
  readonly problems: readonly Check[];
}

interface PreflightPlaces extends ReleasePlaces, ImageSource {
  readonly home: string;
}

interface PresetFacts {
  readonly ngcRelease?: string | undefined;
  readonly framework?: Framework | undefined;
}

/**
 * Preflight before images are pulled; null for other engines, and while the Docker Engine does not respond, for which
 * runs wait.
 * @param spec with its release, see `withRelease`
 */
export async function runPreflight(
  { engine, format }: RunSpec,
  { ngcRelease, framework = 'pyt' }: PresetFacts,
  places: PreflightPlaces,
): Promise<RunPreflight | null> {
  if (engine.kind !== 'docker') return null;
  const { home, resources } = places;
  const [{ docker, gpus, isKnown }, releases] = await Promise.all([
    readEngineMachine(places),
    readReleases(resources),
  ]);
  if (!docker.reachable) return null;
  const [host, plan] = await Promise.all([
    readHostFacts([home, ...(docker.rootDir === '' ? [] : [docker.rootDir])]),
    preflightPlan(engine, places, docker, { format, framework }),
  ]);
  const fit = isKnown
    ? releaseFor(engine, releaseNeeds(engine, format, ngcRelease), { gpus, releases })
    : null;
  const found = preflight({ gpus, gpusOfEngine: isKnown, host, docker, releases, plan, tools: null }).filter(
    ({ id, status }) => status === 'problem' && !notOfRuns.has(id),
  );
  if (fit?.kind !== 'none') {
    const isFitting = fit === null || fit.release === engine.release;
    const hint = isFitting ? '' : ` Or leave the release empty: ${fit.release} is chosen then.`;
    const problems = found.map((check) =>
      ofRelease.has(check.id) ? { ...check, remedy: `${check.remedy ?? ''}${hint}` } : check,
    );
    return { reason: isFitting ? (fit?.reason ?? null) : null, problems };
  }
  // The finding for all releases covers the one for this release.
  const { finding, remedy } = fit;
  const missing: Check = { id: 'driver', title: 'NGC release', status: 'problem', finding, remedy };
  const others = found.filter(({ id }) => !ofRelease.has(id));
  return { reason: null, problems: [missing, ...others] };
}

/** As problems of a start. */
export function preflightProblems(result: RunPreflight | null): readonly StartProblem[] {
  return (result?.problems ?? []).map(({ id, finding, remedy }) => ({
    field: refusals[id]?.field ?? 'engine.kind',
    code: refusals[id]?.code ?? 'engine-unavailable',
    severity: 'problem',
    preflight: true,
    message: finding.replace(/\.$/, ''),
    remedy,
  }));
}

interface CheckPlanInput {
  readonly env: NodeJS.ProcessEnv;
  readonly resources: string;
  readonly docker: DockerFacts;
  /** The server, and what the TensorRT plan was built with. */
  readonly plan: PreflightPlan;
}

/** Only the check of the TensorRT plan, for a plan that exists. */
export async function checkPlan(input: CheckPlanInput): Promise<Outcome> {
  const [gpus, releases, host] = await Promise.all([
    readGpus(input.env),
    readReleases(input.resources),
    readHostFacts([]),
  ]);
  return checkTensorRtPlan({ gpus, host, docker: input.docker, releases, plan: input.plan, tools: null });
}
