import { labelOf } from '../../../contract/fields/fields';
import type { Searched, SearchStrategy } from '../../../contract/study/search';
import { largestOf, smallestOf } from '../../statistics';
import { candidateAxes } from './candidates';
import { isLatencySearch } from './objective';
import type { SearchAnswer, SearchRow } from './search-answer';

/** What the configurations with one value of a field come to. */
export interface ValueEffect {
  /** "2", "500 µs". */
  readonly value: string;
  /** Inferences/s of the best of them, or its latency in microseconds where that is the objective; null: none holds a load. */
  readonly best: number | null;
  /** None of them was taken to its limit: `best` is what they give at full load, whatever the latency. */
  readonly isBound: boolean;
  /** The best configuration has it. */
  readonly isBest: boolean;
  readonly isPresent: boolean;
}

export interface FieldEffect {
  /** Path in the specification. */
  readonly field: string;
  readonly label: string;
  /** Ascending. */
  readonly values: readonly ValueEffect[];
}

const byNumber = new Intl.Collator('en', { numeric: true });

const isShort = ({ state }: SearchRow): boolean => state === 'cannot win' || state === 'not judged';

const mostOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : largestOf(known);
};

function leastLatency(rows: readonly SearchRow[]) {
  const known = rows.flatMap(({ latencyUs }) => latencyUs ?? []);
  return { best: known.length === 0 ? null : smallestOf(known), isBound: false };
}

function mostLoad(rows: readonly SearchRow[], fullLoad: (row: SearchRow) => number | null) {
  const held = mostOf(
    rows.filter((row) => !isShort(row)).map(({ inferencesPerSecond }) => inferencesPerSecond),
  );
  const bound = held === null ? mostOf(rows.filter(isShort).map(fullLoad)) : null;
  return { best: held ?? bound, isBound: bound !== null };
}

/** Which value of each varied field helped: the best configuration that has it. Pure. */
export function fieldEffects(
  search: SearchStrategy,
  { looks }: Searched,
  { rows, winner }: SearchAnswer,
): readonly FieldEffect[] {
  const { candidates } = search;
  const axes = candidates.map((candidate) => candidateAxes(candidates, candidate));
  const fullLoad = ({ candidate }: SearchRow): number | null =>
    mostOf(looks.filter((look) => look.candidate === candidate).map((look) => look.inferencesPerSecond));
  return (axes[0] ?? []).map(({ field, value: present }, at): FieldEffect => {
    const byValue = new Map<string, SearchRow[]>();
    for (const row of rows) {
      const value = axes[row.candidate - 1]?.[at]?.value ?? '';
      byValue.set(value, [...(byValue.get(value) ?? []), row]);
    }
    const values = [...byValue]
      .toSorted(([one], [other]) => byNumber.compare(one.replaceAll(',', ''), other.replaceAll(',', '')))
      .map(([value, of]): ValueEffect => ({
        value,
        ...(isLatencySearch(search) ? leastLatency(of) : mostLoad(of, fullLoad)),
        isBest: of.some(({ candidate }) => candidate === winner?.candidate),
        isPresent: value === present,
      }));
    return { field, label: labelOf(field), values };
  });
}
