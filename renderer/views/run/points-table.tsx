import { memo, useState } from 'react';
import { isSteady, stateWords } from '../../../main/contract/flag-text';
import {
  cellText,
  type Column,
  halfWidthText,
  rangeText,
  titleWithUnit,
} from '../../../main/contract/measured/column';
import {
  achieved,
  batchSize,
  components,
  delayed,
  fromSend,
  latencies,
  loadOf,
  meanBatch,
  requests,
  scheduled,
  throughput,
} from '../../../main/contract/measured/columns';
import {
  checks,
  model,
  padding,
  partsOf,
  replayed,
  responseRates,
  responseTimes,
  sequenceRate,
  serverPartsTexts,
  tls,
} from '../../../main/contract/measured/detail-columns';
import { mainTokenColumns } from '../../../main/contract/measured/generation-columns';
import type { LoadPoint } from '../../../main/contract/measured/results';
import { formatTyped, missing } from '../../../main/contract/numbers';
import type { Scenario } from '../../../main/contract/run/run-events';
import type { MissingPoint, ScenarioState } from '../../../main/contract/run/run-state';
import { loadKey, type Sweep } from '../../../main/contract/run/sweep';
import { longerText } from '../../../main/domain/measured/again';
import type { ChosenLevel } from '../../../main/domain/measured/answer';
import { middleRepeatText, repeatsText } from '../../../main/domain/measured/repeats';
import { levelOf, sweepOfState } from '../../charts/chart';
import { CompactButton } from '../../components/actions';
import { Panel } from '../../components/panel';
import { type Heading, numeric, ScrollTable, TableHead } from '../../components/table';
import { doubtsText } from '../../format/words';

const streams = [
  ...responseRates,
  ...responseTimes
    .slice(0, 2)
    .flatMap(({ columns }) => columns.filter(({ short }) => short === 'p50' || short === 'p99')),
];

const ofRates = [
  achieved,
  ...latencies.map(fromSend),
  ...scheduled.filter(({ short }) => short !== 'avg'),
  delayed,
];

/**
 * Columns of a sweep; streams, sequences and checks add theirs where a level has them. Components of the latency are
 * behind them, on request: a chart of their own shows them.
 */
export const levelColumns = (
  sweep: Sweep,
  points: readonly LoadPoint[],
  withComponents: boolean,
): readonly Column[] => [
  ...(sweep === 'requestRate' ? ofRates : latencies),
  ...(withComponents ? components : []),
  meanBatch,
  ...partsOf(points, [
    ['paddingShare', [padding]],
    ['replay', [replayed]],
    ['sequences', [sequenceRate]],
    ['streaming', streams],
    ['generation', mainTokenColumns],
    ['outputChecks', checks],
    ['tls', [tls]],
  ]),
];

type Row =
  | { readonly level: number; readonly point: LoadPoint }
  | { readonly level: number; readonly hole: MissingPoint };

function rowsOf(scenario: Scenario, state: ScenarioState): readonly Row[] {
  const rows: Row[] = [
    ...state.points.map(({ point }) => ({ level: levelOf(scenario, point), point })),
    ...state.missing.map((hole) => ({ level: levelOf(scenario, hole), hole })),
  ];
  return rows.sort((a, b) => a.level - b.level);
}

const isLevelOf = (answer: ChosenLevel | null, scenario: Scenario, row: Row): boolean =>
  answer?.scenario === scenario &&
  'point' in row &&
  loadKey(row.point) === loadKey(answer.point) &&
  row.point.model === answer.point.model;

/** Models measured at the same time have the same levels. */
const rowKey = (row: Row): string =>
  'point' in row && row.point.model !== undefined ? `${row.level} ${row.point.model}` : String(row.level);

/** Below the value: the range of its repeats, or half the 95 % interval of a single measurement. */
function ValueCell({ column, point }: { column: Column; point: LoadPoint }) {
  const range = rangeText(column, point);
  const half = point.repeats === undefined ? halfWidthText(column, point) : missing;
  return (
    <td className={column.doubtful?.(point) === true ? 'number tone-warn' : 'number'}>
      {cellText(column, point)}
      {range === null ? null : <span className="range">{range}</span>}
      {half === missing ? null : <span className="range">± {half}</span>}
    </td>
  );
}

function PointCells({ point, columns }: { point: LoadPoint; columns: readonly Column[] }) {
  const why = doubtsText(point);
  const how = [repeatsText(point.repeats), longerText(point)].filter((text) => text !== null).join('; ');
  return (
    <>
      <td className={why === null ? 'dim' : 'tone-warn'} title={why ?? undefined}>
        {isSteady(point) ? '' : '○ '}
        {stateWords(point)}
        {how === '' ? null : (
          <span className="range" title={middleRepeatText(point.repeats) ?? undefined}>
            {how}
          </span>
        )}
      </td>
      {columns.map((column) => (
        <ValueCell key={column.id} column={column} point={point} />
      ))}
    </>
  );
}

function noteOf(points: readonly LoadPoint[]): string {
  const spread = points.some(({ repeats }) => repeats !== undefined)
    ? '; medians of the repeats, their range below'
    : points.some(({ throughputIntervalIps }) => throughputIntervalIps !== null)
      ? '; ± half-width of the 95 % interval'
      : '';
  const stream = points.some(
    ({ streaming, generation }) => streaming !== undefined || generation !== undefined,
  )
    ? '; latency over a stream is that of the last response'
    : '';
  const parts = serverPartsTexts(points).map((sentence) => `; ${sentence.replace(/\.$/, '')}`);
  return `mean times and percentiles in ms, sorted by load${spread}${stream}${parts.join('')}`;
}

/** @param several models measured at the same time: each row names its own */
const headingsOf = (load: Column, columns: readonly Column[], several: boolean): readonly Heading[] => [
  ...(several ? [{ title: model.title, help: model.help }] : []),
  numeric(titleWithUnit(load), load.help),
  {
    title: 'State',
    help: 'Steady: throughput and latency agree over three windows, without drift. Other words name further doubts.',
  },
  ...columns.map(({ title, help }) => numeric(title, help)),
];

/** Sorted by load; times in milliseconds. Levels without a result say why. */
export const PointsTable = memo(function PointsTable({
  scenario,
  state,
  answer = null,
}: {
  scenario: Scenario;
  state: ScenarioState;
  answer?: ChosenLevel | null;
}) {
  const [withComponents, setWithComponents] = useState(false);
  const rows = rowsOf(scenario, state);
  if (rows.length === 0) return null;
  const sweep = sweepOfState(scenario, state);
  const points = rows.flatMap((row) => ('point' in row ? row.point : []));
  const columns = [throughput, ...levelColumns(sweep, points, withComponents), requests];
  const load = scenario === 'offline' ? batchSize : loadOf(sweep);
  const several = points.some(({ model }) => model !== undefined);
  return (
    <Panel
      title="Levels"
      label="Measured levels"
      note={noteOf(points)}
      head={
        <CompactButton aria-expanded={withComponents} onClick={() => setWithComponents(!withComponents)}>
          {withComponents ? 'Hide components' : 'Show components'}
        </CompactButton>
      }
    >
      <ScrollTable label="Table of levels" className="points-table">
        <TableHead headings={headingsOf(load, columns, several)} />
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} data-level={row.level}>
              {several ? (
                <td className="mono">{'point' in row ? (row.point.model ?? missing) : missing}</td>
              ) : null}
              <td className="number" title={isLevelOf(answer, scenario, row) ? answer?.name : undefined}>
                {isLevelOf(answer, scenario, row) ? '★ ' : ''}
                {formatTyped(row.level)}
              </td>
              {'point' in row ? (
                <PointCells point={row.point} columns={columns} />
              ) : (
                <td colSpan={columns.length + 1} className="tone-bad">
                  No result: {row.hole.error.message}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </Panel>
  );
});
