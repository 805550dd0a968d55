import { formatBytes, formatRate, formatTyped } from '../../../contract/numbers';
import type { Searched, SearchObjective, SearchStrategy } from '../../../contract/study/search';
import { pricePerMillion } from '../../measured/capacity';

export const objectiveOf = ({ objective }: Pick<SearchStrategy, 'objective'>): SearchObjective =>
  objective ?? { kind: 'throughput' };

export const isLatencySearch = (search: Pick<SearchStrategy, 'objective'>): boolean =>
  objectiveOf(search).kind === 'latency';

const objectiveTexts: Readonly<Record<SearchObjective['kind'], string>> = {
  throughput: 'the highest load within the target',
  latency: 'the lowest latency at the rate',
  cost: 'the lowest cost per inference within the target',
};

/** "Objective: the lowest latency at the rate of 500.0 requests/s". */
export function objectiveText(search: Pick<SearchStrategy, 'objective' | 'load'>): string {
  const objective = objectiveOf(search);
  const { load } = search;
  const rate =
    load.kind === 'open' && load.rate !== undefined ? ` of ${formatRate(load.rate)} requests/s` : '';
  const price =
    objective.kind === 'cost'
      ? `, at ${formatTyped(objective.pricePerHour)} per hour for one replica with its GPUs`
      : '';
  return `Objective: ${objectiveTexts[objective.kind]}${rate}${price}`;
}

/** More is better, as of a throughput: how often a latency goes into a second. */
export const speedOf = (latencyUs: number): number => 1e6 / Math.max(1, latencyUs);

/** Price of a million inferences with each replica at what it holds; null where no price is known. */
export function costOf(
  search: Pick<SearchStrategy, 'objective'>,
  inferencesPerSecond: number | null,
): number | null {
  const objective = objectiveOf(search);
  if (objective.kind !== 'cost' || inferencesPerSecond === null || inferencesPerSecond === 0) return null;
  return pricePerMillion(inferencesPerSecond, objective.pricePerHour);
}

/** "GPU memory 9.1 GiB, above 8.0 GiB": why a candidate cannot win; null: within the limits as far as it was measured. */
export function overMemoryText(
  { memory: limits }: Pick<SearchStrategy, 'memory'>,
  { memory }: Searched,
  candidate: number,
): string | null {
  const taken = memory?.[candidate];
  if (limits === undefined || taken === undefined) return null;
  const over = [
    ['GPU memory', taken.gpuBytes, limits.gpuBytes],
    ['host memory', taken.hostBytes, limits.hostBytes],
  ] as const;
  const found = over.flatMap(([name, bytes, most]) =>
    bytes !== null && most !== undefined && bytes > most
      ? [`${name} ${formatBytes(bytes)}, above ${formatBytes(most)}`]
      : [],
  );
  return found.length === 0 ? null : found.join('; ');
}

/** It can be measured, and win. */
export const isAdmitted = (search: SearchStrategy, searched: Searched, candidate: number): boolean =>
  searched.failed[candidate] === undefined && overMemoryText(search, searched, candidate) === null;
