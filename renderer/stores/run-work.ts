import type { RunStatus } from '../../main/contract/run/run-state';
import type { Client } from '../client';
import type { Workbench } from '../workbench';

export type RunWork = 'pause' | 'cancel' | 'resume';

const resumable = new Set<RunStatus>([
  'created',
  'interrupted',
  'failed',
  'gate-failed',
  'cancelled',
  'paused',
]);

export const hasFailed = (status: RunStatus): boolean => status === 'failed' || status === 'gate-failed';

export function worksFor(status: RunStatus): readonly RunWork[] {
  if (status === 'running') return ['pause', 'cancel'];
  return resumable.has(status) ? ['resume'] : [];
}

/** Rejects with a WorkbenchError. */
export async function doRunWork(client: Client, runId: string, work: RunWork): Promise<void> {
  await client.call(`runs.${work}`, { runId });
}

/** One after the other; a refusal does not stop the rest. Rejects with the first refusal. */
export async function eachRun(
  runIds: readonly string[],
  work: (runId: string) => Promise<unknown>,
): Promise<void> {
  const refusals: unknown[] = [];
  for (const runId of runIds) {
    await work(runId).catch((error: unknown) => refusals.push(error));
  }
  if (refusals.length > 0) throw refusals[0];
}

/** Brings runs back from the trash; the list shows those that are back. Rejects with the first refusal. */
export async function restoreRuns(
  { client, runs }: Pick<Workbench, 'client' | 'runs'>,
  runIds: readonly string[],
): Promise<void> {
  try {
    await eachRun(runIds, (runId) => client.call('runs.restore', { runId }));
  } finally {
    await runs.getState().load();
  }
}
