// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest';
import type { JournalBody } from '../../../../main/contract/run/run-events';
import { componentColors, okabeIto } from '../../../../main/domain/measured/chart-lines';
import { sweepScale } from '../../../../main/reports/charts/chart-base';
import { renderChart } from '../../../../main/reports/charts/render-chart';
import { scenarioCharts } from '../../../../main/reports/charts/report-charts';
import type { ReportScenario } from '../../../../main/reports/report';
import { scenarioReport } from '../../../../main/reports/scenario-report';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  readingsFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';

// jsdom has no canvas and says so at every call; the charts measure text without one, as they do in Node.
vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);

function onlineOf(concurrency: readonly number[], bodies: readonly JournalBody[]): ReportScenario {
  const spec = specFixture((value) => {
    value.performance.concurrency = [...concurrency];
  });
  return scenarioReport(stateOf([...createdBodies(spec), ...bodies]), 'online');
}

const measured = (concurrency: readonly number[], shaky: readonly number[] = []): ReportScenario =>
  onlineOf(
    concurrency,
    concurrency.map((count) =>
      measurementBody(
        'online',
        pointFixture({
          concurrency: count,
          ...(shaky.includes(count) ? { stable: false, flags: ['unstable' as const] } : {}),
        }),
      ),
    ),
  );

const svgsOf = (scenario: ReportScenario) => scenarioCharts(scenario).map(renderChart);

/** Lightness of a color on a grey print, 0 to 255. */
function greyOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;

describe('sweepScale', () => {
  it.each([
    [[1], 'single'],
    [[], 'single'],
    [[1, 2, 4, 8, 1024], 'log2'],
    [[1, 2, 3, 4], 'linear'],
    [[8, 16, 24, 32], 'linear'],
  ] as const)('of %j is %s', (values, scale) => {
    expect(sweepScale(values)).toBe(scale);
  });
});

describe('the charts of a scenario', () => {
  it('have the 95 % intervals of throughput and p99 as bars', () => {
    const [throughput, latency] = scenarioCharts(
      onlineOf(
        [1, 2],
        [
          measurementBody(
            'online',
            pointFixture({ concurrency: 1, inferencesPerSecond: 100, throughputIntervalIps: 8 }),
          ),
          measurementBody('online', pointFixture({ concurrency: 2, p99Us: 9000, p99IntervalUs: 10_000 })),
        ],
      ),
    ).map(({ option }) => option.series as readonly { name: string; data: readonly unknown[] }[]);
    const bars = (series: typeof throughput, name: string) => series?.find((one) => one.name === name)?.data;
    expect(bars(throughput, 'Throughput ±')?.slice(0, 3)).toEqual([
      [1, 92],
      [1, 108],
      [1, '-'],
    ]);
    expect(bars(latency, 'p99 ±')).toEqual([
      [2, 0],
      [2, 19],
      [2, '-'],
    ]);
  });

  it('have legends whose entries do not run into one another in the widest font', () => {
    const [, , , components = ''] = svgsOf(measured([1, 2]));
    const places = new Map(
      [...components.matchAll(/x="15" y="4" transform="translate\(([\d.]+) ([\d.]+)\)"[^>]*>([^<]+)</g)].map(
        ([, x, y, name]) => [name ?? '', { x: Number(x), y: Number(y) }],
      ),
    );
    const place = (name: string) => places.get(name) ?? { x: NaN, y: NaN };
    // What DejaVu Sans takes for them, in parts of the font size of 9; 15 is the coloured box.
    const send = place('Client send');
    const network = place('Network + server');
    expect(network.x - send.x).toBeGreaterThan(15 + 5.73 * 9);
    expect(place('Server queue').x - network.x).toBeGreaterThan(15 + 8.81 * 9);
    expect(place('measured avg').y).toBeGreaterThan(send.y);
  });

  it.each([
    ['one level', [4]],
    ['two levels', [1, 2]],
    ['a doubling sweep', [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]],
    ['an even sweep', Array.from({ length: 32 }, (_, index) => 8 * (index + 1))],
    ['large, far levels', [1, 16_384, 131_072]],
  ])('are well-formed pictures without script for %s', (_name, concurrency) => {
    const svgs = svgsOf(measured(concurrency));
    // One level has nothing to be weighed against: no trade-off.
    expect(svgs).toHaveLength(concurrency.length === 1 ? 3 : 4);
    for (const svg of svgs) {
      const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
      expect(parsed.querySelector('parsererror')).toBeNull();
      expect(svg).not.toMatch(/<script|<style|<foreignObject|href|\son\w+=/i);
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
      expect(svg).toMatch(
        /^<svg [^>]*role="img" aria-labelledby="([\w-]+)"><title id="\1">Online scenario: /,
      );
    }
  });

  it('explain a front in the legend only where at least two levels are steady', () => {
    const rising = (shaky: readonly number[]) =>
      onlineOf(
        [1, 2],
        [1, 2].map((concurrency) =>
          measurementBody(
            'online',
            pointFixture({
              concurrency,
              inferencesPerSecond: 100 * concurrency,
              p99Us: 5000 * concurrency,
              ...(shaky.includes(concurrency) ? { stable: false, flags: ['unstable' as const] } : {}),
            }),
          ),
        ),
      );
    expect(svgsOf(rising([])).join('')).toContain('Pareto front');
    expect(svgsOf(rising([2])).join('')).not.toContain('Pareto front');
    expect(svgsOf(rising([1, 2])).join('')).not.toContain('Pareto front');
  });

  it('are told apart without color: by mark and dash, and bars of the same lightness by hatching', () => {
    const [, latency = '', , components = ''] = svgsOf(measured([1, 2, 4]));
    const dashes = [okabeIto.blue, okabeIto.orange, okabeIto.vermillion].map((color) => {
      const line = new RegExp(`<path d="[^"]*" fill="none" stroke="${color}"[^>]*>`).exec(latency)?.[0] ?? '';
      return /stroke-dasharray="([^"]*)"/.exec(line)?.[1] ?? 'solid';
    });
    expect(new Set(dashes).size).toBe(3);
    const legend = componentColors.map((color) => {
      // The hatching of a bar is drawn right over it.
      const over = new RegExp(
        `fill="${color}"[^>]*></path>\\s*<path d="M([\\d.-]+) ([\\d.-]+)L([\\d.-]+) ([\\d.-]+)[^"]*" fill="none" stroke="#1f2933"`,
      );
      const [x = 0, y = 0, toX = 0, toY = 0] = (over.exec(components) ?? []).slice(1).map(Number);
      return over.test(components) ? `${Math.sign(toX - x)} ${Math.sign(toY - y)}` : 'plain';
    });
    const settings = legend.map((hatching, index) => ({
      hatching,
      grey: greyOf(componentColors[index] ?? ''),
    }));
    const alike = settings.flatMap((one, index) =>
      settings
        .slice(index + 1)
        .filter((other) => one.hatching === other.hatching && Math.abs(one.grey - other.grey) < 40),
    );
    expect(alike).toEqual([]);
    expect(legend.filter((hatching) => hatching === 'plain')).toHaveLength(2);
  });

  it('name their units and axes', () => {
    const [throughput = '', latency = '', , components = ''] = svgsOf(measured([1, 2, 4]));
    expect(throughput).toContain('>Inferences/s</text>');
    expect(throughput).toContain('>Concurrency (log scale)</text>');
    expect(latency).toContain('>Latency (ms)</text>');
    expect(components).toContain('>Mean latency (ms)</text>');
    for (const name of ['p50', 'p95', 'p99']) expect(latency).toContain(`>${name}</text>`);
    for (const name of ['Client send', 'Network + server', 'Server queue', 'Compute input']) {
      expect(components).toContain(`>${name}</text>`);
    }
    for (const name of ['Compute infer', 'Compute output', 'Client receive', 'measured avg']) {
      expect(components).toContain(`>${name}</text>`);
    }
  });

  it('draw one mark a level, unsteady ones hollow', () => {
    const [steady = ''] = svgsOf(measured([1, 2, 4, 8]));
    const [shaky = ''] = svgsOf(measured([1, 2, 4, 8], [4]));
    const solid = /fill="#0072b2" stroke="#0072b2"/g;
    const hollow = /fill="#ffffff" stroke="#0072b2"/g;
    expect([count(steady, solid), count(steady, hollow)]).toEqual([4, 0]);
    expect([count(shaky, solid), count(shaky, hollow)]).toEqual([3, 1]);
  });

  it('explain hollow marks in every legend, and mark the level below its bar in full color', () => {
    const steady = svgsOf(measured([1, 2, 4, 8]));
    const shaky = svgsOf(measured([1, 2, 4, 8], [4]));
    expect(steady.filter((svg) => svg.includes('Hollow: not steady'))).toEqual([]);
    expect(shaky.filter((svg) => svg.includes('>Hollow: not steady</text>'))).toHaveLength(4);
    expect(shaky[3]).toContain('>4 ○</text>');
    expect(shaky[3]).not.toMatch(/opacity="0\.\d/);
    for (const color of componentColors) expect(shaky[3]).toContain(`fill="${color}"`);
  });

  it('draw p99 over throughput with the front, the load at each level, the budget and the chosen level', () => {
    const bodies = [
      measurementBody('online', pointFixture({ concurrency: 1, inferencesPerSecond: 100, p99Us: 5000 })),
      measurementBody('online', pointFixture({ concurrency: 2, inferencesPerSecond: 200, p99Us: 9000 })),
      measurementBody('online', pointFixture({ concurrency: 4, inferencesPerSecond: 150, p99Us: 12_000 })),
      measurementBody(
        'online',
        pointFixture({ concurrency: 8, inferencesPerSecond: 400, p99Us: 20_000, stable: false }),
      ),
    ];
    const run = stateOf([...createdBodies(), ...bodies]);
    const tradeOff = (budgetMs: number | null): string =>
      svgsOf(scenarioReport({ ...run, p99BudgetMs: budgetMs }, 'online'))[2] ?? '';
    const [free, limited, far] = [tradeOff(null), tradeOff(8), tradeOff(1000)];
    expect(free).toContain('>p99 by throughput, levels labeled with their concurrency<');
    for (const load of [1, 2, 4, 8]) expect(free).toContain(`>${load}</text>`);
    expect(free).toContain('>Best steady level<');
    expect(free).not.toContain('p99 budget');
    expect(limited).toContain('>p99 budget 8 ms<');
    expect(limited).toContain('>Best steady level within 8 ms<');
    expect(count(limited, /fill="#c2002f" fill-opacity="0.05"/g)).toBe(1);
    // Over the whole chart it would press the marks to the foot.
    expect(far).not.toContain('p99 budget 1,000 ms<');
    const front = [...free.matchAll(/<path d="(M[^"Z]*)"[^>]*stroke="#0072b2" stroke-width="1.75"/g)];
    expect(front.map(([, path = '']) => path.split('L').length)).toContain(2);
  });

  it('mark a level without a result with a cross', () => {
    const points = [1, 2, 8].map((value) => measurementBody('online', pointFixture({ concurrency: value })));
    const [throughput = ''] = svgsOf(onlineOf([1, 2, 4, 8], points));
    expect(count(throughput, /fill="#a3487a"/g)).toBe(1);
    const [whole = ''] = svgsOf(measured([1, 2, 4, 8]));
    expect(count(whole, /fill="#a3487a"/g)).toBe(0);
  });

  it('move the labels of close marks apart', () => {
    const close = pointFixture({ concurrency: 4, p50Us: 40_000, p95Us: 41_000, p99Us: 42_000 });
    const [, latency = ''] = svgsOf(onlineOf([4], [measurementBody('online', close)]));
    const heights = ['40.00', '41.00', '42.00'].map((label) => {
      const place = new RegExp(`translate\\(([\\d.]+) ([\\d.]+)\\)"[^>]*>${label}<`).exec(latency);
      return Number(place?.[2]);
    });
    const gaps = heights.slice(1).map((height, at) => Math.abs(height - (heights[at] ?? NaN)));
    for (const gap of gaps) expect(gap).toBeGreaterThan(9);
  });

  it('print the value of a level that stands alone', () => {
    const scenario = onlineOf(
      [4],
      [measurementBody('online', pointFixture({ concurrency: 4, inferencesPerSecond: 573.52 }))],
    );
    expect(svgsOf(scenario)[0]).toContain('>573.5</text>');
  });

  it('have ids of their own', () => {
    const ids = svgsOf(measured([1, 2, 4])).flatMap((svg) =>
      [...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => id?.startsWith('online-'))).toBe(true);
  });

  it('are not drawn when nothing was measured', () => {
    expect(scenarioCharts(onlineOf([1, 2], []))).toEqual([]);
  });

  it('show what was read of the GPUs, and where their clocks were held down', () => {
    const levels = [1, 2, 4, 8];
    const read = (uuids: readonly string[]) =>
      onlineOf(
        levels,
        levels.map((concurrency) =>
          measurementBody(
            'online',
            pointFixture({ concurrency, gpus: readingsFixture(uuids, concurrency / 8) }),
          ),
        ),
      );
    const [, , , , load = '', power = '', clock = ''] = svgsOf(read(['GPU-1']));
    expect(load).toContain('>GPU utilization and memory by concurrency<');
    expect(power).toContain('>GPU power by concurrency<');
    for (const svg of [load, power, clock]) expect(count(svg, />Clocks throttled</g)).toBe(1);
    expect(scenarioCharts(read(['GPU-1'])).map(({ id, width }) => [id, width])).toContainEqual([
      'online-gpu-clock',
      690,
    ]);
    const cool = onlineOf(levels, [
      measurementBody('online', pointFixture({ gpus: readingsFixture(['GPU-1'], 0.2) })),
    ]);
    expect(svgsOf(cool).join('')).not.toContain('Clocks throttled');
    expect(svgsOf(read(['GPU-aaaa', 'GPU-bbbb'])).join('')).toContain('>Power, GPU-bbbb<');
    expect(svgsOf(measured(levels))).toHaveLength(4);
  });
});
