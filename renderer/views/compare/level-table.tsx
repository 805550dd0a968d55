import type { Scenario } from '../../../main/contract/run-events';
import type { BaselineSeries } from '../../../main/contract/baseline-points';
import { formatMs, formatRate } from '../../format/numbers';
import { sweepText, whyUnsteady } from '../../format/words';
import type { AlignedLevel, ComparedValue } from './compare-levels';

const ratioText = (ratio: number): string => `×${ratio.toFixed(ratio >= 10 ? 1 : 2)}`;

/** Higher is better for throughput, lower for latency. */
function toneOf(value: ComparedValue, higherIsBetter: boolean): string {
  if (value.ratio === null || value.withinNoise === true) return 'dim';
  if (value.withinNoise === null) return '';
  return value.ratio > 1 === higherIsBetter ? 'tone-good' : 'tone-bad';
}

function noiseText(value: ComparedValue): string | undefined {
  if (value.withinNoise === null) return 'The noise of one of the two is not known';
  return value.withinNoise ? 'Inside the noise of the two measurements' : 'Outside the noise of both';
}

function ValueCells(props: {
  value: ComparedValue;
  text: string;
  interval: string | null;
  higherIsBetter: boolean;
  first: boolean;
}) {
  const { value, interval } = props;
  const tone = toneOf(value, props.higherIsBetter);
  return (
    <>
      <td className={value.withinNoise === true ? 'number dim' : 'number'}>
        {props.text}
        {interval === null ? null : <span className="dim"> ± {interval}</span>}
      </td>
      {props.first ? null : (
        <td className={`number ${tone}`} title={value.ratio === null ? undefined : noiseText(value)}>
          {value.ratio === null ? '–' : ratioText(value.ratio)}
        </td>
      )}
    </>
  );
}

const publishedRate = (rate: number | undefined): string => (rate === undefined ? '–' : formatRate(rate));
const publishedMs = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? '–' : formatMs(ms * 1000);

/** Throughput and p99 of every level, the runs side by side, each with its ratio to the first. */
export function LevelTable(props: {
  scenario: Scenario;
  levels: readonly AlignedLevel[];
  names: readonly string[];
  /** Published figures in a column of their own at the end of each group. */
  baseline: BaselineSeries | null;
}) {
  const { scenario, levels, names, baseline } = props;
  const span = names.length * 2 - 1 + (baseline === null ? 0 : 1);
  const published = new Map((baseline?.points ?? []).map((point) => [point.load, point]));
  return (
    <section className="panel" aria-label="Levels side by side">
      <div className="panel-head">
        <h2>Levels</h2>
        <span className="dim">
          × to the first run; ± half of the 95 % interval; grey: inside the noise of both
        </span>
      </div>
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Table of compared levels">
        <table className="table compare-table">
          <thead>
            <tr>
              <th scope="col" rowSpan={2} className="number">
                {sweepText[scenario]}
              </th>
              <th scope="colgroup" colSpan={span} className="group">
                Inferences/s
              </th>
              <th scope="colgroup" colSpan={span} className="group">
                p99, ms
              </th>
            </tr>
            <tr>
              {['throughput', 'p99'].flatMap((value) => [
                ...names.map((name, index) => (
                  <th
                    key={`${value} ${name}`}
                    scope="col"
                    colSpan={index === 0 ? 1 : 2}
                    className={index === 0 ? 'number group' : 'number'}
                    title={name}
                  >
                    Run {index + 1}
                  </th>
                )),
                baseline === null ? null : (
                  <th key={`${value} published`} scope="col" className="number dim" title={baseline.label}>
                    {baseline.label}
                  </th>
                ),
              ])}
            </tr>
          </thead>
          <tbody>
            {levels.map(({ level, runs }) => (
              <tr key={level} data-level={level}>
                <td className="number">{level}</td>
                {runs.map((run, index) =>
                  run === null ? (
                    <td key={index} colSpan={index === 0 ? 1 : 2} className="number dim">
                      –
                    </td>
                  ) : (
                    <ValueCells
                      key={index}
                      first={index === 0}
                      value={run.throughput}
                      text={`${whyUnsteady(run.point) === null ? '' : '○ '}${formatRate(run.throughput.value)}`}
                      interval={run.throughput.interval === null ? null : formatRate(run.throughput.interval)}
                      higherIsBetter
                    />
                  ),
                )}
                {baseline === null ? null : (
                  <td className="number dim">{publishedRate(published.get(level)?.inferencesPerSecond)}</td>
                )}
                {runs.map((run, index) =>
                  run === null ? (
                    <td key={index} colSpan={index === 0 ? 1 : 2} className="number dim">
                      –
                    </td>
                  ) : (
                    <ValueCells
                      key={index}
                      first={index === 0}
                      value={run.p99Ms}
                      text={formatMs(run.p99Ms.value * 1000)}
                      interval={run.p99Ms.interval === null ? null : formatMs(run.p99Ms.interval * 1000)}
                      higherIsBetter={false}
                    />
                  ),
                )}
                {baseline === null ? null : (
                  <td className="number dim">{publishedMs(published.get(level)?.p99Ms)}</td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
