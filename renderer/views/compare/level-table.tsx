import { Fragment, type ReactNode } from 'react';
import { isSteady } from '../../../main/contract/flag-text';
import type { BaselinePoint, BaselineSeries } from '../../../main/contract/measured/baseline';
import { cellText, type Column, titleWithUnit } from '../../../main/contract/measured/column';
import {
  fromSend,
  p99 as p99Column,
  scheduledP99,
  throughput as throughputColumn,
} from '../../../main/contract/measured/columns';
import type { LoadPoint } from '../../../main/contract/measured/results';
import { formatHalfWidth, formatMeasured, formatRate } from '../../../main/contract/numbers';
import { type Sweep, sweepHeading } from '../../../main/contract/run/sweep';
import type { AlignedLevel, ComparedValue } from '../../../main/domain/measured/compare-levels';
import { comparisonSentences, meaningOf, ratioWords } from '../../../main/domain/measured/comparison-gate';
import { Panel } from '../../components/panel';
import { ScrollTable } from '../../components/table';

const tones = {
  better: 'tone-good',
  worse: 'tone-bad',
  same: 'dim',
  unknown: '',
  unsteady: 'dim',
  faulty: 'tone-bad',
} as const;

function noiseText(value: ComparedValue): string | undefined {
  if (value.faulty) return 'Too many requests failed in at least one of the runs, or responses are wrong';
  if (!value.steady)
    return 'The level is not steady in at least one of the runs: measured again, it may differ';
  if (value.withinNoise === null) return 'The noise of at least one of the runs is unknown';
  return value.withinNoise
    ? 'Within the 95 % intervals of both runs'
    : 'Beyond the 95 % intervals of both runs';
}

function ValueCells(props: { value: ComparedValue; text: string; higherIsBetter: boolean; first: boolean }) {
  const { value } = props;
  const { interval } = value;
  const meaning = meaningOf(value, props.higherIsBetter);
  const tone = meaning === null ? '' : tones[meaning];
  return (
    <>
      <td className={value.withinNoise === true ? 'number dim' : 'number'}>
        {props.text}
        {interval === null ? null : <span className="dim"> ± {formatHalfWidth(interval, value.value)}</span>}
      </td>
      {props.first ? null : (
        <td className={`number ${tone}`} title={value.ratio === null ? undefined : noiseText(value)}>
          {ratioWords(value, meaning)}
        </td>
      )}
    </>
  );
}

type ComparedRun = NonNullable<AlignedLevel['runs'][number]>;

/** Milliseconds with the ratio; a dash where the tool reports none. */
function LatencyCells(props: {
  column: Column;
  point: LoadPoint;
  value: ComparedValue | null;
  first: boolean;
}) {
  const { column, point, value, first } = props;
  if (value === null) return <NoCells first={first} />;
  return <ValueCells first={first} value={value} text={cellText(column, point)} higherIsBetter={false} />;
}

function NoCells({ first }: { first: boolean }) {
  return (
    <td colSpan={first ? 1 : 2} className="number dim">
      –
    </td>
  );
}

interface ValueGroup {
  readonly title: string;
  readonly cells: (run: ComparedRun, first: boolean) => ReactNode;
  readonly published: (point: BaselinePoint | undefined) => string;
}

function groupsOf(sweep: Sweep): readonly ValueGroup[] {
  const throughput: ValueGroup = {
    title: throughputColumn.title,
    cells: (run, first) => (
      <ValueCells
        first={first}
        value={run.throughput}
        text={`${isSteady(run.point) ? '' : '○ '}${cellText(throughputColumn, run.point)}`}
        higherIsBetter
      />
    ),
    published: (point) => formatRate(point?.inferencesPerSecond),
  };
  const p99 = (column: Column, of: (run: ComparedRun) => ComparedValue | null): ValueGroup => ({
    title: titleWithUnit(column),
    cells: (run, first) => <LatencyCells column={column} point={run.point} value={of(run)} first={first} />,
    published: (point) => formatMeasured(point?.p99Ms),
  });
  return sweep === 'requestRate'
    ? [
        throughput,
        p99(scheduledP99, (run) => run.scheduledP99Ms),
        p99(fromSend(p99Column), (run) => run.p99Ms),
      ]
    : [throughput, p99(p99Column, (run) => run.p99Ms)];
}

/** Two rows: the values, and below each the runs with what is published. */
function LevelHeads(props: {
  sweep: Sweep;
  groups: readonly ValueGroup[];
  names: readonly string[];
  baseline: BaselineSeries | null;
}) {
  const { sweep, groups, names, baseline } = props;
  const span = names.length * 2 - 1 + (baseline === null ? 0 : 1);
  return (
    <thead>
      <tr>
        <th scope="col" rowSpan={2} className="number">
          {sweepHeading[sweep]}
        </th>
        {groups.map(({ title }) => (
          <th key={title} scope="colgroup" colSpan={span} className="group">
            {title}
          </th>
        ))}
      </tr>
      <tr>
        {groups.flatMap(({ title: value }) => [
          ...names.map((name, index) => (
            <Fragment key={`${value} ${name}`}>
              <th scope="col" className={index === 0 ? 'number group' : 'number'} title={name}>
                <span className="cut">{name}</span>
              </th>
              {index === 0 ? null : (
                <th scope="col" className="number">
                  vs baseline
                </th>
              )}
            </Fragment>
          )),
          baseline === null ? null : (
            <th key={`${value} published`} scope="col" className="number dim" title={baseline.label}>
              {baseline.label}
            </th>
          ),
        ])}
      </tr>
    </thead>
  );
}

export function LevelTable(props: {
  sweep: Sweep;
  levels: readonly AlignedLevel[];
  names: readonly string[];
  baseline: BaselineSeries | null;
}) {
  const { sweep, levels, names, baseline } = props;
  const groups = groupsOf(sweep);
  const mixed = sweep !== 'batchSize' && new Set(levels.map(({ batchSize }) => batchSize)).size > 1;
  const published = new Map((baseline?.points ?? []).map((point) => [point.load, point]));
  // The heading names a batch size that differs from the rows'.
  const publishedAt = (level: number, batchSize: number) => {
    const point = published.get(level);
    return mixed && point?.batchSize !== batchSize ? undefined : point;
  };
  return (
    <Panel
      title="Levels"
      label="Levels side by side"
      note={<>× relative to the baseline, {names[0]}; ± half-width of the 95 % interval</>}
    >
      {names.length < 2 ? null : (
        <ul className="panel-body column compare-sentences" aria-label="Result of the comparison">
          {comparisonSentences(levels, names).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      <ScrollTable label="Table of compared levels" className="compare-table">
        <LevelHeads sweep={sweep} groups={groups} names={names} baseline={baseline} />
        <tbody>
          {levels.map(({ level, batchSize, model, runs }) => (
            <tr key={`${level}/${batchSize}/${model ?? ''}`} data-level={level}>
              <td className="number">
                {level}
                {mixed ? <span className="dim"> batch {batchSize}</span> : null}
                {model === undefined ? null : <span className="dim"> {model}</span>}
              </td>
              {groups.map(({ title, cells, published: publishedText }) => (
                <Fragment key={title}>
                  {runs.map((run, index) => (
                    <Fragment key={index}>
                      {run === null ? <NoCells first={index === 0} /> : cells(run, index === 0)}
                    </Fragment>
                  ))}
                  {baseline === null ? null : (
                    <td className="number dim">{publishedText(publishedAt(level, batchSize))}</td>
                  )}
                </Fragment>
              ))}
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </Panel>
  );
}
