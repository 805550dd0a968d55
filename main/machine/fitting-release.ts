import type { GpuFacts } from '../contract/machine';
import { driverFit, installDriver, leastCapability, names } from './preflight-driver';
import { compareVersions, type Release, releaseFault, type Releases } from './releases';

export interface ReleaseNeeds {
  readonly newest: string;
  /** Oldest allowed release, if limited. */
  readonly oldest?: string | undefined;
  /** Reason for `newest`: "the last with a backend for TensorFlow SavedModel". */
  readonly because: string;
  /** The client image uses the release's PyTorch image. */
  readonly buildsClient: boolean;
}

/** GPUs and driver; null if not reported. */
export interface ReleasePlace {
  readonly gpus: readonly GpuFacts[];
  readonly driver: string | null;
}

export type FittingRelease =
  /** `reason`: a full sentence naming the release. */
  | { readonly kind: 'fits'; readonly release: string; readonly reason: string }
  | { readonly kind: 'none'; readonly finding: string; readonly remedy: string };

/** GPUs that the release's code is not compiled for. */
function weakGpus(release: Release, { gpus }: ReleasePlace, releases: Releases): readonly GpuFacts[] {
  const least = leastCapability({ releases }, release);
  if (least === null) return [];
  return gpus.filter(
    ({ computeCapability }) => computeCapability !== null && compareVersions(computeCapability, least) < 0,
  );
}

const driverGrades = {
  'new-enough': 0,
  'branch-allowed': 0,
  'forward-compatible': 1,
  'minor-version': 1,
  'branch-doubtful': 2,
  unknown: 2,
} as const;

/** Worse than any driver limitation: code is compiled at first use, or missing. */
const unnamedGpu = 3;

/** Preflight grade; 0 without warnings, null if it cannot start. */
export function releaseGrade(release: Release, place: ReleasePlace, releases: Releases): number | null {
  const { gpus, driver } = place;
  if (weakGpus(release, place, releases).length > 0) return null;
  const { kind } =
    driver === null ? { kind: 'unknown' as const } : driverFit(release, driver, gpus, releases);
  if (kind === 'too-old') return null;
  const isNamed = gpus.every(({ architecture }) => architecture === null || names(release, architecture));
  const unnamed = isNamed || release.architectures.length === 0 ? 0 : unnamedGpu;
  return driverGrades[kind] + unnamed;
}

/** "Tesla T4 (compute capability 7.5)", without duplicates. */
function gpuText(gpus: readonly GpuFacts[]): string {
  const texts = gpus.map(({ name, computeCapability }) =>
    computeCapability === null ? name : `${name} (compute capability ${computeCapability})`,
  );
  return [...new Set(texts)].join(', ');
}

/** Driver limitation, as a sentence's end. */
function caution(chosen: Release, { gpus, driver }: ReleasePlace, releases: Releases): string {
  if (driver === null) return '';
  const { kind } = driverFit(chosen, driver, gpus, releases);
  if (kind === 'forward-compatible') return ', by CUDA forward compatibility';
  if (kind === 'minor-version') return ', with limited features (CUDA minor-version compatibility)';
  return kind === 'branch-doubtful' ? ", although NVIDIA's notes contradict themselves on this driver" : '';
}

/** Why the next newer release was not chosen. */
function reasonFor(chosen: Release, next: Release | undefined, place: ReleasePlace, all: FitInput): string {
  const { releases, needs } = all;
  const { driver, gpus } = place;
  const limits = caution(chosen, place, releases);
  if (next === undefined) {
    const on = driver === null ? gpuText(gpus) : `${gpuText(gpus)} with driver ${driver}`;
    return `Release ${chosen.release} is ${needs.because}, and runs on ${on}${limits}.`;
  }
  const weak = weakGpus(next, place, releases);
  if (weak.length > 0) {
    const least = leastCapability({ releases }, next) ?? '';
    return `Release ${chosen.release} is the newest that supports ${gpuText(weak)}${limits}: release ${next.release} requires ${least}.`;
  }
  const fit = driver === null ? null : driverFit(next, driver, gpus, releases);
  if (fit === null || fit.kind === 'unknown' || fit.kind === 'new-enough') {
    return `Release ${chosen.release} is the newest whose notes name ${gpuText(gpus)}${limits}.`;
  }
  return `Release ${chosen.release} is the newest that driver ${driver ?? ''} supports${limits}: release ${next.release} requires ${fit.needed}.`;
}

interface FitInput {
  readonly releases: Releases;
  readonly needs: ReleaseNeeds;
}

/** Why no release can start. */
function refusal(
  candidates: readonly Release[],
  place: ReleasePlace,
  { releases, needs }: FitInput,
): FittingRelease {
  const { gpus, driver } = place;
  const capable = candidates.filter((release) => weakGpus(release, place, releases).length === 0);
  const [newest] = capable;
  if (newest === undefined || driver === null) {
    const limits = candidates.flatMap((release) => leastCapability({ releases }, release) ?? []);
    const least = limits.toSorted(compareVersions)[0] ?? '';
    const weak = gpus.filter(
      ({ computeCapability }) => computeCapability !== null && compareVersions(computeCapability, least) < 0,
    );
    const who = gpuText(weak.length > 0 ? weak : gpus);
    const oldest = candidates.at(-1)?.release;
    return {
      kind: 'none',
      finding:
        oldest === undefined
          ? `No known release up to ${needs.newest} can be run by the workbench.`
          : `No release that the workbench runs (${oldest} to ${needs.newest}) supports ${who}.`,
      remedy:
        oldest === undefined
          ? 'Name a Triton image and a client image of your own.'
          : `Use a GPU of compute capability ${least} or later, or run without a GPU.`,
    };
  }
  const fit = driverFit(newest, driver, gpus, releases);
  const needed = fit.kind === 'unknown' ? '' : fit.needed;
  const older = releases.releases.find(
    (release) =>
      releaseFault(release.release, needs.buildsClient) !== null &&
      releaseGrade(release, place, releases) !== null,
  );
  const fault = older === undefined ? null : releaseFault(older.release, needs.buildsClient);
  const notOffered =
    older === undefined || fault === null
      ? ''
      : ` Release ${older.release} supports it, but is not offered: ${fault.reason}.`;
  return {
    kind: 'none',
    finding: `Driver ${driver} is too old for every release that supports ${gpuText(gpus)}: release ${newest.release} requires ${needed} or later.${notOffered}`,
    remedy: `${installDriver(needed, gpus)}.`,
  };
}

/** The newest startable release with the mildest warning; releases without published flaws come first. */
export function fittingRelease(place: ReleasePlace, input: FitInput): FittingRelease {
  const { releases, needs } = input;
  const candidates = releases.releases.filter(
    ({ release }) =>
      compareVersions(release, needs.newest) <= 0 &&
      compareVersions(release, needs.oldest ?? release) >= 0 &&
      releaseFault(release, needs.buildsClient) === null,
  );
  const graded = candidates.flatMap((release, index) => {
    const grade = releaseGrade(release, place, releases);
    if (grade === null) return [];
    const isSafe = compareVersions(release.release, releases.security.floor) >= 0;
    return [{ release, index, grade, isPreferred: isSafe && grade <= driverGrades['minor-version'] }];
  });
  // Flaws outrank driver limitations. The sort is stable, so the newest stays first.
  const [best] = graded.toSorted(
    (a, b) => Number(b.isPreferred) - Number(a.isPreferred) || a.grade - b.grade,
  );
  if (best === undefined) return refusal(candidates, place, input);
  const { release, index } = best;
  const reason = reasonFor(release, candidates[index - 1], place, input);
  return { kind: 'fits', release: release.release, reason };
}
