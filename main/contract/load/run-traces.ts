import { z } from 'zod';
import { later } from '../later';
import { type SlowRequests, slowRequestsSchema } from '../measured/slow-requests';
import { type Tracing, tracingSchema } from '../measured/trace-setting';

export const traceEventSchema = later(() =>
  z.discriminatedUnion('kind', [
    /** Before tracing is switched on. */
    z.object({ kind: z.literal('begun'), tracing: tracingSchema }),
    /** The settings are as before. */
    z.object({ kind: z.literal('put-back') }),
    z.object({
      kind: z.literal('traced'),
      /** One entry per model; empty with a problem. */
      slow: z.array(slowRequestsSchema),
      problem: z.string().optional(),
    }),
  ]),
);
export type TraceEvent = Readonly<z.infer<typeof traceEventSchema>>;

interface TracedLevel {
  /** Of the measured level. */
  readonly key: string;
  readonly slow: readonly SlowRequests[];
  readonly problem: string | null;
}

/** Traced requests of a run, which are not among its results. */
export interface RunTraces {
  /** Switched on, and not put back yet; null: none. */
  readonly pending: Tracing | null;
  readonly levels: readonly TracedLevel[];
}

export const noTraces: RunTraces = { pending: null, levels: [] };

export function withTrace(
  traces: RunTraces,
  { key, event }: { readonly key: string; readonly event: TraceEvent },
): RunTraces {
  switch (event.kind) {
    case 'begun':
      return { ...traces, pending: event.tracing };
    case 'put-back':
      return { ...traces, pending: null };
    case 'traced': {
      const others = traces.levels.filter((level) => level.key !== key);
      return {
        ...traces,
        levels: [...others, { key, slow: event.slow, problem: event.problem ?? null }],
      };
    }
  }
}
