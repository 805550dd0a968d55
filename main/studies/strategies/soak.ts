import type { SoakStrategy } from '../../contract/study/soak';

/** What to do next: the same load in so many windows, then perhaps the model anew. */
export interface SoakPart {
  readonly windows: number;
  readonly windowMs: number;
  readonly reloadsAfter: boolean;
}

/** Less is not begun. */
const leastMs = 1000;

/** null: it is at its end. @param soakedMs how long it has been under load. Pure. */
export function nextSoakPart(
  { forMs, sliceMs, reloadMs }: Pick<SoakStrategy, 'forMs' | 'sliceMs' | 'reloadMs'>,
  soakedMs: number,
): SoakPart | null {
  const left = forMs - soakedMs;
  const least = Math.min(leastMs, reloadMs ?? leastMs);
  if (left < least) return null;
  // After a reload there is load again.
  const part = reloadMs === undefined || left - reloadMs < least ? left : reloadMs;
  const windows = Math.max(1, Math.round(part / sliceMs));
  return { windows, windowMs: Math.max(1, Math.round(part / windows)), reloadsAfter: part < left };
}
