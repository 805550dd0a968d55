import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelSample, MonitorSample, ProbeSettings } from '../contract/monitor/monitor';
import type { ServerTraits } from '../triton/open-inference';
import type { MonitorAddress } from './monitor-address';
import { pollServer } from './poll';
import { createProber, type Prober } from './prober';
import { SampleBuilder } from './sample-builder';

/** Maximum share of the interval that a poll may take. */
const deadlineShare = 0.9;
/** Upper limit of a poll's timeout. */
const longestPollMs = 10_000;
/** Maximum delay of the first sample. */
const longestWaitMs = 1000;

interface LiveSessionOptions {
  readonly address: MonitorAddress;
  readonly intervalMs: number;
  readonly onSample: (sample: MonitorSample) => void;
  /** A model's verdict changed between samples. */
  readonly onVerdict: (model: ModelSample) => void;
  readonly onProbeProblem: (problem: string | null) => void;
}

export interface LiveSession {
  /** null stops probing. */
  setProbe(settings: ProbeSettings | null): void;
  close(): Promise<void>;
}

/** Polls until `close`, once per interval aligned to the wall clock. */
export function startLiveSession(options: LiveSessionOptions): LiveSession {
  const { address, intervalMs } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const builder = new SampleBuilder(intervalMs);
  let prober: Prober | null = null;
  let problem: string | null = null;
  let traits: ServerTraits | null = null;

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
        traits,
        model: prober === null ? null : { name: prober.settings.model, version: prober.settings.version },
        signal,
      });
      if (poll.kind === 'answer') traits = poll.traits ?? traits;
      options.onSample(builder.build(atMs, poll, prober, performance.now() - startedMs));
      // Timers may fire slightly early; the same second is not polled twice.
      if (Date.now() <= atMs) await sleep(2, undefined, { signal });
    }
  };
  // Server errors are samples; only the signal ends the loop.
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
