import { memo } from 'react';
import type { repeatedColumns } from '../../../main/contract/repeats';
import { repeatsText } from '../../../main/contract/repeats';
import type { LoadPoint } from '../../../main/contract/results';
import type { Scenario } from '../../../main/contract/run-events';
import type { MissingPoint, ScenarioState } from '../../../main/contract/run-state';
import { levelOf } from '../../charts/chart';
import { formatCount, formatMs, formatRate } from '../../format/numbers';
import { sweepText, whyUnsteady } from '../../format/words';

const columns: readonly {
  readonly title: string;
  readonly of: (typeof repeatedColumns)[number];
}[] = [
  { title: 'Send', of: 'clientSendUs' },
  { title: 'Network', of: 'networkServerSendRecvUs' },
  { title: 'Queue', of: 'serverQueueUs' },
  { title: 'Input', of: 'serverComputeInputUs' },
  { title: 'Infer', of: 'serverComputeInferUs' },
  { title: 'Output', of: 'serverComputeOutputUs' },
  { title: 'Receive', of: 'clientRecvUs' },
  { title: 'p50', of: 'p50Us' },
  { title: 'p90', of: 'p90Us' },
  { title: 'p95', of: 'p95Us' },
  { title: 'p99', of: 'p99Us' },
  { title: 'avg', of: 'avgUs' },
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

function PointCells({ point }: { point: LoadPoint }) {
  const why = whyUnsteady(point);
  const repeats = repeatsText(point.repeats);
  return (
    <>
      <td className="number">
        {formatRate(point.inferencesPerSecond)}
        <Range range={point.repeats?.ranges.inferencesPerSecond} text={formatRate} />
      </td>
      {columns.map(({ title, of }) => (
        <td key={title} className="number">
          {formatMs(point[of])}
          <Range range={point.repeats?.ranges[of]} text={formatMs} />
        </td>
      ))}
      <td className="number">{point.requestCount === null ? '–' : formatCount(point.requestCount)}</td>
      <td className={why === null ? 'dim' : 'tone-warn'} title={why ?? undefined}>
        {why === null ? 'steady' : '○ not steady'}
        {repeats === null ? null : <span className="range">{repeats}</span>}
      </td>
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
  const rows = rowsOf(scenario, state);
  if (rows.length === 0) return null;
  return (
    <section className="panel" aria-label="Measured levels">
      <div className="panel-head">
        <h2>Levels</h2>
        <span className="dim">
          mean times and percentiles in ms, sorted by load
          {rows.some((row) => 'point' in row && row.point.repeats !== undefined)
            ? '; medians of the repeats, their range below'
            : ''}
        </span>
      </div>
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Table of levels">
        <table className="table points-table">
          <thead>
            <tr>
              <th scope="col" className="number">
                {sweepText[scenario]}
              </th>
              <th scope="col" className="number">
                Inferences/s
              </th>
              {columns.map(({ title }) => (
                <th key={title} scope="col" className="number">
                  {title}
                </th>
              ))}
              <th scope="col" className="number">
                Requests
              </th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.level} data-level={row.level}>
                <td className="number">{row.level}</td>
                {'point' in row ? (
                  <PointCells point={row.point} />
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
