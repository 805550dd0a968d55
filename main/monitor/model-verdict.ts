import type { ModelState, MonitorMarker, MonitorSample, ServerState } from '../contract/monitor/monitor';
import type { RepositoryEntry } from '../triton/client';
import type { PollAnswer, PollFailure } from './poll';
import type { CountersSince, RateChange } from './rates';

/** State of a model beyond Triton's index. */
export interface ModelHealth {
  readonly failedProbes: number;
  /** Times of failures since the counters were last read, ms of the monotonic clock. */
  readonly failedAtMs: readonly number[];
  /** Consecutive polls with at least half of the requests failed. */
  readonly failedPolls: number;
  /** Why it counts as failing, or null. */
  readonly failing: string | null;
}

export const soundModel: ModelHealth = {
  failedProbes: 0,
  failedAtMs: [],
  failedPolls: 0,
  failing: null,
};

export type ProbeResult = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Triton's message for a dead Python stub, which stays dead until reload. */
const deadStub = /Stub process .* is not healthy/i;

/** More failures between polls occur only if the server is gone. */
const keptTimes = 256;

/** After a probe answered at `atMs` (monotonic): a second consecutive failure, or a permanent one, means failing. */
export function judgeProbe(before: ModelHealth, result: ProbeResult, atMs: number): ModelHealth {
  if (result.ok) return soundModel;
  const failedProbes = before.failedProbes + 1;
  const bad = failedProbes >= 2 || deadStub.test(result.reason);
  const failedAtMs = [...before.failedAtMs, atMs].slice(-keptTimes);
  return { ...before, failedProbes, failedAtMs, failing: bad ? result.reason : before.failing };
}

/** Keeps failures after `readAtMs`, which the next counters contain. */
export const afterReading = (before: ModelHealth, readAtMs: number): ModelHealth => ({
  ...before,
  failedAtMs: before.failedAtMs.filter((atMs) => atMs > readAtMs),
});

/** After a poll: judges all clients' requests by Triton's counters. */
export function judgeCounters(before: ModelHealth, change: RateChange, readAtMs: number): ModelHealth {
  if (change.reset) return soundModel;
  const polled = afterReading(before, readAtMs);
  const { failures } = change;
  const successes = Math.max(0, change.successes - ownSuccesses(before, failures));
  const requests = successes + failures;
  if (requests === 0) return polled;
  if (failures * 2 < requests) {
    // Other requests succeed, so the probe is at fault.
    return { ...polled, failedPolls: 0, failing: null };
  }
  const failedPolls = before.failedPolls + 1;
  const bad = failures >= 2 || failedPolls >= 2;
  const text = `${failures} of ${change.successes + failures} requests failed since the last poll`;
  return { ...polled, failedPolls, failing: before.failing ?? (bad ? text : null) };
}

/**
 * Failed probes that Triton counts as successes: error responses of Python models. Includes those after the reading,
 * which may have been counted, and one pending.
 */
function ownSuccesses({ failedProbes, failedAtMs }: ModelHealth, failures: number): number {
  const isCountedAsFailed = failedAtMs.length > 0 && failures >= failedAtMs.length;
  return failedProbes === 0 || isCountedAsFailed ? 0 : Math.max(0, failedAtMs.length - failures) + 1;
}

/** When probing stops. */
export const withoutProbes = (health: ModelHealth): ModelHealth => ({
  ...health,
  failedProbes: 0,
  failedAtMs: [],
});

const states: Readonly<Record<string, ModelState>> = {
  READY: 'ready',
  LOADING: 'loading',
  UNLOADING: 'unloading',
};

/** Combines Triton's index and observed health. */
export function modelVerdict(
  entry: Pick<RepositoryEntry, 'state' | 'reason'>,
  health: ModelHealth,
): { readonly state: ModelState; readonly reason: string | null } {
  const state = states[entry.state ?? ''] ?? 'unavailable';
  if (state === 'ready' && health.failing !== null) return { state: 'failing', reason: health.failing };
  const said = entry.reason === undefined || entry.reason === '' ? null : entry.reason;
  return { state, reason: said ?? (state === 'unavailable' ? 'Not loaded' : null) };
}

interface ServerVerdict {
  readonly state: ServerState;
  readonly reason: string | null;
  readonly version: string | null;
  /** With its version, of a server that is not Triton. */
  readonly name: string | null;
  readonly restarts: number;
  readonly wasReady: boolean;
  /** How the connection was lost, until it is back. */
  readonly lostBy: PollFailure['kind'] | null;
}

export const noServer: ServerVerdict = {
  state: 'gone',
  reason: 'Not polled yet',
  version: null,
  name: null,
  restarts: 0,
  wasReady: false,
  lostBy: null,
};

interface CountersSeen {
  readonly allReset: boolean;
  readonly counters: CountersSince;
}

type Marker = Omit<MonitorMarker, 'atMs'>;

export const shownServer = ({
  state,
  reason,
  version,
  name,
  restarts,
}: ServerVerdict): MonitorSample['server'] => ({
  state,
  reason,
  version,
  ...(name === null ? {} : { name }),
  restarts,
});

const isKnown = ({ version, wasReady }: ServerVerdict): boolean => version !== null || wasReady;

const reasonOf = {
  up: null,
  starting: 'Responding, but not ready yet',
  'not-ready': 'Reports that it is not ready',
};

/** Evidence of a new server process, or null. */
function restartText(
  before: ServerVerdict,
  { version, traits }: PollAnswer,
  seen: CountersSeen & { readonly back: boolean },
): string | null {
  if (!isKnown(before)) return null;
  if (version !== null && before.version !== null && version !== before.version) {
    return `Restarted, now ${traits?.title ?? `Triton ${version}`}`;
  }
  // A slow or unreachable process keeps its counters. Without any, refused connections indicate a replacement.
  if (seen.allReset || (seen.back && seen.counters === 'anew')) return 'Restarted: its counters were reset';
  return seen.back && before.lostBy === 'refused' && seen.counters !== 'kept'
    ? 'Restarted: it was unreachable in between'
    : null;
}

const nameAfter = ({ name }: ServerVerdict, { traits }: PollAnswer): string | null =>
  traits === null ? name : traits.title;

/**
 * @param seen counters: `allReset` if every model's restarted between two polls, which only a new process does;
 * `counters` since the last reading, however long ago
 */
export function judgeServer(
  before: ServerVerdict,
  poll: PollAnswer | PollFailure,
  seen: CountersSeen,
): { readonly verdict: ServerVerdict; readonly markers: readonly Marker[] } {
  if (poll.kind !== 'answer') {
    const lost = before.state !== 'gone';
    return {
      verdict: { ...before, state: 'gone', reason: poll.reason, lostBy: poll.kind },
      markers: lost ? [{ kind: 'server-gone', text: `Server gone: ${poll.reason}` }] : [],
    };
  }
  const back = before.state === 'gone' && isKnown(before) && before.lostBy !== null;
  const restart = restartText(before, poll, { ...seen, back });
  const appeared = restart !== null || before.state === 'gone';
  const state = poll.ready ? 'up' : before.wasReady && !appeared ? 'not-ready' : 'starting';
  const backMarkers: readonly Marker[] = back ? [{ kind: 'server-up', text: 'Responding again' }] : [];
  return {
    verdict: {
      state,
      reason: reasonOf[state],
      version: poll.version ?? before.version,
      name: nameAfter(before, poll),
      restarts: before.restarts + (restart === null ? 0 : 1),
      wasReady: poll.ready || (before.wasReady && restart === null),
      lostBy: null,
    },
    markers: restart === null ? backMarkers : [{ kind: 'restart', text: restart }],
  };
}
