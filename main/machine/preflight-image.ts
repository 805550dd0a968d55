import { releaseGrade } from './fitting-release';
import {
  gpusElsewhere,
  notApplicable,
  ok,
  type Outcome,
  type PreflightInput,
  problem,
  warning,
} from './preflight-docker';
import { releaseOfPlan } from './preflight-driver';
import { gpusOfPlan, withoutGpus } from './preflight-gpu';
import { compareVersions, type Releases } from './releases';

/** Whether a release without published flaws would work here. */
function couldKeepFloor(input: PreflightInput): boolean {
  const { plan, releases, gpus } = input;
  const { floor } = releases.security;
  if (plan.usesTensorFlow && compareVersions(releases.tensorflowBackend.newestRelease, floor) < 0)
    return false;
  if (withoutGpus(input) !== null) return true;
  const place = { gpus: gpusOfPlan(input), driver: gpus.driverVersion };
  return releases.releases.some(
    (release) =>
      compareVersions(release.release, floor) >= 0 && releaseGrade(release, place, releases) !== null,
  );
}

/** Newer releases contain a bulletin's fixes. */
export function checkSecurityFloor(input: PreflightInput): Outcome {
  const { plan, releases } = input;
  const { floor, bulletins } = releases.security;
  if (plan.release === null) {
    return plan.images === 'cpu'
      ? notApplicable(
          'The CPU image is for evaluation on this machine; NVIDIA does not publish releases of it.',
        )
      : warning(
          `The name of the image ${plan.tritonImage} does not contain its release; the security floor is ${floor}.`,
          `Check its Triton version: docker run --rm --entrypoint cat ${plan.tritonImage} /opt/tritonserver/TRITON_VERSION; the floor is Triton ${tritonVersionOf(releases, floor)}.`,
        );
  }
  const release = plan.release;
  if (compareVersions(release, floor) >= 0) return ok(`Release ${release}; the security floor is ${floor}.`);
  const open = bulletins.filter(({ fixedIn }) => compareVersions(release, fixedIn) < 0);
  const list = open
    .map(({ id, fixedIn, severity }) => `${String(id)} (${severity}, fixed in ${fixedIn})`)
    .join(', ');
  const finding = `Release ${release} is below the security floor ${floor}. NVIDIA security bulletins that apply: ${list}.`;
  if (plan.images === 'cpu') {
    return warning(
      `The CPU image contains an old Triton. ${finding}`,
      `Do not expose its ports; for production use the NGC images: --set engine.images=ngc --set engine.release=${floor}`,
    );
  }
  if (!couldKeepFloor(input)) {
    return warning(
      `${finding} No release from ${floor} on serves this model on this machine.`,
      'Do not expose its ports beyond this machine.',
    );
  }
  const remedy = `Use ${floor} or later: --set engine.release=${floor}. If you must keep the release, do not expose its ports beyond this machine.`;
  return open.some(({ severity }) => severity === 'critical')
    ? problem(finding, remedy)
    : warning(finding, remedy);
}

function tritonVersionOf({ releases }: Releases, release: string): string {
  return (
    releases.find((candidate) => candidate.release === release)?.tritonVersion ?? `of release ${release}`
  );
}

export function checkTensorFlowBackend({ plan, releases }: PreflightInput): Outcome {
  const newest = releases.tensorflowBackend.newestRelease;
  const last = `The TensorFlow backend is in releases up to ${newest}`;
  if (!plan.usesTensorFlow && plan.format === 'tf-savedmodel') {
    return notApplicable(
      `The CPU image runs a SavedModel with TensorFlow in Triton’s Python backend, so it needs no TensorFlow backend. Of NVIDIA’s images, releases up to ${newest} have one.`,
    );
  }
  if (!plan.usesTensorFlow) return notApplicable('The model does not use the TensorFlow backend.');
  const convert = 'convert the model to ONNX, which every release serves';
  if (plan.release === null) {
    return warning(
      `${last}; the name of the image ${plan.tritonImage} does not contain its release.`,
      `Check whether it has the backend: docker run --rm --entrypoint ls ${plan.tritonImage} /opt/tritonserver/backends. If not, ${convert}.`,
    );
  }
  if (compareVersions(plan.release, newest) <= 0) return ok(`${last}; ${plan.release} has it.`);
  const floor = releases.security.floor;
  const risk = compareVersions(newest, floor) < 0 ? ` (below the security floor ${floor})` : '';
  return problem(
    `${last}; ${plan.release} does not have it.`,
    `Preferably ${convert}; or use the newest release that has it${risk}: --set engine.release=${newest}`,
  );
}

/** TensorRT version from the image or its release; null if unknown. */
function servedTensorRt(input: PreflightInput): string | null {
  const release = releaseOfPlan(input);
  return input.plan.imageTensorRt ?? (typeof release === 'string' ? null : release.tensorrt);
}

function checkBuiltPlan(
  input: PreflightInput,
  { tensorrtVersion, computeCapability }: NonNullable<PreflightInput['plan']['tensorRtPlan']>,
): Outcome {
  const { plan } = input;
  // Local GPUs are irrelevant for a remote engine.
  const gpus = gpusElsewhere(input) === null ? gpusOfPlan(input) : [];
  const rebuild = `Build the plan again on this machine in the image of the same release, from the ONNX model: trtexec --onnx=model.onnx --saveEngine=model.plan`;
  const served = servedTensorRt(input);
  const built = `The plan was built with TensorRT ${tensorrtVersion ?? '(version unknown)'} for compute capability ${computeCapability ?? '(unknown)'}`;
  if (served !== null && tensorrtVersion !== null && !sameVersion(served, tensorrtVersion)) {
    const image = plan.release === null ? plan.tritonImage : `release ${plan.release}`;
    return problem(`${built}; ${image} has TensorRT ${served}.`, rebuild);
  }
  const other = gpus.find(
    (gpu) =>
      computeCapability !== null &&
      gpu.computeCapability !== null &&
      compareVersions(gpu.computeCapability, computeCapability) !== 0,
  );
  if (other !== undefined) {
    return problem(`${built}; ${other.name} has ${other.computeCapability ?? ''}.`, rebuild);
  }
  const gpusKnown = gpus.some((gpu) => gpu.computeCapability !== null);
  // A major version alone only proves incompatibility.
  const isExact = served !== null && served.split('.').length >= 3;
  if (isExact && tensorrtVersion !== null && computeCapability !== null && gpusKnown) {
    return ok(`${built}, which matches the image and the GPU.`);
  }
  return warning(`${built}. Whether it loads is unknown.${unknownFacts(isExact, gpusKnown)}`, rebuild);
}

function unknownFacts(servedKnown: boolean, gpusKnown: boolean): string {
  const unknown = [
    ...(servedKnown ? [] : ['the exact TensorRT version of the image']),
    ...(gpusKnown ? [] : ['the compute capability of the GPU']),
  ];
  return unknown.length === 0 ? '' : ` Unknown: ${unknown.join(', ')}.`;
}

/** Plans require their exact TensorRT version and compute capability. */
export function checkTensorRtPlan(input: PreflightInput): Outcome {
  const { plan } = input;
  if (plan.tensorRtPlan === null) {
    const format = plan.format === null ? '' : ` (format ${plan.format})`;
    return notApplicable(`The run does not use a TensorRT plan${format}.`);
  }
  if (plan.images === 'cpu') {
    return problem(
      'The run uses a TensorRT plan, but the CPU images have no TensorRT backend.',
      'Use the NGC images and a GPU (--set engine.images=ngc), or another format.',
    );
  }
  return checkBuiltPlan(input, plan.tensorRtPlan);
}

/** Compares common parts: "8.2.3" equals "8.2.3.0". */
function sameVersion(a: string, b: string): boolean {
  const [left, right] = [a.split('.'), b.split('.')];
  const length = Math.min(left.length, right.length);
  return left.slice(0, length).join('.') === right.slice(0, length).join('.');
}
