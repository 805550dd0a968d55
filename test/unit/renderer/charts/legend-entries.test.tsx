// @vitest-environment jsdom
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { hasValues, type SweepInput } from '../../../../renderer/charts/chart';
import { ChartLegend } from '../../../../renderer/charts/chart-legend';
import { chartThemes } from '../../../../renderer/charts/chart-theme';
import { componentsChart } from '../../../../renderer/charts/components-chart';
import { latencyChart } from '../../../../renderer/charts/latency-chart';
import { hollowLegend, legendEntries } from '../../../../renderer/charts/legend-entries';
import { shownTraces } from '../../../../renderer/charts/plot/shown-traces';
import { completeState } from '../../../support/run-state';

const theme = chartThemes.light;
const state = completeState();
const inputOf = (scenario: 'offline' | 'online', budgetMs: number | null = null): SweepInput => ({
  scenario,
  state: state.scenarios[scenario],
  planned: [],
  level: null,
  budgetMs,
  theme,
});
const online = inputOf('online');
const offline = inputOf('offline');
const namesOf = (input: SweepInput) => legendEntries(latencyChart(input), theme.text).map(({ name }) => name);

describe('the legend', () => {
  it('explains hollow symbols where a level is not steady, and only there', () => {
    expect(namesOf(offline)).toContain('Hollow: not steady');
    expect(namesOf(online)).not.toContain('Hollow: not steady');
    expect(hollowLegend(latencyChart(offline))).toHaveLength(1);
    expect(hollowLegend(latencyChart(online))).toEqual([]);
  });

  it('has a sign for levels that are not steady below bars too', () => {
    const chart = componentsChart(offline);
    expect(chart.layout.xaxis.ticktext).toEqual(['1', '2', '4', '8 ○', '16']);
    // Places of a category axis are its names: a number would be taken for one of them.
    expect(chart.layout.xaxis.tickvals).toEqual(['1', '2', '4', '8', '16']);
    expect(legendEntries(chart, theme.text).at(-1)?.name).toBe('Hollow: not steady');
    expect(componentsChart(online).layout.xaxis.ticktext).toBeUndefined();
  });

  it('has the symbol of a steady level for a series whose first one is not', () => {
    const points = [...offline.state.points].filter(({ point }) => point.batchSize >= 8);
    const [p99] = legendEntries(
      latencyChart({ ...offline, state: { ...offline.state, points } }),
      theme.text,
    );
    expect(p99).toMatchObject({ symbol: 'triangle-up', hollow: false });
  });

  it('names only what is drawn, and levels measured in turns by the windows that they have', () => {
    const nothing = { ...online, state: { points: [], missing: [] }, planned: [1, 2] };
    expect(namesOf(nothing)).toEqual([]);
    const landing = [
      {
        scenario: 'online',
        batchSize: 1,
        concurrency: 1,
        windows: [
          { inferencesPerSecond: 100, p99Us: 2000 },
          { inferencesPerSecond: 300, p99Us: 4000 },
        ],
      },
    ] as const;
    const chart = latencyChart({ ...nothing, landing });
    expect(legendEntries(chart, theme.text).map(({ name }) => name)).toEqual(['More windows to come']);
    const drawn = chart.data.find(({ name }) => name === 'More windows to come');
    expect([drawn?.x, drawn?.y]).toEqual([[1], [3]]);
    expect(String(drawn?.hovertext)).toContain('mean of 2 windows so far<br>200');
    expect([hasValues(latencyChart(nothing)), hasValues(chart)]).toEqual([false, true]);
    expect(hasValues(latencyChart({ ...nothing, budgetMs: 30 }))).toBe(false);
  });

  it('offers to show a series alone, and what belongs to all stays', () => {
    const { data } = latencyChart(inputOf('online', 30));
    const alone = shownTraces(data, 'p50').map(({ name }) => name);
    expect(alone).toEqual(['p50', 'p99 budget 30 ms', 'No result']);
    // After a change of scenario the name may be gone: then all are shown.
    expect(shownTraces(data, 'gone')).toHaveLength(data.length);
    const entries = legendEntries({ ...latencyChart(inputOf('online', 30)) }, theme.text);
    const markup = renderToStaticMarkup(
      <ChartLegend title="Latency" entries={entries} only="p50" onOnly={() => undefined} />,
    );
    const page = new DOMParser().parseFromString(markup, 'text/html');
    const buttons = [...page.querySelectorAll('button')].map((button) => [
      button.textContent,
      button.getAttribute('aria-pressed'),
    ]);
    expect(buttons).toEqual([
      ['p99', 'false'],
      ['p95', 'false'],
      ['p90', 'false'],
      ['p50', 'true'],
      ['avg', 'false'],
    ]);
    expect(page.body.textContent).toContain('p99 budget 30 ms');
  });
});
