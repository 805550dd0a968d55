import { memo } from 'react';
import type { LoadPoint } from '../../../main/contract/results';
import type { Scenario } from '../../../main/contract/run-events';
import type { MissingPoint, ScenarioState } from '../../../main/contract/run-state';
import { levelOf } from '../../charts/chart';
import { formatCount, formatMs, formatRate } from '../../format/numbers';
import { sweepText, whyUnsteady } from '../../format/words';

const columns: readonly { readonly title: string; readonly valueOf: (point: LoadPoint) => number }[] = [
  { title: 'Send', valueOf: (point) => point.clientSendUs },
  { title: 'Network', valueOf: (point) => point.networkServerSendRecvUs },
  { title: 'Queue', valueOf: (point) => point.serverQueueUs },
  { title: 'Input', valueOf: (point) => point.serverComputeInputUs },
  { title: 'Infer', valueOf: (point) => point.serverComputeInferUs },
  { title: 'Output', valueOf: (point) => point.serverComputeOutputUs },
  { title: 'Receive', valueOf: (point) => point.clientRecvUs },
  { title: 'p50', valueOf: (point) => point.p50Us },
  { title: 'p90', valueOf: (point) => point.p90Us },
  { title: 'p95', valueOf: (point) => point.p95Us },
  { title: 'p99', valueOf: (point) => point.p99Us },
  { title: 'avg', valueOf: (point) => point.avgUs },
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

function PointCells({ point }: { point: LoadPoint }) {
  const why = whyUnsteady(point);
  return (
    <>
      <td className="number">{formatRate(point.inferencesPerSecond)}</td>
      {columns.map(({ title, valueOf }) => (
        <td key={title} className="number">
          {formatMs(valueOf(point))}
        </td>
      ))}
      <td className="number">{point.requestCount === null ? '–' : formatCount(point.requestCount)}</td>
      <td className={why === null ? 'dim' : 'tone-warn'} title={why ?? undefined}>
        {why === null ? 'steady' : '○ not steady'}
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
        <span className="dim">mean times and percentiles in ms, sorted by load</span>
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
