import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelSample, MonitorSample, ProbeSettings } from '../contract/monitor/monitor';
import type { MonitorAddress } from './monitor-address';
import { pollServer } from './poll';
import { createProber, type Prober } from './prober';
import { SampleBuilder } from './sample-builder';

/** Part of the time between two polls that one may take: the next begins when it is due. */
const deadlineShare = 0.9;
/** And no longer: who does not answer for so long is gone. */
const longestPollMs = 10_000;
/** Nobody waits longer than this for the first sample. */
const longestWaitMs = 1000;

interface LiveSessionOptions {
  readonly address: MonitorAddress;
  readonly intervalMs: number;
  readonly onSample: (sample: MonitorSample) => void;
  /** A model's verdict has changed between two samples. */
  readonly onVerdict: (model: ModelSample) => void;
  readonly onProbeProblem: (problem: string | null) => void;
}

export interface LiveSession {
  /** null stops probing. */
  setProbe(settings: ProbeSettings | null): void;
  close(): Promise<void>;
}

/** Watches one Triton until `close`: one sample an interval, on whole intervals of the wall clock. */
export function startLiveSession(options: LiveSessionOptions): LiveSession {
  const { address, intervalMs } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const builder = new SampleBuilder(intervalMs);
  let prober: Prober | null = null;
  let problem: string | null = null;

  const run = async (): Promise<void> => {
    let first = true;
    while (!signal.aborted) {
      const nowMs = Date.now();
      const wholeMs = Math.ceil(nowMs / intervalMs) * intervalMs;
      const atMs = first && wholeMs - nowMs > longestWaitMs ? nowMs : wholeMs;
      first = false;
      await sleep(atMs - nowMs, undefined, { signal });
      const startedMs = performance.now();
      const poll = await pollServer(address, {
        deadlineMs: Math.min(longestPollMs, intervalMs * deadlineShare),
        withVersion: builder.wantsVersion,
        signal,
      });
      options.onSample(builder.build(atMs, poll, prober, performance.now() - startedMs));
      // A timer may be early by less than a millisecond; the same second is not asked for twice.
      if (Date.now() <= atMs) await sleep(2, undefined, { signal });
    }
  };
  // The signal alone ends it; every trouble with the server is a sample.
  const running = run().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });

  return {
    setProbe: (settings) => {
      prober?.close();
      prober = null;
      problem = null;
      options.onProbeProblem(null);
      if (settings === null) return;
      const own = createProber({
        httpAddress: address.http,
        tls: address.tls,
        headers: address.headers,
        settings,
        onResult: (result) => {
          if (prober !== own) return;
          const changed = builder.probed(own, result, performance.now());
          if (changed !== null) options.onVerdict(changed);
        },
        onProblem: (next) => {
          if (prober !== own || next === problem) return;
          problem = next;
          options.onProbeProblem(next);
        },
      });
      prober = own;
    },
    close: async () => {
      closing.abort();
      prober?.close();
      await running;
    },
  };
}
