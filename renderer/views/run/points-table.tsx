import { memo } from 'react';
import type { repeatedColumns } from '../../../main/contract/repeats';
import { repeatsText } from '../../../main/contract/repeats';
import type { LoadPoint } from '../../../main/contract/results';
import type { Scenario } from '../../../main/contract/run-events';
import type { MissingPoint, ScenarioState } from '../../../main/contract/run-state';
import type { Sweep } from '../../../main/contract/sweep';
import { achievedRate, sweepHeading } from '../../../main/contract/sweep';
import { levelOf, sweepOfState } from '../../charts/chart';
import { formatCount, formatMs, formatRate } from '../../format/numbers';
import { whyUnsteady } from '../../format/words';

interface Column {
  readonly title: string;
  readonly text: (point: LoadPoint) => string;
  /** Of repeats its range stands below. */
  readonly ranged?: RepeatedColumn;
}

type RepeatedColumn = (typeof repeatedColumns)[number];

const ms =
  (valueOf: (point: LoadPoint) => number | null | undefined) =>
  (point: LoadPoint): string =>
    formatMs(valueOf(point) ?? null);

const column = (title: string, ranged: RepeatedColumn): Column => ({
  title,
  text: ms((point) => point[ranged]),
  ranged,
});

const components: readonly Column[] = [
  column('Send', 'clientSendUs'),
  column('Network', 'networkServerSendRecvUs'),
  column('Queue', 'serverQueueUs'),
  column('Input', 'serverComputeInputUs'),
  column('Infer', 'serverComputeInferUs'),
  column('Output', 'serverComputeOutputUs'),
  column('Receive', 'clientRecvUs'),
];

const latencies: readonly Column[] = [
  column('p50', 'p50Us'),
  column('p90', 'p90Us'),
  column('p95', 'p95Us'),
  column('p99', 'p99Us'),
  column('avg', 'avgUs'),
];

const achieved: Column = { title: 'Achieved requests/s', text: (point) => formatRate(achievedRate(point)) };

/** Of an open loop: asked stands in the first column. */
const scheduled: readonly Column[] = [
  ...(['p50', 'p90', 'p95', 'p99', 'max'] as const).map((name) => ({
    title: `${name} schedule`,
    text: ms((point) => point.scheduled?.[`${name}Us`]),
  })),
  {
    title: 'Delayed',
    text: ({ scheduled: known }) => (known === undefined ? '–' : formatCount(known.delayedCount)),
  },
];

/** By request rate both latencies stand beside each other: from the send and from the schedule. */
function columnsOf(sweep: Sweep): readonly Column[] {
  if (sweep !== 'requestRate') return [...components, ...latencies];
  const fromSend = latencies.map((known) => ({ ...known, title: `${known.title} send` }));
  return [achieved, ...components, ...fromSend, ...scheduled];
}

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

function PointCells({ point, columns }: { point: LoadPoint; columns: readonly Column[] }) {
  const why = whyUnsteady(point);
  const repeats = repeatsText(point.repeats);
  return (
    <>
      <td className="number">
        {formatRate(point.inferencesPerSecond)}
        <Range range={point.repeats?.ranges.inferencesPerSecond} text={formatRate} />
      </td>
      {columns.map(({ title, text, ranged }) => (
        <td key={title} className="number">
          {text(point)}
          {ranged === undefined ? null : <Range range={point.repeats?.ranges[ranged]} text={formatMs} />}
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
  const sweep = sweepOfState(scenario, state);
  const columns = columnsOf(sweep);
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
                {sweepHeading[sweep]}
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
