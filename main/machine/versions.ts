/**
 * Below zero, zero or above as `a` is older than, equal to or newer than `b`: number by number,
 * so that 525.85 is before 525.105. Missing parts are zero, what is no number is not looked at.
 */
export function compareVersions(a: string, b: string): number {
  const left = parts(a);
  const right = parts(b);
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The number before the first dot: the branch of a driver ("535" of "535.86.10"), the major version of CUDA. */
export function majorOf(version: string): number {
  return parts(version)[0] ?? 0;
}

function parts(version: string): readonly number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number);
}
