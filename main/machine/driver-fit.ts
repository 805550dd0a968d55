import type { GpuFacts } from '../contract/machine';
import type { Release, Releases } from './releases';
import { compareVersions, majorOf } from './versions';

/** How a driver stands to a release. */
export type DriverFit =
  | { readonly kind: 'new-enough'; readonly needed: string }
  /** By the image's forward-compatibility package. */
  | { readonly kind: 'branch-allowed'; readonly needed: string; readonly from: string }
  /** Allowed by one statement of the notes and excluded by another. */
  | { readonly kind: 'branch-doubtful'; readonly needed: string; readonly from: string }
  | { readonly kind: 'minor-version'; readonly needed: string; readonly from: string }
  | { readonly kind: 'too-old'; readonly needed: string }
  | { readonly kind: 'unknown' };

/** What the table says of the CUDA major version of a release; null where it says nothing. */
export function cudaMajorOf(release: Release, releases: Releases): Releases['cuda']['majors'][number] | null {
  if (release.cuda === null) return null;
  const major = majorOf(release.cuda);
  return releases.cuda.majors.find((candidate) => candidate.major === major) ?? null;
}

/** A GPU that forward compatibility holds for: a whole word of its name is in the table's list. */
export function isDataCentreGpu(gpu: GpuFacts, releases: Releases): boolean {
  const words = gpu.name.split(/[\s/_-]+/);
  // Workstation cards share words with data-centre ones ("RTX A10"), never the other way about.
  if (words.some((word) => word === 'RTX' || word === 'GeForce' || word === 'Quadro')) return false;
  return words.some((word) => releases.dataCentreGpus.names.includes(word));
}

/**
 * The driver that a release needs is the higher of what its notes state and what its CUDA major version needs:
 * notes of CUDA 13 images carried the number of CUDA 12 on.
 */
export function driverFit(
  release: Release,
  driver: string,
  gpus: readonly GpuFacts[],
  releases: Releases,
): DriverFit {
  const least = cudaMajorOf(release, releases)?.driver ?? null;
  const needed = [release.driver, least].reduce(
    (a, b) => (a === null || (b !== null && compareVersions(b, a) > 0) ? b : a),
    null,
  );
  if (needed === null) return { kind: 'unknown' };
  if (compareVersions(driver, needed) >= 0) return { kind: 'new-enough', needed };
  const branch = majorOf(driver);
  const from = release.dataCentreDrivers.find(
    (candidate) => majorOf(candidate) === branch && compareVersions(driver, candidate) >= 0,
  );
  if (from !== undefined && gpus.length > 0 && gpus.every((gpu) => isDataCentreGpu(gpu, releases))) {
    const excluded = release.excludedBranches.some((other) => majorOf(other) === branch);
    const stale = release.driver !== null && compareVersions(release.driver, needed) < 0;
    return { kind: excluded || stale ? 'branch-doubtful' : 'branch-allowed', needed, from };
  }
  if (least !== null && compareVersions(driver, least) >= 0) {
    return { kind: 'minor-version', needed, from: least };
  }
  return { kind: 'too-old', needed };
}
