import { countedMarksOf } from '../../contract/flag-text';
import {
  cellText,
  type Column,
  halfWidthText,
  titleWithUnit,
  withHalfWidth,
} from '../../contract/measured/column';
import {
  achieved,
  batchSize,
  components,
  delayed,
  latencies,
  loadOf,
  meanBatch,
  ownLoad,
  p99,
  percentileColumns,
  scheduled,
  throughput,
} from '../../contract/measured/columns';
import {
  cache,
  composing,
  composingNameIn,
  effort,
  faultKinds,
  gpus,
  model,
  padding,
  partsOf,
  serverPartsTexts,
  streamColumns,
} from '../../contract/measured/detail-columns';
import { tokenColumns } from '../../contract/measured/generation-columns';
import { replayedText } from '../../contract/measured/replayed';
import type { LoadPoint } from '../../contract/measured/results';
import { sentAs } from '../../contract/measured/sent/sent-as';
import { wayText } from '../../contract/measured/sent/way';
import { wayColumns } from '../../contract/measured/sent/way-columns';
import { sliceColumns } from '../../contract/measured/slice-columns';
import { formatCount, formatMeasured, formatMs, formatRate, formatShortShare } from '../../contract/numbers';
import { type LoadLevel, searchLatencyUs } from '../../contract/run/sweep';
import { levelText, togetherText } from '../../contract/words';
import type { ServerResults } from '../../core';
import {
  type CrossLevel,
  crossSummary,
  crossWords,
  sideText,
  verdictText,
} from '../../domain/measured/cross-check';
import { refusedShareText, sentStagesText } from '../../domain/measured/shape-text';
import { crossedOf, levelsDocument, type LevelsHow } from '../json/levels-document';
import { formatTable, type Output } from '../output';

function crossCheckTable(level: CrossLevel): string {
  return formatTable(
    ['', 'native', 'perf_analyzer', 'ratio', ''],
    level.columns.map((column) => [
      column.title,
      sideText(column, column.native),
      sideText(column, column.perf_analyzer),
      formatMeasured(column.ratio),
      verdictText[column.verdict],
    ]),
  );
}

/** One table per level, its findings below, and the outcome at the end. */
export function crossCheckLines(levels: readonly CrossLevel[]): readonly string[] {
  if (levels.length === 0) return [];
  return [
    'Median (smallest–largest) of the rounds; times in ms; ratio: built-in load generator over perf_analyzer.',
    ...levels.flatMap((level) => {
      const { native, perf_analyzer: analyzer } = level.measured;
      return [
        '',
        `${level.text}: ${native} rounds of the built-in load generator, ${analyzer} of perf_analyzer`,
        ...(native + analyzer === 0 ? [] : [crossCheckTable(level)]),
        ...crossWords(level),
      ];
    }),
    '',
    crossSummary(levels),
  ];
}

/** Latency from the schedule, appended to that from the send; '' for closed loops. */
export function scheduledText({ scheduled }: LoadPoint): string {
  if (scheduled === undefined) return '';
  return `, from the schedule ${formatMs(scheduled.p99Us)} ms, ${scheduled.delayedCount} delayed`;
}

/** '' where requests are not padded. */
export const paddingText = ({ paddingShare }: LoadPoint): string =>
  paddingShare === undefined ? '' : `, ${formatShortShare(paddingShare)} padding`;

/** Includes the model if several are measured. */
const levelName = (point: LoadPoint): string =>
  point.model === undefined ? levelText(point) : `${point.model}, ${levelText(point)}`;

/** Of a language model, appended to its latency; '' for others. */
function tokensText({ generation }: LoadPoint): string {
  if (generation === undefined) return '';
  const { timeToFirstToken: first, interTokenLatency: between, outputTokensPerSecond: tokens } = generation;
  return [
    ...(first === null ? [] : [`TTFT p50 ${formatMs(first.p50Us)} ms`]),
    ...(between === null
      ? []
      : [`ITL p50 ${formatMs(between.p50Us)} ms, at most ${formatMs(between.maxUs)} ms`]),
    ...(tokens === null ? [] : [`${formatRate(tokens)} output tokens/s`]),
    ...(generation.stalledRequests === 0 ? [] : [`${formatCount(generation.stalledRequests)} stalled`]),
  ]
    .map((part) => `, ${part}`)
    .join('');
}

/** One line of a measured level. */
export function pointLine(point: LoadPoint): string {
  const unverified = point.tls?.verified === false ? ' [TLS certificate not verified]' : '';
  const stream = point.streaming?.firstResponse ?? null;
  const first = stream === null ? '' : `, first response p99 ${formatMs(stream.p99Us)} ms`;
  const tokens = tokensText(point);
  const marks = countedMarksOf(point);
  const flags = marks.length === 0 ? '' : ` [${marks.join(', ')}]`;
  const beside = togetherText(point);
  const sent = replayedText(point);
  const replay = sent === null ? '' : ` (${sent})`;
  const refusals = refusedShareText(point);
  const refused = refusals === null ? '' : `, ${refusals}`;
  const together = beside === null ? '' : ` (together with ${beside})`;
  const how = sentAs(point);
  const sentHow = how.length === 0 ? '' : ` (${how.join(', ')})`;
  return `${levelName(point)}${together}: ${withHalfWidth(throughput, point)} inferences/s, p99 ${withHalfWidth(p99, point)} ms${scheduledText(point)}${paddingText(point)}${refused}${first}${tokens}${replay}${sentHow}${flags}${unverified}`;
}

interface Cell {
  readonly title: string;
  readonly text: (point: LoadPoint) => string;
}

const cellOf = (column: Column): Cell => ({
  title: column.title,
  text: (point) => cellText(column, point),
});

const withInterval = (column: Column): readonly Cell[] => [
  cellOf(column),
  ...(column === throughput || column === p99
    ? [{ title: '±', text: (point: LoadPoint) => halfWidthText(column, point) }]
    : []),
];

const isPercentile = ({ short }: Column): boolean => short !== 'avg' && short !== 'max';

/** All columns of all levels in milliseconds; scheduled latencies if any level has them. */
export function pointTable(points: readonly LoadPoint[]): string {
  const open = points.some((point) => point.requestRate !== undefined);
  const several = points.some((point) => point.model !== undefined);
  const cells: readonly Cell[] = [
    ...(several ? [cellOf(model)] : []),
    cellOf(batchSize),
    {
      title: loadOf(open ? 'requestRate' : 'concurrency').title,
      text: (point) => cellText(ownLoad(point), point),
    },
    ...withInterval(throughput),
    ...[meanBatch, ...partsOf(points, [['paddingShare', [padding]]]), ...components].map(cellOf),
    ...latencies.flatMap(withInterval),
    ...percentileColumns(points).map(cellOf),
    ...(open ? [achieved, ...scheduled.filter(isPercentile), delayed] : []).map(cellOf),
    ...streamColumns(points, isPercentile).map(cellOf),
  ];
  return formatTable(
    cells.map(({ title }) => title),
    points.map((point) => cells.map(({ text }) => text(point))),
  );
}

/** null if no level has rows. */
function levelTable(
  points: readonly LoadPoint[],
  titles: readonly string[],
  rowsOf: (point: LoadPoint) => readonly (readonly string[])[],
): string | null {
  const rows = points.flatMap((point) => rowsOf(point).map((row) => [levelName(point), ...row]));
  return rows.length === 0 ? null : formatTable(['Level', ...titles], rows);
}

const titlesOf = <Of>(columns: readonly Column<Of>[]) => columns.map(titleWithUnit);
const cellsOf = <Of>(columns: readonly Column<Of>[], of: Of) => columns.map((column) => cellText(column, of));

const withoutP99 = latencies.filter(({ id }) => id !== 'p99');

/** Confidence of latencies without an interval column, and the load generator's own delay; null if no level has any. */
export const certaintyTable = (points: readonly LoadPoint[]): string | null =>
  levelTable(points, [...titlesOf(withoutP99).map((title) => `± ${title}`), ...titlesOf(effort)], (point) =>
    point.latencyIntervals === undefined && point.client === undefined
      ? []
      : [[...withoutP99.map((column) => halfWidthText(column, point)), ...cellsOf(effort, point)]],
  );

/** null if no level is of a language model. */
export const tokenTable = (points: readonly LoadPoint[]): string | null =>
  levelTable(points, titlesOf(tokenColumns), (point) =>
    point.generation === undefined ? [] : [cellsOf(tokenColumns, point)],
  );

/** null if the response cache counted nothing. */
export const cacheTable = (points: readonly LoadPoint[]): string | null =>
  levelTable(points, titlesOf(cache), (point) => (point.cache === undefined ? [] : [cellsOf(cache, point)]));

/** Statistics per composing model; null without ensembles. */
export const composingTable = (points: readonly LoadPoint[]): string | null =>
  levelTable(points, ['Model', ...titlesOf(composing)], (point) =>
    (point.composing ?? []).map((part) => [composingNameIn(point, part), ...cellsOf(composing, part)]),
  );

/** null without GPU figures. */
export const gpuTable = (points: readonly LoadPoint[]): string | null =>
  levelTable(points, ['GPU', ...titlesOf(gpus)], (point) =>
    (point.gpus ?? []).map((gpu) => [gpu.uuid, ...cellsOf(gpus, gpu)]),
  );

/** null without refused requests. */
export const refusedTable = (points: readonly LoadPoint[]): string | null =>
  levelTable(points, ['Answered', 'Queue full', 'Timeout', 'Cancelled'], ({ requestCount, refused }) =>
    refused === undefined
      ? []
      : [[requestCount, refused.queueFull, refused.timeout, refused.cancelled].map(formatCount)],
  );

/** null without time slices. */
export const sliceTable = (points: readonly LoadPoint[]): string | null =>
  levelTable(points, titlesOf(sliceColumns), ({ timeline }) =>
    (timeline?.slices ?? []).map((slice) => cellsOf(sliceColumns, slice)),
  );

/** null without a gateway. */
export const wayTable = (points: readonly LoadPoint[]): string | null =>
  levelTable(points, titlesOf(wayColumns), ({ way }) =>
    (way?.rows ?? []).map((row) => cellsOf(wayColumns, row)),
  );

export const errorTable = (points: readonly LoadPoint[]): string | null =>
  levelTable(points, ['Failed or wrong', 'Kind', 'First message'], (point) =>
    faultKinds(point).map(({ kind, count, message }) => [formatCount(count), kind, message.slice(0, 200)]),
  );

function sayTables(output: Output, points: readonly LoadPoint[]): void {
  const turns = points.find((point) => point.turns !== undefined)?.turns;
  if (turns !== undefined)
    output.say(`Each level has ${turns} windows, measured in turns with the other levels.`);
  output.say('Times in ms; "±": half-width of the 95 % interval.');
  output.say(pointTable(points));
  for (const text of serverPartsTexts(points)) output.say(text);
  const details = [
    ...[tokenTable, certaintyTable, gpuTable, cacheTable, composingTable, errorTable],
    ...[refusedTable, sliceTable, wayTable],
  ].map((table) => table(points));
  for (const table of details) if (table !== null) output.say(table);
  for (const point of points)
    for (const line of [sentStagesText(point), point.way === undefined ? null : wayText(point.way)])
      if (line !== null) output.say(points.length === 1 ? line : `${levelName(point)}: ${line}`);
}

interface Limit {
  readonly latencyThreshold: string | undefined;
  /** For example "p99". */
  readonly limited: string;
  /** A ramp found the rate. */
  readonly isEdge: boolean;
}

/** "held for 30 s with a p99 within 20 ms: 480 requests/s; p99 17.2 ms". */
function heldText(level: LoadLevel, points: readonly LoadPoint[], how: Limit): string {
  const point = points.findLast(({ requestRate }) => requestRate === level.requestRate);
  if (point === undefined) return levelText(level);
  const seconds = Math.round(point.windows.reduce((sum, { durationUs }) => sum + (durationUs ?? 0), 0) / 1e6);
  return `held for ${seconds} s with a ${how.limited} within ${how.latencyThreshold ?? ''} ms: ${levelText(level)}; ${how.limited} ${formatMs(searchLatencyUs(point))} ms`;
}

function foundLines(
  { points, found }: Pick<ServerResults, 'points' | 'found'>,
  how: Limit,
): readonly string[] {
  if (found === null) return [];
  const within = `with a ${how.limited} within ${how.latencyThreshold ?? ''} ms`;
  if (found.length === 0) return [`No ${how.isEdge ? 'rate' : 'level'} is within the budget.`];
  return found.map((level) =>
    how.isEdge ? heldText(level, points, how) : `the last ${within}: ${levelText(level)}`,
  );
}

export function printResults(output: Output, results: ServerResults, how: Limit & LevelsHow): void {
  const { points, found } = results;
  const crossed = crossedOf(results, how);
  if (output.json) output.document(levelsDocument(results, how));
  else if (crossed !== null) for (const line of crossCheckLines(crossed)) output.say(line);
  else if (points.length > 0) sayTables(output, points);
  for (const text of foundLines({ points, found }, how)) output.say(text);
}
