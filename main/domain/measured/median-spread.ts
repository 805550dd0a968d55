import type { Spread } from '../../contract/measured/spread';
import { medianOf } from '../statistics';

/** null where one is unknown. */
export const median = (values: readonly (number | null)[]): number | null =>
  values.length === 0 || values.includes(null) ? null : medianOf(values.map((value) => value ?? NaN));

export const eachLatency = <Value>(of: (name: keyof Spread) => Value): Record<keyof Spread, Value> => ({
  avgUs: of('avgUs'),
  p50Us: of('p50Us'),
  p90Us: of('p90Us'),
  p95Us: of('p95Us'),
  p99Us: of('p99Us'),
  maxUs: of('maxUs'),
});

/** null where one is unknown. */
export function medianSpread(spreads: readonly (Spread | null)[]): Spread | null {
  const known = spreads.filter((spread) => spread !== null);
  if (known.length < spreads.length) return null;
  return eachLatency((name) => medianOf(known.map((spread) => spread[name])));
}
