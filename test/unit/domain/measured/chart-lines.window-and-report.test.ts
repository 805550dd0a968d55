import { describe, expect, it } from 'vitest';
import type { BaselineSeries } from '../../../../main/contract/measured/baseline';
import type { Scenario } from '../../../../main/contract/run/run-events';
import type { RunState } from '../../../../main/contract/run/run-state';
import { answerOf } from '../../../../main/domain/measured/answer';
import { chartSigns } from '../../../../main/domain/measured/chart-lines';
import { budgetMsOf, gpuCharts } from '../../../../main/domain/measured/points';
import { shownScenario } from '../../../../main/domain/measured/repeats';
import { scenarioCharts } from '../../../../main/reports/charts/report-charts';
import { scenarioReport } from '../../../../main/reports/scenario-report';
import type { Chart } from '../../../../renderer/charts/chart';
import { chartThemes } from '../../../../renderer/charts/chart-theme';
import { componentsChart } from '../../../../renderer/charts/components-chart';
import { gpuChart } from '../../../../renderer/charts/gpu-chart';
import { latencyChart, throughputChart } from '../../../../renderer/charts/latency-chart';
import { legendEntries } from '../../../../renderer/charts/legend-entries';
import { sortedPoints } from '../../../../renderer/charts/sweep-series';
import { tradeOffChart } from '../../../../renderer/charts/trade-off-chart';
import { rateState } from '../../../support/rate-run';
import {
  completeState,
  createdBodies,
  measurementBody,
  pointFixture,
  readingsFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';

/** What a reader of a chart compares: name, color and values of each series, and what the axes are called. */
interface Drawn {
  readonly series: ReadonlyMap<string, { readonly color: string; readonly values: readonly string[] }>;
  readonly axes: readonly string[];
}

const shown = (x: unknown, y: unknown): readonly string[] =>
  typeof y === 'number' && Number.isFinite(y) ? [`${String(Number(x))}: ${y.toPrecision(12)}`] : [];

function drawnInWindow(chart: Chart): Drawn {
  const colors = new Map(
    legendEntries(chart, chartThemes.light.text).map(({ name, color }) => [name, color]),
  );
  const series = chart.data.map(({ name, x, y }) => {
    const xs = Array.from(x);
    const values = Array.from(y).flatMap((value, at) => shown(xs[at], value));
    return [name, { color: colors.get(name) ?? '', values: values.sort() }] as const;
  });
  if (colors.has('Hollow: not steady')) {
    series.push(['Hollow: not steady', { color: chartThemes.light.text, values: [] }]);
  }
  const titles = [chart.layout.xaxis, chart.layout.yaxis].map(
    (axis) => (axis['title'] as { text: string }).text,
  );
  return { series: new Map(series), axes: titles };
}

interface ReportOption {
  readonly series: readonly {
    readonly name: string;
    readonly color: string;
    readonly data: readonly unknown[];
  }[];
  readonly xAxis: { readonly name: string; readonly data?: readonly string[] };
  readonly yAxis: { readonly name: string };
}

function drawnInReport(option: unknown): Drawn {
  const { series, xAxis, yAxis } = option as ReportOption;
  const place = (one: unknown, at: number): readonly string[] => {
    const value = typeof one === 'object' && one !== null && 'value' in one ? one.value : one;
    // One value for each category, whose name may have the sign of a level that is not steady.
    return Array.isArray(value) ? shown(value[0], value[1]) : shown(xAxis.data?.[at]?.split(' ')[0], value);
  };
  return {
    series: new Map(
      series.map(({ name, color, data }) => [name, { color, values: data.flatMap(place).sort() }]),
    ),
    axes: [xAxis.name, yAxis.name],
  };
}

function windowCharts(state: RunState, scenario: Scenario, baseline: BaselineSeries | null) {
  const input = {
    ...{ scenario, state: shownScenario(state, scenario), planned: [], level: null, baseline },
    ...{ budgetMs: budgetMsOf(state), theme: chartThemes.light },
  };
  return new Map<string, Chart>([
    ['throughput', throughputChart(input)],
    ['latency', latencyChart(input)],
    ['trade-off', tradeOffChart(input, answerOf(state)?.level ?? null)],
    ['components', componentsChart(input)],
    ...gpuCharts(sortedPoints(input)).map((of) => [of.id, gpuChart(input, of)] as const),
  ]);
}

/** What one of them draws and the other has no room for, or says in another way, by chart. */
const onlyInWindow: Readonly<Record<string, RegExp>> = {
  latency: /^(p90|avg|p9[05] from (schedule|send)|p99 budget .*)$/,
};
const onlyInReport: Readonly<Record<string, RegExp>> = {
  components: /^(measured avg|No result)$/,
};
/** Their color is that of the text, which is another one on paper. */
const neutral = /^(Hollow: not steady|(p99 )?published: .*)$/;
/** Over the whole width of a chart. */
const limit = /^p99 budget /;

const compared = ({ series }: Drawn, left: RegExp | undefined) =>
  [...series]
    // The window has them as error bars of their lines.
    .filter(([name]) => left?.test(name) !== true && !name.endsWith(chartSigns.interval))
    .map(([name, { color, values }]) => ({
      name,
      ...(neutral.test(name) ? {} : { color }),
      ...(limit.test(name) ? {} : { values }),
    }))
    // A cross for no level is in no legend.
    .filter(({ name, values }) => name !== 'No result' || values?.length !== 0)
    .sort((one, other) => (one.name < other.name ? -1 : 1));

const baseline: BaselineSeries = {
  label: 'published: A100',
  points: [
    { load: 1, batchSize: 1, concurrency: 1, inferencesPerSecond: 90, p99Ms: 12 },
    { load: 8, batchSize: 1, concurrency: 8, inferencesPerSecond: 300, p99Ms: null },
  ],
} as unknown as BaselineSeries;

const concurrencies = [1, 2, 8];
const closedLoop = (uuids: readonly string[]): RunState => {
  const spec = specFixture((one) => {
    one.performance.concurrency = [...concurrencies];
  });
  const bodies = concurrencies.map((concurrency) =>
    measurementBody(
      'online',
      pointFixture({
        ...{ concurrency, inferencesPerSecond: 80 * concurrency, p99Us: 9000 + 100 * concurrency },
        gpus: readingsFixture(uuids, concurrency / 8),
        ...(concurrency === 2 ? { stable: false, flags: ['unstable' as const] } : {}),
      }),
    ),
  );
  return { ...stateOf([...createdBodies(spec), ...bodies]), p99BudgetMs: 10 };
};

describe.each([
  ['with readings of one GPU', closedLoop(['GPU-1']), 'online', null],
  [
    'with readings of several GPUs, beside published figures',
    closedLoop(['GPU-1', 'GPU-2', 'GPU-3']),
    'online',
    baseline,
  ],
  ['of request rates', rateState(), 'online', null],
  ['with a level that gave no result', completeState(), 'online', null],
  ['of batch sizes', completeState(), 'offline', null],
] as const)('the charts of a run %s', (_what, state, scenario, published) => {
  const inWindow = windowCharts(state, scenario, published);
  const charts = scenarioCharts({ ...scenarioReport(state, scenario), baseline: published });

  it('are the same ones in window and report', () => {
    expect(charts.map(({ id }) => id.replace(`${scenario}-`, '')).sort()).toEqual(
      [...inWindow.keys()].sort(),
    );
  });

  it.each([...inWindow.keys()])('%s has the same series and axes', (id) => {
    const window = inWindow.get(id);
    const report = charts.find((chart) => chart.id === `${scenario}-${id}`);
    if (window === undefined || report === undefined) throw new Error(`no chart ${id}`);
    const [one, other] = [drawnInWindow(window), drawnInReport(report.option)];
    expect(compared(other, onlyInReport[id])).toEqual(compared(one, onlyInWindow[id]));
    expect(other.axes).toEqual(one.axes);
  });
});
