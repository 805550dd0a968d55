import { describe, expect, it } from 'vitest';
import { defaultRules, type GpuSample } from '../../../main/contract/monitor/monitor';
import { MonitorHistory } from '../../../main/contract/monitor/monitor-history';
import { gpuSection, monitorReport } from '../../../main/monitor/monitor-report';
import { defaultReportSettings as settings } from '../../../main/reports/report-settings';
import { withoutMarks } from '../../support/unbroken';
import { model, sample } from './fixtures';

const start = Date.UTC(2026, 0, 5, 12);

it('means are a request and not a second: one bad minute of a quiet hour is no bad hour', () => {
  const history = new MonitorHistory();
  const known = model();
  if (known.rates === null) throw new Error('the fixture has no rates');
  for (let second = 0; second < 120; second += 1) {
    const busy = second < 60;
    const rates = {
      ...known.rates,
      requestsPerSecond: busy ? 999 : 1,
      errorShare: busy ? 0 : 1,
      queueUs: busy ? 1000 : null,
      // 100 executions a second and 10.
      inferencesPerSecond: busy ? 800 : 10,
      batch: busy ? 8 : 1,
    };
    history.add(sample(start + second * 1000, { models: [{ ...known, rates }] }));
  }
  const html = monitorReport({ source: 'test', history, alerts: [], rules: [], settings });
  const row = /<tr><td>echo\/1<\/td>.*?<\/tr>/s.exec(html)?.[0] ?? '';
  const cells = [...row.matchAll(/<td class="n">([^<]*)/g)].map(([, text]) => text);
  expect(cells.slice(0, 4)).toEqual(['500.0', '999.0', '0.1 %', '1.00']);
  expect(cells[5]).toBe((810 / 110).toFixed(2));
  const headings = /<h2>Models<\/h2><table><thead>.*?<\/thead>/s.exec(html)?.[0] ?? '';
  expect([...headings.matchAll(/<th(?: [^>]*)?>([^<]*)/g)].map(([, text]) => text)).toEqual([
    ...[
      'Model',
      'Requests/s, mean',
      'max',
      'Errors',
      'Queue (ms)',
      'Infer (ms)',
      'Batch',
      'Probe p99 max (ms)',
    ],
  ]);
  for (const line of ['requests/s', 'queue', 'compute infer', 'compute input', 'compute output'])
    expect(html).toContain(`>${line}<`);
  // Without probes there is no empty chart of them.
  expect(html).not.toContain('Probes, last minute');
  // The third of three has a row for itself.
  expect(html.match(/<figure class="wide">/g)).toHaveLength(1);
});

it('has no empty charts: none of a model that is not loaded, only the rate of one without requests', () => {
  const { rates } = model();
  const nothing = Object.fromEntries(Object.keys(rates ?? {}).map((name) => [name, null]));
  const idle = { ...nothing, requestsPerSecond: 0, inferencesPerSecond: 0 } as typeof rates;
  const history = new MonitorHistory();
  for (const second of [0, 1])
    history.add(
      sample(start + second * 1000, {
        models: [
          model({ name: 'idle', rates: idle }),
          model({ name: 'gone', state: 'unavailable', rates: null }),
        ],
      }),
    );
  const html = monitorReport({ source: 'test', history, alerts: [], rules: [], settings });
  expect(html).toContain('<h3>idle/1</h3>');
  expect(html.match(/<figure/g)).toHaveLength(1);
  expect(html).not.toContain('<h3>gone/1</h3>');
  expect(html).toContain('gone/1: unavailable.');
});

it('answers whether the latency was within the limit, with batches and the rules that were watched for', () => {
  const history = new MonitorHistory();
  for (const [second, p99Us] of [5000, 81_100, 7000].entries()) {
    const probe = { count: 60, failures: 0, p50Us: 1, p95Us: 1, p99Us, sendP99Us: 1, worstUs: p99Us };
    const markers = [{ atMs: start, kind: 'alert' as const, text: 'Alert: echo/1' }];
    history.add(
      sample(start + second * 1000, { models: [model({ probe })], markers: second === 1 ? markers : [] }),
    );
  }
  const p99 = { id: 'p99', metric: 'probe-p99-ms', model: 'echo', forSeconds: 1, enabled: true } as const;
  const rules = [...defaultRules, { ...p99, above: 20 }];
  const page = monitorReport({ source: 'test', history, alerts: [], rules, settings });
  const html = withoutMarks(page);
  // The only model's answer is the first sentence.
  expect(html).toContain(
    '<p class="verdict">echo/1: no. The p99 of the probes was above 20 ms in 1 of 3 s with probes (33.3 %), highest 81.10 ms at 2026-01-05 12:00:01 UTC.',
  );
  const both = new MonitorHistory();
  both.restore(history.image());
  both.add(sample(start + 3000, { models: [model(), model({ name: 'other' })] }));
  expect(monitorReport({ source: 'test', history: both, alerts: [], rules, settings })).toContain(
    'The latency was not always within its limit.',
  );
  expect(html).toContain('Server up; 0 restarts seen.');
  expect(html).toContain('One alert fired.');
  expect(html).toContain('<td>Probe p99 above 20 ms for 1 s, echo</td><td>on</td>');
  expect(html).toContain('<td>Queue time above 100 ms for 10 s, all models</td><td>off</td>');
  expect(html).toContain('<title id="batch0-title">');
  expect(html).not.toContain('<figure class="wide">');
  const quiet = monitorReport({
    source: 'test',
    history: new MonitorHistory(),
    alerts: [],
    rules: [],
    settings,
  });
  expect(quiet).toContain('No alert fired.');
  expect(quiet).not.toContain('within its limit?');
});

describe('the GPUs', () => {
  const gpu: GpuSample = {
    uuid: 'GPU-a',
    utilization: 0.2,
    memoryUsedBytes: 2 ** 30,
    memoryTotalBytes: 80 * 2 ** 30,
    powerWatts: 100,
    powerLimitWatts: 350,
  };

  it('have a row with their means, highest figures and limits, and charts', () => {
    const history = new MonitorHistory();
    history.add(sample(start, { gpus: [gpu, { ...gpu, uuid: 'GPU-b', powerLimitWatts: null }] }));
    const busy = { ...gpu, utilization: 0.6, memoryUsedBytes: 4 * 2 ** 30, powerWatts: 301 };
    history.add(sample(start + 1000, { gpus: [busy] }));
    // The server is gone: what was seen of its GPUs stays.
    history.add(sample(start + 2000, { gpus: [] }));
    const html = monitorReport({ source: 'test', history, alerts: [], rules: [], settings });
    const cells = (uuid: string) => {
      const row = new RegExp(`<tr><td>${uuid}</td>.*?</tr>`, 's').exec(html)?.[0] ?? '';
      return [...row.matchAll(/<td class="n">([^<]*)/g)].map(([, text]) => text);
    };
    expect(cells('GPU-a')).toEqual([
      ...['40.0 %', '60.0 %', '2.5 GiB', '4.0 GiB', '80.0 GiB'],
      ...['201', '301', '350'],
    ]);
    expect(cells('GPU-b')).toEqual([
      ...['20.0 %', '20.0 %', '1.0 GiB', '1.0 GiB', '80.0 GiB'],
      ...['100', '100', '–'],
    ]);
    for (const chart of ['utilization0', 'memoryUsedBytes0', 'powerWatts0', 'utilization1'])
      expect(html).toContain(`<title id="${chart}-title">`);
  });

  it('are no section where none were seen', () => {
    const history = new MonitorHistory();
    history.add(sample(start));
    expect(monitorReport({ source: 'test', history, alerts: [], rules: [], settings })).not.toContain('GPU');
  });
});

it('a report of many models has the first 500, of them those that are still there, and how many more', () => {
  const history = new MonitorHistory();
  const some = (prefix: string, count: number) =>
    Array.from({ length: count }, (_unused, at) => model({ name: `${prefix}-${at}` }));
  history.add(sample(start, { models: some('gone', 100) }));
  history.add(sample(start + 1000, { models: some('here', 600), more: { models: 7, gpus: 0 } }));
  const html = monitorReport({ source: 'test', history, alerts: [], rules: [], settings });
  expect(html.match(/<tr><td>here-/g)).toHaveLength(500);
  expect(html).not.toContain('<tr><td>gone-');
  expect(html).toContain('and 207 more models');
});

it('a report of many GPUs has the first 64, and how many more', () => {
  const history = new MonitorHistory();
  const gpu = (at: number): GpuSample => ({
    ...{ uuid: `GPU-${at}`, utilization: 0.5, memoryUsedBytes: null, memoryTotalBytes: null },
    ...{ powerWatts: null, powerLimitWatts: null },
  });
  const gpus = Array.from({ length: 64 }, (_unused, at) => gpu(at + 1));
  history.add(sample(start, { models: [], gpus: [gpu(0)] }));
  history.add(sample(start + 1000, { models: [], gpus, more: { models: 0, gpus: 3 } }));
  const html = gpuSection(history).text;
  expect(html.match(/<tr><td>GPU-/g)).toHaveLength(64);
  expect(html).toContain('and 4 more GPUs');
});
