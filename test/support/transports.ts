import type { LoadJob } from '../../main/perf/native/seam/load-job';
import type { Transport, TransportEvents } from '../../main/perf/native/seam/transport';

/** Requests of two 32-bit floats, as the job of a thread. */
export const loadJobOf = (more: Partial<LoadJob> & Pick<LoadJob, 'port' | 'protocol'>): LoadJob => ({
  host: '127.0.0.1',
  modelName: 'double',
  modelVersion: '',
  tensors: [
    {
      ...{ name: 'X', datatype: 'FP32', shape: [2] },
      samples: [Buffer.from(new Float32Array([1, 2]).buffer), Buffer.from(new Float32Array([3, 4]).buffer)],
    },
  ],
  batchSize: 1,
  batched: true,
  schedule: null,
  shared: null,
  outputChecks: null,
  sequences: null,
  streaming: false,
  tls: null,
  concurrency: 1,
  warmupMs: 0,
  mode: 'time_windows',
  intervalMs: 1000,
  requestCount: 1,
  ...more,
});

export interface SeenRequests {
  readonly outcomes: readonly string[];
  /** Of the successful ones: microseconds. */
  readonly parts: readonly { readonly totalUs: number; readonly sendUs: number; readonly recvUs: number }[];
  readonly transport: Transport;
}

/** What becomes of so many requests of each slot, one after the other; closes the transport. */
export async function sendThrough(
  make: (events: TransportEvents) => Transport,
  { requests, slots = 1 }: { readonly requests: number; readonly slots?: number },
): Promise<SeenRequests> {
  const outcomes: string[] = [];
  const parts: { totalUs: number; sendUs: number; recvUs: number }[] = [];
  const held: { transport: Transport | null } = { transport: null };
  const sent = Array.from({ length: slots }, () => 1);
  try {
    await new Promise<void>((resolve, reject) => {
      const next = (slot: number, outcome: string) => {
        outcomes.push(outcome);
        if (outcomes.length === requests * slots) resolve();
        const count = sent[slot] ?? 0;
        if (count >= requests) return;
        sent[slot] = count + 1;
        held.transport?.start(slot);
      };
      const transport = make({
        success: (slot, startUs, endUs, sendUs, recvUs) => {
          parts.push({ totalUs: endUs - startUs, sendUs, recvUs });
          next(slot, 'success');
        },
        failure: (slot, kind, message) => next(slot, `${kind}: ${message}`),
        fatal: reject,
      });
      held.transport = transport;
      for (let slot = 0; slot < slots; slot += 1) transport.start(slot);
    });
  } finally {
    held.transport?.close();
  }
  if (held.transport === null) throw new Error('a transport');
  return { outcomes, parts, transport: held.transport };
}
