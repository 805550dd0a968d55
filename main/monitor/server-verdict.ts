import type { MonitorMarker, MonitorSample, ServerState } from '../contract/monitor';
import type { PollAnswer, PollFailure } from './poll';
import type { CountersSince } from './rates';

export interface ServerVerdict {
  readonly state: ServerState;
  readonly reason: string | null;
  readonly version: string | null;
  readonly restarts: number;
  /** Has been ready since it last appeared. */
  readonly wasReady: boolean;
  /** How it was lost, until it is back. */
  readonly lostBy: PollFailure['kind'] | null;
}

export const noServer: ServerVerdict = {
  state: 'gone',
  reason: 'Not polled yet',
  version: null,
  restarts: 0,
  wasReady: false,
  lostBy: null,
};

type Marker = Omit<MonitorMarker, 'atMs'>;

/** What the sample says of it. */
export const shownServer = ({
  state,
  reason,
  version,
  restarts,
}: ServerVerdict): MonitorSample['server'] => ({
  state,
  reason,
  version,
  restarts,
});

/**
 * The server after one more poll. Pure.
 * @param seen of its counters. `allReset`: every model's began anew between two polls, which only a new process does;
 * `counters`: since they were last read, however long ago.
 */
export function judgeServer(
  before: ServerVerdict,
  poll: PollAnswer | PollFailure,
  seen: { readonly allReset: boolean; readonly counters: CountersSince },
): { readonly verdict: ServerVerdict; readonly markers: readonly Marker[] } {
  if (poll.kind !== 'answer') {
    const lost = before.state !== 'gone';
    return {
      verdict: { ...before, state: 'gone', reason: poll.reason, lostBy: poll.kind },
      markers: lost ? [{ kind: 'server-gone', text: `Server gone: ${poll.reason}` }] : [],
    };
  }
  const version = poll.version ?? before.version;
  const known = before.version !== null || before.wasReady;
  const renewed = poll.version !== null && before.version !== null && poll.version !== before.version;
  const back = before.state === 'gone' && known && before.lostBy !== null;
  // A process that was only slow, or out of reach, keeps its counters. Where none tell, one that was replaced has refused
  // connections meanwhile.
  const anew = seen.allReset || (back && seen.counters === 'anew');
  const refused = back && before.lostBy === 'refused' && seen.counters !== 'kept';
  const restarted = known && (anew || renewed || refused);
  const appeared = restarted || before.state === 'gone';
  const wasReady = poll.ready || (before.wasReady && !restarted);
  const state: ServerState = poll.ready ? 'up' : before.wasReady && !appeared ? 'not-ready' : 'starting';
  const marker: readonly Marker[] = restarted
    ? [
        {
          kind: 'restart',
          text: renewed
            ? `Restarted, now Triton ${version ?? ''}`
            : anew
              ? 'Restarted: its counters were reset'
              : 'Restarted: it was unreachable in between',
        },
      ]
    : back
      ? [{ kind: 'server-up', text: 'Responding again' }]
      : [];
  return {
    verdict: {
      state,
      reason: poll.ready
        ? null
        : state === 'starting'
          ? 'Responding, but not ready yet'
          : 'Reports that it is not ready',
      version,
      restarts: before.restarts + (restarted ? 1 : 0),
      wasReady,
      lostBy: null,
    },
    markers: marker,
  };
}
