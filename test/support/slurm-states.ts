import type { RunSummary } from '../../main/contract/api';
import { shortWaitText } from '../../main/contract/run/run-events';
import type { RunStore } from '../../main/store/run-store';
import type { TestCluster } from './slurm';

/** Compares what the list of runs says with what the cluster says, all the time. */
export interface StateWatch {
  /** How long after a change on the cluster the list said it, a line each. */
  text(): string;
  stop(): void;
}

const everyMs = 250;

/** What the list must say of a run whose job is in this state; null: nothing that the job decides. */
const agrees: Readonly<Record<string, (run: RunSummary, node: string) => boolean>> = {
  PENDING: ({ status, waitsFor }) =>
    status === 'running' && waitsFor !== null && shortWaitText(waitsFor).startsWith('Queued on work'),
  RUNNING: ({ status, job, waitsFor }, node) =>
    status === 'running' && (waitsFor?.what.endsWith(node) === true || job?.node === node),
  CANCELLED: ({ status }) => status === 'cancelled',
  TIMEOUT: ({ status, job }) => status === 'paused' && job?.end === 'time-limit',
  COMPLETED: ({ status }) => status === 'done',
};

interface Change {
  readonly id: string;
  readonly state: string;
  readonly node: string;
  readonly atMs: number;
}

export function startStateWatch({ slurm }: TestCluster, store: RunStore): StateWatch {
  const last = new Map<string, Change>();
  const lines: string[] = [];
  const state = { stopped: false };
  const sample = async () => {
    const options = ['--me', '--array', '--noheader', '--states=all', '--format=%i|%T|%N'];
    const jobs = await slurm('squeue', ...options).catch(() => '');
    const { runs } = await store.list();
    const now = performance.now();
    for (const line of jobs.split('\n')) {
      const [id = '', word = '', node = ''] = line.split('|');
      const before = last.get(id);
      const change = before?.state === word ? before : { id, state: word, node, atMs: now };
      last.set(id, change);
      const run = runs.find(({ job }) => job?.id === id);
      if (run === undefined || change.atMs < 0 || agrees[word]?.(run, node) !== true) continue;
      lines.push(`${id} ${word} ${node}: ${((now - change.atMs) / 1000).toFixed(1)} s`);
      last.set(id, { ...change, atMs: -1 });
    }
  };
  const again = () => {
    if (state.stopped) return;
    setTimeout(() => {
      sample()
        .catch(() => undefined)
        .finally(again);
    }, everyMs);
  };
  again();
  return {
    text: () => {
      const never = [...last.values()].filter(({ state: word, atMs }) => atMs >= 0 && word in agrees);
      return [...lines, ...never.map(({ id, state: word }) => `${id} ${word}: never said`)].join('\n');
    },
    stop: () => {
      state.stopped = true;
    },
  };
}
