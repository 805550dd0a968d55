import type { DockerFacts } from '../../contract/machine';
import type { PlanProvenance } from '../../contract/run/artefacts';
import type { DockerEngineSpec, Format, Framework } from '../../contract/run/run-spec';
import { imageFamily } from '../../contract/run/serving';
import type { DockerLink } from '../../docker/docker-link';
import { imageIsThere } from '../../docker/images/prepare-image';
import { formatOf } from '../../formats/formats';
import type { PreflightPlan } from '../../machine/preflight-input';
import { releaseOf } from '../../machine/releases';
import { portOwner } from '../local/listening-sockets';
import { type ImageSource, wantedImages } from './run-images';

const gibibyte = 2 ** 30;

/**
 * Room that an image takes with what it is made from, as seen of the images for the CPU and stated by NVIDIA's catalogue
 * for the others: rounded up, to be told before a disk is full.
 */
const imageBytes = { cpu: 4 * gibibyte, ngc: 25 * gibibyte } as const;

async function portOf(port: number): Promise<PreflightPlan['requestedPorts'][number]> {
  const owner = await portOwner(port);
  if (owner === null) return { port, owner: null, free: true };
  const name = owner.command === '' ? '' : ` (${owner.command.slice(0, 80)})`;
  return { port, owner: owner.pid === null ? null : `process ${owner.pid}${name}`, free: false };
}

/**
 * What a run in containers asks of the machine.
 * @param model format of what is served, null where that is not said, and the plan that was built of it.
 */
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
    // Images for the CPU serve it through the Python backend, which no release lacks.
    usesTensorFlow: family === 'ngc' && served?.newestNgcRelease !== undefined,
    tensorRtPlan: plan,
    imageBytesNeeded: absent.filter(Boolean).length * imageBytes[family],
  };
}
