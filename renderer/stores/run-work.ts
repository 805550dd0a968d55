import type { RunStatus } from '../../main/contract/run/run-state';
import type { Client } from '../client';

export type RunWork = 'pause' | 'cancel' | 'resume';

const resumable = new Set<RunStatus>([
  'created',
  'interrupted',
  'failed',
  'gate-failed',
  'cancelled',
  'paused',
]);

/** Something is to be put right before, or beside, another try. */
export const hasFailed = (status: RunStatus): boolean => status === 'failed' || status === 'gate-failed';

/** What can be done with a run in this state. */
export function worksFor(status: RunStatus): readonly RunWork[] {
  if (status === 'running') return ['pause', 'cancel'];
  return resumable.has(status) ? ['resume'] : [];
}

/** Rejects with a WorkbenchError. */
export async function doRunWork(client: Client, runId: string, work: RunWork): Promise<void> {
  switch (work) {
    case 'pause':
      await client.call('runs.pause', { runId });
      return;
    case 'cancel':
      await client.call('runs.cancel', { runId });
      return;
    case 'resume':
      await client.call('runs.resume', { runId });
  }
}
