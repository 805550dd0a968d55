import { describe, expect, it } from 'vitest';
import type { BaselineSeries } from '../../../../main/contract/measured/baseline';
import type { SweepInput } from '../../../../renderer/charts/chart';
import { chartThemes } from '../../../../renderer/charts/chart-theme';
import { componentsChart } from '../../../../renderer/charts/components-chart';
import { linesOf, wrapLines, wrapped } from '../../../../renderer/charts/hover-text';
import { latencyChart, throughputChart } from '../../../../renderer/charts/latency-chart';
import { hoverPlace } from '../../../../renderer/charts/plot/hover-card';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../support/run-state';

/** Characters of a line at most; a few more than a line of reasons, for a line of figures. */
const widest = 56;

const shaky = pointFixture({
  concurrency: 4,
  stable: false,
  flags: ['unstable', 'drifting', 'client-saturated', 'server-restarted', 'errors'],
});
const state = stateOf([
  ...createdBodies(),
  measurementBody('online', pointFixture({ concurrency: 1 })),
  measurementBody('online', shaky),
  {
    type: 'measurement-missing',
    scenario: 'online',
    key: 'online-1-8',
    ...{ batchSize: 1, concurrency: 8 },
    error: {
      code: 'load-tool-failed',
      message: `perf_analyzer ended with exit code 2: Failed to obtain stable measurement within 10 windows of /a/${'long'.repeat(30)}`,
    },
  },
]);
const baseline: BaselineSeries = {
  label:
    'published, A100 of a machine with a name that takes more room than a chart, TensorRT fp16, batch 128',
  points: [
    {
      ...{ load: 16, batchSize: 128, concurrency: 16, inferencesPerSecond: 2000 },
      ...{ p50Ms: 1, p95Ms: 2, p99Ms: 3 },
    },
  ],
};
const input: SweepInput = {
  scenario: 'online',
  state: state.scenarios.online,
  planned: [1, 4, 8],
  level: null,
  budgetMs: null,
  baseline,
  theme: chartThemes.light,
};
const hoverLines = (of: { data: readonly { hovertext?: readonly string[] }[] }) =>
  of.data.flatMap(({ hovertext = [] }) => hovertext.flatMap(linesOf));

describe('the text of a point', () => {
  it('is no wider than its chart: reasons, published names and errors are broken into lines', () => {
    for (const chart of [throughputChart(input), latencyChart(input), componentsChart(input)]) {
      const lines = hoverLines(chart);
      expect(lines.length).toBeGreaterThan(10);
      expect(lines.filter((line) => line.length > widest)).toEqual([]);
    }
    const text = hoverLines(throughputChart(input)).join(' ');
    expect(text).toMatch(/not steady/i);
    expect(text).toContain('Failed to obtain stable measurement');
    expect(text).toContain('TensorRT fp16');
  });

  it('keeps every word and character', () => {
    const text = `a ${'b'.repeat(120)} c d`;
    expect(wrapLines(text).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    expect(wrapLines('  one   two ')).toEqual(['one two']);
    expect(wrapLines('')).toEqual([]);
    expect(wrapLines(`${'x'.repeat(49)} y`)).toEqual(['x'.repeat(49), 'y']);
    expect(wrapLines(`${'x'.repeat(48)} y`)).toEqual([`${'x'.repeat(48)} y`]);
  });

  it('reads as it was written: markup of a server is text', () => {
    const text = 'OUTPUT <b>&amp;</b> & more';
    expect(wrapped(text)).toBe('OUTPUT &lt;b&gt;&amp;amp;&lt;/b&gt; &amp; more');
    expect(linesOf(wrapped(text))).toEqual([text]);
  });
});

describe('the place of a hover text', () => {
  const window = { width: 1024, height: 700 };
  const size = { width: 360, height: 200 };
  const at = (x: number, y: number) => ({ left: x - 5, right: x + 5, top: y - 5, bottom: y + 5 });

  it('is beside its point, on the side that has room', () => {
    expect(hoverPlace(at(300, 350), size, window)).toEqual({ left: 317, top: 250 });
    expect(hoverPlace(at(900, 350), size, window)).toEqual({ left: 523, top: 250 });
  });

  it('is never over an edge of the window', () => {
    for (const x of [0, 200, 512, 800, 1024]) {
      for (const y of [0, 50, 350, 690]) {
        const { left, top } = hoverPlace(at(x, y), size, window);
        expect(left).toBeGreaterThanOrEqual(0);
        expect(top).toBeGreaterThanOrEqual(0);
        expect(left + size.width).toBeLessThanOrEqual(window.width);
        expect(top + size.height).toBeLessThanOrEqual(window.height);
      }
    }
  });
});
