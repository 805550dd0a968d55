import type { GpuFacts } from '../contract/machine';
import { notApplicable, ok, type Outcome, type PreflightInput, problem, warning } from './preflight-docker';
import { gpusOfPlan, withoutGpus } from './preflight-gpu';
import { compareVersions, majorOf, type Release, releaseFault, type Releases } from './releases';

/** Driver compatibility with a release. */
type DriverFit =
  | { readonly kind: 'new-enough'; readonly needed: string }
  /** By forward-compatibility package. */
  | { readonly kind: 'branch-allowed'; readonly needed: string; readonly from: string }
  /** Allowed and excluded by different statements. */
  | { readonly kind: 'branch-doubtful'; readonly needed: string; readonly from: string }
  /** By that package; the notes name no branches. */
  | { readonly kind: 'forward-compatible'; readonly needed: string; readonly from: string }
  | { readonly kind: 'minor-version'; readonly needed: string; readonly from: string }
  | { readonly kind: 'too-old'; readonly needed: string }
  | { readonly kind: 'unknown' };

/** Table entry of the release's CUDA major version, or null. */
function cudaMajorOf(release: Release, releases: Releases): Releases['cuda']['majors'][number] | null {
  if (release.cuda === null) return null;
  const major = majorOf(release.cuda);
  return releases.cuda.majors.find((candidate) => candidate.major === major) ?? null;
}

/** Forward compatibility applies to GPUs whose name contains a listed word. */
export function isDataCentreGpu(gpu: GpuFacts, releases: Releases): boolean {
  const words = gpu.name.split(/[\s/_-]+/);
  // Workstation cards share words with data-center ones ("RTX A10"), not vice versa.
  if (words.some((word) => word === 'RTX' || word === 'GeForce' || word === 'Quadro')) return false;
  return words.some((word) => releases.dataCentreGpus.names.includes(word));
}

const higher = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && compareVersions(b, a) > 0) ? b : a;

/** Driver bundled with the release's CUDA, or null. */
function toolkitDriver({ cuda }: Release, { cuda: { toolkits } }: Releases): string | null {
  const minor = cuda === null ? '' : cuda.split('.').slice(0, 2).join('.');
  return toolkits.find((toolkit) => toolkit.cuda === minor)?.driver ?? null;
}

/** Compatibility of older drivers on data center GPUs, or null. */
function dataCentreFit(
  release: Release,
  driver: string,
  { stated, forward }: { readonly stated: string | null; readonly forward: string | null },
): {
  readonly kind: `branch-${'allowed' | 'doubtful'}` | 'forward-compatible';
  readonly from: string;
} | null {
  const branch = majorOf(driver);
  const isExcluded = release.excludedBranches.some((other) => majorOf(other) === branch);
  const from = release.dataCentreDrivers.find(
    (candidate) => majorOf(candidate) === branch && compareVersions(driver, candidate) >= 0,
  );
  // Notes that require less than their own CUDA.
  const isStale = release.driver !== null && stated !== null && compareVersions(release.driver, stated) < 0;
  if (from !== undefined && !isExcluded && !isStale) return { kind: 'branch-allowed', from };
  if (forward !== null && !isExcluded && compareVersions(driver, forward) >= 0) {
    return { kind: 'forward-compatible', from: forward };
  }
  return from === undefined ? null : { kind: 'branch-doubtful', from };
}

/** Maximum of notes, bundled driver and CUDA major version, as notes of CUDA 13 images repeated CUDA 12's number. */
export function driverFit(
  release: Release,
  driver: string,
  gpus: readonly GpuFacts[],
  releases: Releases,
): DriverFit {
  const { driver: least = null, forward = null } = cudaMajorOf(release, releases) ?? {};
  const stated = higher(release.driver, least);
  const needed = higher(stated, toolkitDriver(release, releases));
  if (needed === null) return { kind: 'unknown' };
  if (compareVersions(driver, needed) >= 0) return { kind: 'new-enough', needed };
  const isDataCentre = gpus.length > 0 && gpus.every((gpu) => isDataCentreGpu(gpu, releases));
  const fit = isDataCentre ? dataCentreFit(release, driver, { stated, forward }) : null;
  if (fit !== null) return { ...fit, needed };
  if (least !== null && compareVersions(driver, least) >= 0) {
    return { kind: 'minor-version', needed, from: least };
  }
  // Minimum to start, with limitations.
  return { kind: 'too-old', needed: stated ?? needed };
}

/** The plan's release, or why it is unknown. */
export function releaseOfPlan({ plan, releases }: PreflightInput): Release | string {
  if (plan.release === null)
    return `The name of the image ${plan.tritonImage} does not contain its NGC release.`;
  const found = releases.releases.find(({ release }) => release === plan.release);
  return found ?? `The release table has no entry for ${plan.release}.`;
}

export function checkDriver(input: PreflightInput): Outcome {
  const nothing = withoutGpus(input);
  if (nothing !== null) return notApplicable(nothing);
  const driver = input.gpus.driverVersion;
  if (driver === null) {
    return warning(
      'nvidia-smi does not report the driver version.',
      'Run nvidia-smi. If it shows no driver version, reinstall the NVIDIA driver and restart the machine.',
    );
  }
  const release = releaseOfPlan(input);
  if (typeof release === 'string') return notApplicable(`Driver ${driver}. ${release}`);
  return judge(input, driver, release);
}

function judge(input: PreflightInput, driver: string, release: Release): Outcome {
  const gpus = gpusOfPlan(input);
  const fit = driverFit(release, driver, gpus, input.releases);
  const cuda = release.cuda === null ? '' : ` (CUDA ${release.cuda})`;
  const image = `release ${release.release}${cuda}`;
  if (fit.kind === 'unknown') {
    return notApplicable(`Driver ${driver}; the driver that ${image} requires is unknown.`);
  }
  const remedy = driverRemedy(input, driver, fit.needed, release);
  const needs = `Driver ${driver}; ${image} requires ${fit.needed} or later`;
  switch (fit.kind) {
    case 'new-enough':
      return ok(`${needs}.`);
    case 'branch-allowed':
      return ok(`${needs}, or ${fit.from} and later R${branchOf(driver)} on data center GPUs such as these.`);
    case 'branch-doubtful':
      return warning(
        `${needs}. Its notes allow ${fit.from} and later R${branchOf(driver)} on data center GPUs, but contradict themselves: forward compatibility may fail for CUDA ${release.cuda ?? ''}.`,
        remedy,
      );
    case 'forward-compatible':
      return warning(
        `${needs} for all of its features. On data center GPUs such as these, R${branchOf(fit.from)} and later run it by CUDA forward compatibility, which the entrypoint of NVIDIA's images enables.`,
        remedy,
      );
    case 'minor-version':
      return warning(
        `${needs}. It may still run: CUDA ${branchOf(release.cuda ?? '')}.x runs on driver ${fit.from} and later with limited features, but code that is compiled at run time (PTX) fails.`,
        remedy,
      );
    case 'too-old': {
      const others = gpus.filter((gpu) => !isDataCentreGpu(gpu, input.releases));
      const branches = release.dataCentreDrivers.join(', ');
      const why =
        branches === ''
          ? ''
          : others.length > 0
            ? ` Older branches (${branches}) are allowed only on data center GPUs, which ${others.map(({ name }) => name).join(', ')} is not.`
            : ` Of older branches only ${branches} and later are allowed.`;
      return problem(`${needs}.${why}`, remedy);
    }
  }
}

const branchOf = (version: string): string => String(majorOf(version));

const isOffered = ({ plan }: PreflightInput, { release }: Release): boolean =>
  releaseFault(release, plan.buildsClient) === null;

/**
 * Open kernel modules support Turing and later; Blackwell and Grace Hopper have only these. Source: NVIDIA's driver
 * installation guide, "Kernel Modules".
 */
const takeOpenModules = (gpus: readonly GpuFacts[]): boolean =>
  gpus.length > 0 &&
  gpus.every(({ computeCapability, architecture }) =>
    computeCapability === null
      ? /^(Turing|Ampere|Ada|Hopper|Blackwell)/.test(architecture ?? '')
      : compareVersions(computeCapability, '7.5') >= 0,
  );

/** Without a full stop. */
export const installDriver = (needed: string, gpus: readonly GpuFacts[]): string =>
  `Install driver ${needed} or later and restart the machine. On Ubuntu: sudo apt-get install nvidia-driver-${branchOf(needed)}${takeOpenModules(gpus) ? '-open' : ''}`;

function driverRemedy(input: PreflightInput, driver: string, needed: string, release: Release): string {
  const gpus = gpusOfPlan(input);
  const { releases } = input;
  const older = releases.releases.find((candidate) => {
    if (compareVersions(candidate.release, release.release) >= 0 || !isOffered(input, candidate))
      return false;
    const { kind } = driverFit(candidate, driver, gpus, releases);
    return kind === 'new-enough' || kind === 'branch-allowed';
  });
  const install = installDriver(needed, gpus);
  if (older === undefined)
    return `${install}. No older release that the workbench runs fits driver ${driver} without a warning.`;
  const below = compareVersions(older.release, releases.security.floor) < 0;
  const floor = below ? `, which is below the security floor ${releases.security.floor}` : '';
  return `${install}. Or use release ${older.release}, the newest that driver ${driver} supports${floor}.`;
}

/** Checks compute capability and GPU family. */
export function checkComputeCapability(input: PreflightInput): Outcome {
  const nothing = withoutGpus(input);
  if (nothing !== null) return notApplicable(nothing);
  const release = releaseOfPlan(input);
  if (typeof release === 'string') return notApplicable(release);
  const least = leastCapability(input, release);
  if (least === null) {
    return notApplicable(`The minimum compute capability of release ${release.release} is unknown.`);
  }
  const gpus = gpusOfPlan(input);
  const known = gpus.flatMap(({ name, computeCapability, architecture }) =>
    computeCapability === null ? [] : [{ name, computeCapability, architecture }],
  );
  if (known.length === 0) {
    return notApplicable(`The compute capability of ${gpus.map(({ name }) => name).join(', ')} is unknown.`);
  }
  const found = known.map(({ name, computeCapability }) => `${name}: ${computeCapability}`).join('; ');
  const needs = `${found}; release ${release.release} requires ${least} or later`;
  const weak = known.filter(({ computeCapability }) => compareVersions(computeCapability, least) < 0);
  if (weak.length > 0) {
    const fits = input.releases.releases.find((candidate) => {
      const limit = leastCapability(input, candidate);
      return (
        isOffered(input, candidate) &&
        limit !== null &&
        weak.every((gpu) => compareVersions(gpu.computeCapability, limit) >= 0)
      );
    });
    const other = 'Use a newer GPU';
    return problem(
      `${needs}.`,
      fits === undefined
        ? `${other}: no release that the workbench runs supports this one.`
        : `${other}, or release ${fits.release}, the newest that supports this one.`,
    );
  }
  const unnamed = known.find(({ architecture }) => architecture !== null && !names(release, architecture));
  if (unnamed !== undefined && release.architectures.length > 0)
    return tooNew(input, release, unnamed, needs);
  return ok(`${needs}.`);
}

export function leastCapability(
  { releases }: Pick<PreflightInput, 'releases'>,
  release: Release,
): string | null {
  return release.computeCapability ?? cudaMajorOf(release, releases)?.computeCapability ?? null;
}

/** Drivers print "Ada Lovelace" or "Ada". */
export function names(release: Release, architecture: string): boolean {
  return release.architectures.some((name) => name.split(' ')[0] === architecture.split(' ')[0]);
}

function tooNew(
  { releases }: PreflightInput,
  release: Release,
  { name, architecture }: { readonly name: string; readonly architecture: string | null },
  needs: string,
): Outcome {
  const first = releases.releases.find((candidate) => names(candidate, architecture ?? ''));
  return warning(
    `${needs}. Its notes name ${release.architectures.join(', ')}, not ${architecture ?? ''} (${name}): code for this GPU is compiled at first use, or missing.`,
    first === undefined
      ? 'Check the release notes of newer releases for this GPU.'
      : `Use a release that names it, such as ${first.release}.`,
  );
}
