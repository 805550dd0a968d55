import type { JobEnd, JobStatus } from '../../contract/job/run-job';

/** The name is last, because it may contain the separator. */
export const squeueFormat = '%i|%T|%r|%P|%N|%j';

/** Final states of squeue(1). */
const ends: Readonly<Record<string, JobEnd>> = {
  BOOT_FAIL: 'node-failure',
  CANCELLED: 'cancelled',
  COMPLETED: 'finished',
  DEADLINE: 'time-limit',
  FAILED: 'failed',
  NODE_FAIL: 'node-failure',
  OUT_OF_MEMORY: 'out-of-memory',
  PREEMPTED: 'preempted',
  REVOKED: 'cancelled',
  TIMEOUT: 'time-limit',
};

const queued: ReadonlySet<string> = new Set([
  'PENDING',
  'REQUEUED',
  'REQUEUE_FED',
  'REQUEUE_HOLD',
  'SPECIAL_EXIT',
  'RESV_DEL_HOLD',
]);
const ending: ReadonlySet<string> = new Set(['COMPLETING', 'STAGE_OUT', 'SIGNALING', 'STOPPED']);

function phaseOf(state: string): JobStatus['phase'] {
  if (ends[state] !== undefined) return 'ended';
  if (queued.has(state)) return 'queued';
  return ending.has(state) ? 'ending' : 'running';
}

const given = (text: string | undefined): string | null =>
  text === undefined || text === '' || text === 'None' || text === '(null)' ? null : text;

/** Jobs by id ("12", "12_3") from `squeue --array --noheader` in {@link squeueFormat}. */
export function parseSqueue(text: string): ReadonlyMap<string, JobStatus> {
  const jobs = new Map<string, JobStatus>();
  for (const line of text.split('\n')) {
    const [id = '', state = '', reason, partition = '', node, ...name] = line.trim().split('|');
    if (!/^\d+(_\d+)?$/.test(id)) continue;
    const phase = phaseOf(state);
    jobs.set(id, {
      phase,
      name: name.join('|'),
      partition,
      reason: phase === 'queued' ? given(reason) : null,
      node: given(node),
      end: ends[state] ?? null,
    });
  }
  return jobs;
}

/** Field order of `sacct --parsable2 --noheader`. */
export const sacctFields = 'JobID,State,Partition,NodeList,JobName';

/** Parses the accounting database, which keeps jobs that the controller has dropped. */
export function parseSacct(text: string): ReadonlyMap<string, JobStatus> {
  const lines = text.split('\n').map((line) => {
    const [id = '', state = '', partition = '', node = '', ...name] = line.split('|');
    // "CANCELLED by 1000".
    const [word = ''] = state.split(' ');
    return [id, word, 'None', partition, node === 'None assigned' ? '' : node, name.join('|')].join('|');
  });
  return parseSqueue(lines.join('\n'));
}

/** Id from `sbatch --parsable` ("12" or "12;cluster"), or null. */
export const parseSubmitted = (text: string): string | null =>
  /^(\d+)(;[^\s]+)?$/.exec(text.trim().split('\n').at(-1) ?? '')?.[1] ?? null;

export interface Partition {
  readonly name: string;
  readonly isDefault: boolean;
  readonly isUp: boolean;
  readonly timeLimit: string;
  readonly nodes: number;
  /** "gpu:a100:4"; null without generic resources. */
  readonly gres: string | null;
}

export const sinfoFormat = '%P|%a|%l|%D|%G';

/** From `sinfo --noheader` in {@link sinfoFormat}; mixed partitions have several lines. */
export function parseSinfo(text: string): readonly Partition[] {
  const partitions = new Map<string, Partition>();
  for (const line of text.split('\n')) {
    const [marked = '', available = '', timeLimit = '', count = '', gres] = line.trim().split('|');
    const nodes = Number(count);
    if (marked === '' || !Number.isInteger(nodes)) continue;
    const name = marked.replace(/\*$/, '');
    const before = partitions.get(name);
    const all = [before?.gres ?? null, given(gres)].filter((one) => one !== null);
    partitions.set(name, {
      name,
      isDefault: marked.endsWith('*'),
      isUp: available === 'up',
      timeLimit,
      nodes: nodes + (before?.nodes ?? 0),
      gres: all.length === 0 ? null : [...new Set(all)].join(', '),
    });
  }
  return [...partitions.values()];
}

const killLine = /\*\*\* (?:JOB|STEP) [\d._]+ ON \S+ CANCELLED AT \S+(?: DUE TO (.+?))? \*\*\*/g;

const killReasons: readonly (readonly [RegExp, JobEnd])[] = [
  [/TIME LIMIT/i, 'time-limit'],
  [/PREEMPT/i, 'preempted'],
  [/REQUEUE/i, 'requeued'],
  [/NODE FAIL/i, 'node-failure'],
];

/** The reason that slurmstepd logs before it ends a job, or null. */
export function parseKillLine(log: string): JobEnd | null {
  const last = [...log.matchAll(killLine)].at(-1);
  if (last === undefined) return null;
  return killReasons.find(([pattern]) => pattern.test(last[1] ?? ''))?.[1] ?? 'cancelled';
}
