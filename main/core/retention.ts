import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RunSummary } from '../contract/run/run-summary';
import type { Settings } from '../contract/settings/settings';
import { DeploymentStore } from '../deployments/deployment-store';
import type { CoreParts } from './core-parts';

const dayMs = 24 * 3600 * 1000;

/** These can be continued, or are worked on. */
const unfinished: ReadonlySet<RunSummary['status']> = new Set([
  'created',
  'running',
  'interrupted',
  'paused',
]);

/**
 * The runs that a retention of so many days moves to the trash, oldest first. Whatever somebody has marked stays: a name, a
 * tag, a note; and what can be continued, is part of a deployment, was last changed within the days, or lies elsewhere (`--out`). Pure.
 */
export function retiredRuns(
  runs: readonly RunSummary[],
  {
    days,
    nowMs,
    deployed,
    folder,
  }: {
    readonly days: number;
    readonly nowMs: number;
    readonly deployed: ReadonlySet<string>;
    /** Of the runs of the home, without links in its path. */
    readonly folder: string;
  },
): readonly RunSummary[] {
  const isOld = ({ createdAt, updatedAt }: RunSummary): boolean => {
    const lastMs = Math.max(Date.parse(createdAt), Date.parse(updatedAt));
    return nowMs - lastMs > days * dayMs;
  };
  return runs
    .filter((run) => run.name === null && run.tags.length === 0 && run.note.trim() === '')
    .filter(({ status, damagedLines }) => !unfinished.has(status) && damagedLines.length === 0)
    .filter(({ runId }) => !deployed.has(runId))
    .filter(({ dir }) => dirname(dir) === folder)
    .filter(isOld)
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
}

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
