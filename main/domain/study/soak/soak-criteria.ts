import { invalidInput } from '../../../contract/errors';
import { type SoakFigure, soakFigures } from '../../../contract/study/soak';
import type { Outcome } from '../../measured/comparison-gate';
import { isCount, type SoakRow } from './soak-rows';

const units: Readonly<Record<string, number>> = {
  ...{ KB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 },
};
const pattern = new RegExp(
  `^(${soakFigures.join('|')})-slope>(\\d+(?:\\.\\d+)?)(${Object.keys(units).join('|')})?/(h|1000|reload)$`,
);

type Per = 'h' | '1000' | 'reload';

/** "rss-slope>1MB/h": fails where a process of the server grows faster. */
export interface SoakCriterion {
  readonly text: string;
  readonly figure: SoakFigure;
  /** Bytes, or a count. */
  readonly limit: number;
  readonly per: Per;
}

export interface JudgedCriterion {
  readonly criterion: SoakCriterion;
  readonly outcome: Outcome;
  /** The process that is nearest to the limit or beyond it; null: nothing was read. */
  readonly row: SoakRow | null;
}

/** Throws input-invalid. */
export function parseSoakCriterion(text: string): SoakCriterion {
  const plain = text.replaceAll(/\s/g, '');
  const [, name, value, unit, per] = pattern.exec(plain) ?? [];
  const figure = soakFigures.find((one) => one === name);
  const hasUnit = unit !== undefined;
  if (figure === undefined || hasUnit === isCount(figure)) {
    throw invalidInput(
      '--fail-if',
      `"${text}" is not a criterion`,
      'Use for example "rss-slope>1MB/h", "shm-slope>2MB/1000" (per 1,000 requests), "gpu-slope>1MB/reload" or "handles-slope>10/h".',
    );
  }
  const limit = Number(value) * (unit === undefined ? 1 : (units[unit] ?? 1));
  return { text: plain, figure, limit, per: per as Per };
}

/** What a slope per hour is to be multiplied by; null: nothing to relate it to. */
export function factorOf(row: Pick<SoakRow, 'requestsPerHour' | 'reloadsPerHour'>, per: Per): number | null {
  const { requestsPerHour, reloadsPerHour } = row;
  switch (per) {
    case 'h':
      return 1;
    case '1000':
      return requestsPerHour === null || requestsPerHour === 0 ? null : 1000 / requestsPerHour;
    case 'reload':
      return reloadsPerHour === 0 ? null : 1 / reloadsPerHour;
  }
}

function judged(row: SoakRow, { figure, limit, per }: SoakCriterion): { outcome: Outcome; value: number } {
  const { perHour } = row.growth[figure];
  const factor = factorOf(row, per);
  if (perHour === null || factor === null) return { outcome: 'unclear', value: -Infinity };
  const [low, high] = [perHour.low * factor, perHour.high * factor];
  return {
    outcome: low > limit ? 'outside' : high <= limit ? 'within' : 'unclear',
    value: perHour.value * factor,
  };
}

const severity: readonly Outcome[] = ['outside', 'unclear', 'within'];

/** Each criterion by the process that does worst. @param rows of the server. Pure. */
export function judgeSoak(
  criteria: readonly SoakCriterion[],
  rows: readonly SoakRow[],
): readonly JudgedCriterion[] {
  return criteria.map((criterion): JudgedCriterion => {
    // A figure that is read of one process only says nothing about the others.
    const read = rows.filter(({ last }) => last[criterion.figure] !== null);
    const [worst] = read
      .map((row) => ({ row, ...judged(row, criterion) }))
      .toSorted(
        (one, other) =>
          severity.indexOf(one.outcome) - severity.indexOf(other.outcome) || other.value - one.value,
      );
    return { criterion, outcome: worst?.outcome ?? 'unclear', row: worst?.row ?? null };
  });
}

/** Pure. @returns null without criteria */
export function outcomeOfSoak(all: readonly JudgedCriterion[]): Outcome | null {
  if (all.length === 0) return null;
  return severity.find((one) => all.some(({ outcome }) => outcome === one)) ?? null;
}
