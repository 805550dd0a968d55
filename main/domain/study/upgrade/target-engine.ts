import type { RunSpec } from '../../../contract/run/run-spec';
import type { UpgradeTarget } from '../../../contract/study/upgrade';

/** The part of a specification that names what a target executes; null: a release of NVIDIA, which needs no consent. Pure. */
export function engineOfTarget(to: UpgradeTarget): RunSpec['engine'] | null {
  if ('environment' in to) return { kind: 'local', environment: to.environment };
  return 'image' in to ? { kind: 'docker', tritonImage: to.image, gpus: [], shmSizeMiB: 64 } : null;
}
