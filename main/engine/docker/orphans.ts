import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { NetworkLabels } from '../../docker/labels';
import { isHeldElsewhere, leaseFile, leaseHolder } from '../../store/lease';

/** How long the containers of a dead workbench wait for `resume` to take them up. */
export const adoptionMs = 30 * 60_000;

/**
 * True for containers and networks of runs that nobody works on. Within `graceMs` of the last sign of life of their workbench they
 * are left for `resume`. Whether a workbench on another machine or in another PID namespace lives cannot be looked up from
 * here: its containers are kept for `adoptionMs` whatever `graceMs` is, and no longer, as a namespace ends with its
 * container and nothing of the same one ever comes back for them. A run that was ended in an orderly way has no lease and
 * leaves nothing to take up.
 */
export async function isOrphan(
  { runDir }: Pick<NetworkLabels, 'runDir'>,
  graceMs: number,
  now: number,
): Promise<boolean> {
  if ((await leaseHolder(runDir).catch(() => null)) !== null) return false;
  const isElsewhere = await isHeldElsewhere(runDir).catch(() => false);
  const last = await stat(join(runDir, leaseFile)).catch(() => null);
  return last === null || now - last.mtimeMs > (isElsewhere ? Math.max(graceMs, adoptionMs) : graceMs);
}
