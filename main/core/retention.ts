import { realpath } from 'node:fs/promises';
import type { Settings } from '../contract/settings/settings';
import { DeploymentStore } from '../deployments/deployment-store';
import { retiredRuns } from '../home/retention';
import type { CoreParts } from './core-parts';

/** The runs that this retention moves to the trash; none that a deployment was made of. */
export async function findRetired(
  { store, layout, now }: Pick<CoreParts, 'store' | 'layout' | 'now'>,
  days: number,
): Promise<ReturnType<typeof retiredRuns>> {
  const deployments = new DeploymentStore(layout.deployments);
  const deployed = new Set<string>();
  for (const id of await deployments.ids()) {
    const { deployment } = await deployments.load(id);
    for (const { active, previous } of Object.values(deployment.models)) {
      for (const version of [active, previous]) if (version !== null) deployed.add(version.runId);
    }
  }
  const { runs } = await store.list();
  const folder = await realpath(layout.runs).catch(() => layout.runs);
  return retiredRuns(runs, { days, nowMs: now().getTime(), deployed, folder });
}

/** Moves what the retention of the settings names to the trash. @returns the ids of these runs. */
export async function retireRuns(
  parts: Pick<CoreParts, 'store' | 'layout' | 'now' | 'trash'>,
  settings: Pick<Settings, 'runs.keepDays'>,
): Promise<readonly string[]> {
  const days = settings['runs.keepDays'];
  if (days === null) return [];
  const retired: string[] = [];
  for (const { runId } of await findRetired(parts, days)) {
    // One that somebody has just taken up stays.
    await parts.trash.remove(runId).then(
      () => retired.push(runId),
      () => undefined,
    );
  }
  return retired;
}
