import type { Trace } from '../trace';

/** A series of values: it can be shown alone. Signs and limits belong to all of them. */
export const isSeries = (trace: Trace): boolean => trace.meta === undefined && trace.showlegend !== false;

function withoutBars(trace: Trace): Trace {
  const plain: { -readonly [Key in keyof Trace]: Trace[Key] } = { ...trace };
  delete plain.error_y;
  return plain;
}

/**
 * All traces, or of the series only the named one. Error bars that would hide each other are drawn only while their
 * series is shown alone.
 */
export function shownTraces(data: readonly Trace[], only: string | null): readonly Trace[] {
  const isThere = data.some((trace) => isSeries(trace) && trace.name === only);
  if (isThere) return data.filter((trace) => !isSeries(trace) || trace.name === only);
  return data.map((trace) => (trace.barsAlone === true ? withoutBars(trace) : trace));
}
