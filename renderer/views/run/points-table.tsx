import { Button } from '@mantine/core';
import { memo, useState } from 'react';
import { isSteady, stateWords } from '../../../main/contract/flag-text';
import { latencyIntervalUs } from '../../../main/contract/latency-intervals';
import { middleRepeatText, repeatsText } from '../../../main/contract/repeats';
import type { LoadPoint } from '../../../main/contract/results';
import type { Scenario } from '../../../main/contract/run-events';
import type { MissingPoint, ScenarioState } from '../../../main/contract/run-state';
import { sweepHeading } from '../../../main/contract/sweep';
import { levelOf, sweepOfState } from '../../charts/chart';
import { formatCount, formatMs, formatRate, missing } from '../../../main/contract/numbers';
import { doubtsText } from '../../format/words';
import type { LevelColumn } from './level-column';
import { levelColumns } from './level-columns';

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

/** Models that were measured at the same time have the same levels. */
const rowKey = (row: Row): string =>
  'point' in row && row.point.model !== undefined ? `${row.level} ${row.point.model}` : String(row.level);

/** Smallest and largest of the repeats, below the median. */
function Range(props: {
  range: { readonly min: number; readonly max: number } | undefined;
  text: (value: number) => string;
}) {
  const { range, text } = props;
  if (range === undefined) return null;
  return (
    <span className="range">
      {text(range.min)}–{text(range.max)}
    </span>
  );
}

/** Half the width of a value's 95 % interval, below it; of repeats their range says more. */
function HalfWidth(props: { point: LoadPoint; value: number | null; text: (value: number) => string }) {
  const { point, value, text } = props;
  if (value === null || point.repeats !== undefined) return null;
  return <span className="range">± {text(value)}</span>;
}

function PointCells({ point, columns }: { point: LoadPoint; columns: readonly LevelColumn[] }) {
  const why = doubtsText(point);
  const repeats = repeatsText(point.repeats);
  return (
    <>
      <td className={why === null ? 'dim' : 'tone-warn'} title={why ?? undefined}>
        {isSteady(point) ? '' : '○ '}
        {stateWords(point)}
        {repeats === null ? null : (
          <span className="range" title={middleRepeatText(point.repeats) ?? undefined}>
            {repeats}
          </span>
        )}
      </td>
      <td className="number">
        {formatRate(point.inferencesPerSecond)}
        <Range range={point.repeats?.ranges.inferencesPerSecond} text={formatRate} />
        <HalfWidth point={point} value={point.throughputIntervalIps} text={formatRate} />
      </td>
      {columns.map(({ title, text, ranged, rangedSchedule, interval, doubtful }) => (
        <td key={title} className={doubtful?.(point) === true ? 'number tone-warn' : 'number'}>
          {text(point)}
          {ranged === undefined ? null : <Range range={point.repeats?.ranges[ranged]} text={formatMs} />}
          {rangedSchedule === undefined ? null : (
            <Range range={point.repeats?.scheduledRanges?.[rangedSchedule]} text={formatMs} />
          )}
          {interval === undefined ? null : (
            <HalfWidth point={point} value={latencyIntervalUs(point, interval)} text={formatMs} />
          )}
        </td>
      ))}
      <td className="number">{formatCount(point.requestCount)}</td>
    </>
  );
}

/** Every level with the seeds' columns, sorted by load; times in milliseconds. Levels without a result say why. */
export const PointsTable = memo(function PointsTable({
  scenario,
  state,
}: {
  scenario: Scenario;
  state: ScenarioState;
}) {
  const [withComponents, setWithComponents] = useState(false);
  const rows = rowsOf(scenario, state);
  if (rows.length === 0) return null;
  const sweep = sweepOfState(scenario, state);
  const points = rows.flatMap((row) => ('point' in row ? row.point : []));
  const columns = levelColumns(sweep, points, withComponents);
  const several = points.some(({ model }) => model !== undefined);
  return (
    <section className="panel" aria-label="Measured levels">
      <div className="panel-head">
        <h2>Levels</h2>
        <span className="dim">
          mean times and percentiles in ms, sorted by load
          {points.some(({ repeats }) => repeats !== undefined)
            ? '; medians of the repeats, their range below'
            : points.some(({ throughputIntervalIps }) => throughputIntervalIps !== null)
              ? '; ± half the width of the 95 % interval'
              : ''}
          {points.some(({ streaming }) => streaming !== undefined)
            ? '; latency over a stream is that of the last response'
            : ''}
        </span>
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={withComponents}
          onClick={() => {
            setWithComponents(!withComponents);
          }}
        >
          {withComponents ? 'Hide components' : 'Show components'}
        </Button>
      </div>
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Table of levels">
        <table className="table points-table">
          <thead>
            <tr>
              {several ? (
                <th scope="col" title="Of models that were measured at the same time: which one this is.">
                  Model
                </th>
              ) : null}
              <th scope="col" className="number" title="What the levels differ in.">
                {sweepHeading[sweep]}
              </th>
              <th
                scope="col"
                title="Steady: throughput and latency agree over three windows, without drift. Other words say what else is in doubt."
              >
                State
              </th>
              <th scope="col" className="number" title="Items of answered requests per second.">
                Inferences/s
              </th>
              {columns.map(({ title, help }) => (
                <th key={title} scope="col" className="number" title={help}>
                  {title}
                </th>
              ))}
              <th scope="col" className="number" title="Answered requests in the windows that count.">
                Requests
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={rowKey(row)} data-level={row.level}>
                {several ? (
                  <td className="mono">{'point' in row ? (row.point.model ?? missing) : missing}</td>
                ) : null}
                <td className="number">{row.level}</td>
                {'point' in row ? (
                  <PointCells point={row.point} columns={columns} />
                ) : (
                  <td colSpan={columns.length + 3} className="tone-bad">
                    No result: {row.hole.error.message}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
});
