import { formatCount, formatFixed, formatMeasured, formatTyped } from '../../../contract/numbers';
import type { SoakFigure, SoakLevel } from '../../../contract/study/soak';
import { levelText } from '../../../contract/words';
import { factorOf, type JudgedCriterion } from './soak-criteria';
import { isCount, type SoakRow } from './soak-rows';

const megabyte = 1e6;

/** "4.10", in MB or as a count. */
export const amountOf = (figure: SoakFigure, value: number): string =>
  formatMeasured(isCount(figure) ? value : value / megabyte).replace(/^0\.0+$/, '0');

const nouns: Readonly<Record<SoakFigure, string>> = {
  ...{ rss: 'MB', pss: 'MB (PSS)', virtual: 'MB of address space', shm: 'MB in /dev/shm' },
  ...{ gpu: 'MB of GPU memory', threads: 'threads', handles: 'open handles' },
};

/** "MB", "open handles". */
export const nounOf = (figure: SoakFigure): string => nouns[figure];

/** "4.1 MB per 1,000 requests [3.6, 4.7]"; null: not known. */
export function slopeText(row: SoakRow, figure: SoakFigure, per: 'h' | '1000' | 'reload'): string | null {
  const { perHour } = row.growth[figure];
  const factor = factorOf(row, per);
  if (perHour === null || factor === null) return null;
  const [value, low, high] = [perHour.value, perHour.low, perHour.high].map((one) =>
    amountOf(figure, one * factor),
  );
  const what = { h: 'per hour', '1000': 'per 1,000 requests', reload: 'per reload' }[per];
  return `${value ?? ''} ${nounOf(figure)} ${what} [${low ?? ''}, ${high ?? ''}]`;
}

const outcomes = { within: 'within', outside: 'exceeded', unclear: 'inconclusive so far' } as const;

/** "rss-slope>1MB/h: exceeded, the Python stub of resnet 14.8 MB per hour [13.0, 16.9]", without a full stop. */
export function judgedLine({ criterion, outcome, row }: JudgedCriterion): string {
  const { text, figure, per } = criterion;
  const slope = row === null ? null : slopeText(row, figure, per);
  const of = row === null ? 'no readings yet' : `${row.title} ${slope ?? 'not known yet'}`;
  return `${text}: ${outcomes[outcome]}, ${of}`;
}

/** "minute 6", "second 12", "hour 2". */
export function sinceText(ms: number): string {
  if (ms < 120_000) return `second ${formatCount(Math.round(ms / 1000))}`;
  return ms < 7_200_000
    ? `minute ${formatCount(Math.round(ms / 60_000))}`
    : `hour ${formatFixed(ms / 3_600_000, 1)}`;
}

/** "batch size 4, 120 requests/s". */
export const soakLevelText = (level: SoakLevel): string =>
  'concurrency' in level
    ? levelText(level)
    : `batch size ${level.batchSize}, ${formatTyped(level.requestRate)} requests/s`;

export const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
