import { isFaulty, isSteady } from '../../../contract/flag-text';
import type { ColdStart, FirstRequest, SteadyLatency } from '../../../contract/measured/cold-start';
import { type Column, count, ms, named, rate, text } from '../../../contract/measured/column';
import type { LoadPoint } from '../../../contract/measured/results';
import { formatDuration, formatMs } from '../../../contract/numbers';
import { scenarios } from '../../../contract/run/run-events';
import type { RunState } from '../../../contract/run/run-state';
import { levelsOf } from '../points';

/** A first request beside the steady load at its batch size. */
export interface ColdRow extends Omit<FirstRequest, 'shape' | 'error'> {
  readonly shape: string | null;
  readonly error: string | null;
  /** null: no level has this batch size. */
  readonly steadyUs: number | null;
  /** null: not known, as it got no response or nothing is there to compare it with. */
  readonly isCold: boolean | null;
  /** Whether the warm-up has this batch size; null: no warm-up. */
  readonly isReached: boolean | null;
}

/** A first request is slow that takes so many times the steady p99, and so much more than the median. */
const slow = { times: 2, leastUs: 10_000 };

const isSlow = (firstUs: number, { p50Us, p99Us }: SteadyLatency): boolean =>
  firstUs > Math.max(slow.times * p99Us, p50Us + slow.leastUs);

/** Fewest requests in flight; those of a rate last, whose number is a limit. */
const loadOf = ({ concurrency, requestRate }: LoadPoint): number =>
  requestRate === undefined ? concurrency : Number.MAX_SAFE_INTEGER;

/** The level with the fewest requests in flight at each batch size, of steady ones where there are. */
export function steadyLatencies(state: RunState): readonly SteadyLatency[] {
  const points = scenarios
    .flatMap((scenario) => levelsOf(state, scenario).flatMap(({ point }) => point ?? []))
    .filter((point) => point.model === undefined && !isFaulty(point))
    .sort((a, b) => Number(isSteady(b)) - Number(isSteady(a)) || loadOf(a) - loadOf(b));
  return [...new Set(points.map(({ batchSize }) => batchSize))].flatMap((batchSize) => {
    const point = points.find((one) => one.batchSize === batchSize);
    if (point === undefined || point.p50Us === null) return [];
    return [{ batchSize, p50Us: point.p50Us, p99Us: point.p99Us }];
  });
}

/** @param steady of the levels of the run */
export function coldRows(cold: ColdStart, steady: readonly SteadyLatency[]): readonly ColdRow[] {
  const compared = cold.steady ?? steady;
  return cold.requests.map(({ batchSize, shape = null, firstUs, error = null }) => {
    const level = compared.find((one) => one.batchSize === batchSize);
    return {
      ...{ batchSize, shape, firstUs, error },
      steadyUs: level?.p50Us ?? null,
      isCold: firstUs === null || level === undefined ? null : isSlow(firstUs, level),
      isReached: cold.warmUp.length === 0 ? null : cold.warmUp.includes(batchSize),
    };
  });
}

const overOf = ({ firstUs, steadyUs }: ColdRow): number | null =>
  firstUs === null || steadyUs === null ? null : firstUs - steadyUs;

const columns: readonly Column<ColdRow>[] = [
  {
    ...named('cold-batch', 'Client Batch', 'Batch size', count),
    help: 'Items in the request.',
    read: ({ batchSize }) => batchSize,
  },
  {
    ...named('cold-shape', 'Shape', 'Shape', text),
    help: 'Shape of one sample.',
    read: ({ shape }) => shape,
  },
  {
    ...named('cold-first', 'First request (ms)', 'First request', ms),
    help: 'Latency of the first request of this batch size or shape after a load.',
    read: ({ firstUs }) => firstUs,
  },
  {
    ...named('cold-steady', 'Steady p50 (ms)', 'Steady median', ms),
    help: 'p50 of the level with the fewest requests in flight at this batch size.',
    read: ({ steadyUs }) => steadyUs,
  },
  {
    ...named('cold-over', 'Over steady (ms)', 'Over steady', ms),
    help: 'Time of the first request beyond the steady median.',
    read: overOf,
  },
  {
    ...named('cold-ratio', 'First/Steady', 'First / steady', rate),
    help: 'The first request as a multiple of the steady median.',
    read: ({ firstUs, steadyUs }) =>
      firstUs === null || steadyUs === null || steadyUs === 0 ? null : firstUs / steadyUs,
  },
  {
    ...named('cold-warm-up', 'Warm-up', 'Warm-up', text),
    help: 'Whether the warm-up at load has this batch size.',
    read: ({ isReached }) => (isReached === null ? 'none' : isReached ? 'yes' : 'not at this size'),
  },
  {
    ...named('cold-note', 'Note', 'Note', text),
    help: 'Remarks about this request.',
    read: ({ error, isCold }) => error ?? (isCold === true ? 'slow' : ''),
  },
];

/** Those that differ between the rows. */
export function coldColumns(rows: readonly ColdRow[]): readonly Column<ColdRow>[] {
  const left = new Set([
    ...(rows.every(({ shape }) => shape === null) ? ['cold-shape'] : []),
    ...(rows.every(({ isReached }) => isReached === null) ? ['cold-warm-up'] : []),
    ...(rows.every(({ isCold, error }) => isCold !== true && error === null) ? ['cold-note'] : []),
  ]);
  return columns.filter(({ id }) => !left.has(id));
}

/** Without those of further shapes. */
const bySize = (rows: readonly ColdRow[]): readonly ColdRow[] =>
  rows.filter((row, at) => rows.findIndex(({ batchSize }) => batchSize === row.batchSize) === at);

/** "2, 4 and 8". */
function sizesText(sizes: readonly number[]): string {
  const last = String(sizes.at(-1) ?? '');
  return sizes.length < 2 ? last : `${sizes.slice(0, -1).join(', ')} and ${last}`;
}

/** "batch sizes 2, 4 and 8". */
export const namedSizes = (sizes: readonly number[]): string =>
  `${sizes.length === 1 ? 'batch size' : 'batch sizes'} ${sizesText(sizes)}`;

const sizesOf = (rows: readonly ColdRow[]): string => namedSizes(rows.map(({ batchSize }) => batchSize));

export const notReachedText = (sizes: readonly number[]): string =>
  `The warm-up does not reach ${namedSizes(sizes)}: it had no effect there.`;

function timeLines({ startUs, loadUs, readyUs }: ColdStart): readonly string[] {
  const start = startUs === null ? null : `Triton starts in ${formatDuration(startUs)}`;
  const load = loadUs === null ? null : `the model loads in ${formatDuration(loadUs)}`;
  const parts = [start, load].filter((part) => part !== null);
  if (readyUs !== null) {
    const of = parts.length === 0 ? '' : `: ${parts.join(', ')}`;
    return [`Ready to serve after ${formatDuration(readyUs)}${of}.`];
  }
  const [first] = parts;
  return first === undefined ? [] : [`${first.charAt(0).toUpperCase()}${first.slice(1)}.`];
}

function slowLines(rows: readonly ColdRow[]): readonly string[] {
  const judged = rows.filter(({ isCold }) => isCold !== null);
  const cold = judged.filter(({ isCold }) => isCold === true);
  const worst = cold.reduce<ColdRow | null>(
    (most, row) => (most === null || (overOf(row) ?? 0) > (overOf(most) ?? 0) ? row : most),
    null,
  );
  if (judged.length === 0) return [];
  if (worst === null) {
    return [`The first request is not slow: ${sizesOf(judged)}.`];
  }
  const { batchSize, firstUs, steadyUs } = worst;
  const times = `${formatMs(firstUs)} ms in place of ${formatMs(steadyUs)} ms`;
  const what = cold.length === 1 ? times : `at most ${times} (batch size ${batchSize})`;
  return [`The first request is slow at ${sizesOf(cold)}: ${what}.`];
}

function warmUpLines(rows: readonly ColdRow[]): readonly string[] {
  const cold = rows.filter(({ isCold }) => isCold === true);
  const missed = cold.filter(({ isReached }) => isReached === false);
  const reached = cold.filter(({ isReached }) => isReached === true);
  return [
    ...(missed.length === 0 ? [] : [notReachedText(missed.map(({ batchSize }) => batchSize))]),
    ...(reached.length === 0
      ? []
      : [`The warm-up has ${sizesOf(reached)}, but the first request is still slow there.`]),
  ];
}

const shapeLines = (rows: readonly ColdRow[]): readonly string[] =>
  rows
    .filter((row) => row.isCold === true && row.shape !== null && !bySize(rows).includes(row))
    .map(
      ({ shape, firstUs }) => `A first request in the shape ${shape ?? ''} takes ${formatMs(firstUs)} ms.`,
    );

const loadLines: Readonly<Record<ColdStart['loads'], string>> = {
  own: 'Each first request had a load of its own, before the load that was measured.',
  shared:
    'All first requests came in this order after one load: work that is done once for all of them counts in the first.',
  running: 'Triton was already running, and the model had received no request since its load.',
};

/** What it came to, in whole sentences. */
export function coldLines(cold: ColdStart, rows: readonly ColdRow[]): readonly string[] {
  const sizes = bySize(rows);
  return [
    ...timeLines(cold),
    ...slowLines(sizes),
    ...shapeLines(rows),
    ...warmUpLines(sizes),
    ...(rows.length === 0 || (rows.length === 1 && cold.loads === 'shared') ? [] : [loadLines[cold.loads]]),
    ...(cold.reason === undefined ? [] : [`First requests were not measured: ${cold.reason}.`]),
  ];
}

export const coldBarNames = { first: 'First request', steady: 'Steady median' } as const;

/** Bars of the chart, in milliseconds; null: no value. */
export function coldBars(rows: readonly ColdRow[]) {
  const inMs = (us: number | null): number | null => (us === null ? null : us / 1000);
  return {
    names: rows.map(({ batchSize, shape }) => (shape === null ? String(batchSize) : `${batchSize} ${shape}`)),
    first: rows.map(({ firstUs }) => inMs(firstUs)),
    steady: rows.map(({ steadyUs }) => inMs(steadyUs)),
  };
}

/** The cold start of a run; null where it was not recorded. */
export function coldStartOf(state: RunState) {
  const cold = state.coldStart;
  if (cold === null) return null;
  const rows = coldRows(cold, steadyLatencies(state));
  return { cold, rows, lines: coldLines(cold, rows), columns: coldColumns(rows) };
}
