import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { formatFixed } from '../../main/contract/numbers';
import { median } from './pairs';

const loadBefore = loadavg()[0] ?? 0;

export const say = (text: string) => process.stdout.write(`${text}\n`);

/** Value of `--name value`, or `otherwise`. */
export function option(name: string, otherwise: string): string {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise);
}

/** The table of what it was measured on. @param more rows behind those of the machine. */
export function factTable(tritonVersion: string, more: readonly (readonly [string, string])[]): string[] {
  const rows: readonly (readonly [string, string])[] = [
    ['Date', new Date().toISOString().slice(0, 10)],
    ['Processor', `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} logical`],
    ['Memory', `${(totalmem() / 2 ** 30).toFixed(0)} GiB`],
    ['System', `${type()} ${release()}`],
    ['Load before the start', `${loadBefore.toFixed(1)} (what else the machine was doing)`],
    ['Node', process.versions.node],
    ['Triton', `${tritonVersion}, Python backend, CPU`],
    ...more,
  ];
  return ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)];
}

/** Median with the range, as "1.02 [0.99–1.10]". */
export function rangeText(values: readonly number[], digits: Parameters<typeof formatFixed>[1]): string {
  if (values.length === 0) return '–';
  const [middle, lowest, highest] = [median(values), Math.min(...values), Math.max(...values)].map((value) =>
    formatFixed(value, digits),
  );
  return `${middle ?? ''} [${lowest ?? ''}–${highest ?? ''}]`;
}

export interface Judged {
  readonly name: string;
  readonly value: string;
  /** '' where nothing is asked of it. */
  readonly limit: string;
  readonly kept: boolean;
}

/** Measured values beside their limits. */
export function judgedTable(rows: readonly Judged[]): string[] {
  return [
    '| | measured | limit | kept |',
    '|---|---|---|---|',
    ...rows.map(
      ({ name, value, limit, kept }) =>
        `| ${name} | ${value} | ${limit} | ${limit === '' ? '' : kept ? 'yes' : 'no'} |`,
    ),
  ];
}

/** Says what was missed. @returns the exit code. */
export function exitCodeOf(rows: readonly Judged[]): number {
  const missed = rows.filter(({ kept }) => !kept);
  for (const { name, value, limit } of missed) say(`Missed: ${name}, ${value}; limit: ${limit}`);
  return missed.length === 0 ? 0 : 1;
}

/** A random order, in place of the given one (Fisher and Yates). */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  const left = [...items];
  const order: Item[] = [];
  while (left.length > 0) order.push(...left.splice(Math.floor(Math.random() * left.length), 1));
  return order;
}
