import type { ModelState } from '../contract/monitor';
import type { RepositoryEntry } from '../triton/client';
import type { RateChange } from './rates';

/** What is known of a model beyond what Triton says of it. */
export interface ModelHealth {
  /** Probes that failed one after the other. */
  readonly failedProbes: number;
  /** Of them those since the last poll. */
  readonly failedSincePoll: number;
  /** Polls one after the other in which at least half of the requests failed. */
  readonly failedPolls: number;
  /** Why it counts as failing; null while it does not. */
  readonly failing: string | null;
}

export const soundModel: ModelHealth = {
  failedProbes: 0,
  failedSincePoll: 0,
  failedPolls: 0,
  failing: null,
};

export type ProbeResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Triton's words for a Python model whose process has died: it never answers again until it is loaded anew. */
const deadStub = /Stub process .* is not healthy/i;

/** After one probe: a second failure in a row, or one that no retry mends, and the model is failing. Pure. */
export function judgeProbe(before: ModelHealth, result: ProbeResult): ModelHealth {
  if (result.ok) return soundModel;
  const failedProbes = before.failedProbes + 1;
  const bad = failedProbes >= 2 || deadStub.test(result.reason);
  const failedSincePoll = before.failedSincePoll + 1;
  return { ...before, failedProbes, failedSincePoll, failing: bad ? result.reason : before.failing };
}

/** After one poll: the requests of everybody, by Triton's own counters. Pure. */
export function judgeCounters(before: ModelHealth, change: RateChange): ModelHealth {
  if (change.reset) return soundModel;
  const polled = { ...before, failedSincePoll: 0 };
  const { failures } = change;
  const successes = Math.max(0, change.successes - ownSuccesses(before, failures));
  const requests = successes + failures;
  if (requests === 0) return polled;
  if (failures * 2 < requests) {
    // Others are served: a probe that is refused says something of the probe.
    return { ...polled, failedPolls: 0, failing: null };
  }
  const failedPolls = before.failedPolls + 1;
  const bad = failures >= 2 || failedPolls >= 2;
  const text = `${failures} of ${change.successes + failures} requests failed since the last poll`;
  return { ...polled, failedPolls, failing: before.failing ?? (bad ? text : null) };
}

/**
 * Requests that Triton counts as successes and that were probes which failed: so it counts an answer of a Python model that is an
 * error. One more may be counted whose answer has not come yet.
 */
function ownSuccesses({ failedProbes, failedSincePoll }: ModelHealth, failures: number): number {
  const isCountedAsFailed = failedSincePoll > 0 && failures >= failedSincePoll;
  return failedProbes === 0 || isCountedAsFailed ? 0 : Math.max(0, failedSincePoll - failures) + 1;
}

/** Of a model that is not probed any more. */
export const withoutProbes = (health: ModelHealth): ModelHealth => ({
  ...health,
  failedProbes: 0,
  failedSincePoll: 0,
});

const states: Readonly<Record<string, ModelState>> = {
  READY: 'ready',
  LOADING: 'loading',
  UNLOADING: 'unloading',
};

/** What Triton's index says and what has been seen of the model, as one state. Pure. */
export function modelVerdict(
  entry: Pick<RepositoryEntry, 'state' | 'reason'>,
  health: ModelHealth,
): { readonly state: ModelState; readonly reason: string | null } {
  const state = states[entry.state ?? ''] ?? 'unavailable';
  if (state === 'ready' && health.failing !== null) return { state: 'failing', reason: health.failing };
  const said = entry.reason === undefined || entry.reason === '' ? null : entry.reason;
  return { state, reason: said ?? (state === 'unavailable' ? 'Not loaded' : null) };
}
