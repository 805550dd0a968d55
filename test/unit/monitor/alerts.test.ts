import { expect, it } from 'vitest';
import type { Alert, AlertRule, MonitorSample } from '../../../main/contract/monitor/monitor';
import { judgeAlerts } from '../../../main/monitor/alerts';
import { model, sample } from './fixtures';

const rule = (change: Partial<AlertRule>): AlertRule => ({
  id: 'r',
  metric: 'queue-ms',
  model: '',
  above: 1,
  forSeconds: 3,
  enabled: true,
  ...change,
});
const queue = (second: number, queueUs: number | null): MonitorSample => {
  const known = model();
  return sample(second * 1000, {
    models: [{ ...known, rates: known.rates === null ? null : { ...known.rates, queueUs } }],
  });
};

function run(rules: readonly AlertRule[], samples: readonly MonitorSample[]) {
  let alerts: readonly Alert[] = [];
  return samples.map((one) => {
    const judged = judgeAlerts(alerts, rules, one);
    alerts = judged.alerts;
    return { states: alerts.map((alert) => alert.state), markers: judged.markers.map(({ kind }) => kind) };
  });
}

it('is pending until the time is over, fires once, and is resolved', () => {
  const seen = run(
    [rule({})],
    [500, 2000, 2000, 2000, 2000, 2000, 500].map((us, second) => queue(second, us)),
  );
  expect(seen.map(({ states }) => states[0])).toEqual([
    undefined,
    'pending',
    'pending',
    'pending',
    'firing',
    'firing',
    'resolved',
  ]);
  expect(seen.map(({ markers }) => markers)).toEqual([[], [], [], [], ['alert'], [], ['alert-resolved']]);
});

it('a second below the limit begins the time anew', () => {
  const seen = run(
    [rule({})],
    [2000, 2000, 500, 2000, 2000].map((us, second) => queue(second, us)),
  );
  expect(seen.at(-1)?.states).toEqual(['pending']);
});

it('a sample that cannot tell changes nothing', () => {
  const seen = run(
    [rule({})],
    [2000, 2000, null, null, 2000].map((us, second) => queue(second, us)),
  );
  expect(seen.map(({ states }) => states[0])).toEqual(['pending', 'pending', 'pending', 'pending', 'firing']);
});

it('tells of a server that is gone and of a model that fails, at once where no time is asked for', () => {
  const server = { state: 'not-ready', reason: 'says so', version: null, restarts: 0 } as const;
  const broken = sample(0, { server, models: [model({ state: 'failing', reason: 'stub' })] });
  const rules = [
    rule({ id: 'a', metric: 'server', forSeconds: 0 }),
    rule({ id: 'b', metric: 'model', forSeconds: 0 }),
  ];
  const { alerts } = judgeAlerts([], rules, broken);
  expect(alerts.map(({ subject, text, state }) => [subject, text, state])).toEqual([
    ['server', 'not-ready: says so', 'firing'],
    ['echo/1', 'failing: stub', 'firing'],
  ]);
});

it.each([
  ['never reached', null],
  ['unreachable', '2.51.0'],
])('a server that is %s is said to be so without the words of the connection', (text, version) => {
  const server = { state: 'gone', reason: 'connect ECONNREFUSED', version, restarts: 0 } as const;
  const { alerts } = judgeAlerts(
    [],
    [rule({ metric: 'server', forSeconds: 0 })],
    sample(0, { server, models: [] }),
  );
  expect(alerts.map((alert) => alert.text)).toEqual([text]);
});

it.each(['Not loaded', 'unloaded'])(
  'a model that is %s is in trouble only for a rule that names it',
  (reason) => {
    const one = sample(0, { models: [model({ state: 'unavailable', reason })] });
    expect(judgeAlerts([], [rule({ metric: 'model' })], one).alerts).toEqual([]);
    expect(judgeAlerts([], [rule({ metric: 'model', model: 'echo' })], one).alerts).toHaveLength(1);
  },
);

it('rules that are off, or of another model, are silent', () => {
  const one = queue(0, 9000);
  expect(judgeAlerts([], [rule({ enabled: false }), rule({ model: 'other' })], one).alerts).toEqual([]);
});

it('of a server that is gone its own rule tells, not that of every model', () => {
  const gone = sample(0, {
    server: { state: 'gone', reason: 'refused', version: null, restarts: 0 },
    models: [model({ state: 'unavailable', reason: 'The server is gone' })],
  });
  const rules = [
    rule({ id: 'a', metric: 'server', forSeconds: 0 }),
    rule({ id: 'b', metric: 'model', forSeconds: 0 }),
  ];
  expect(judgeAlerts([], rules, gone).alerts.map(({ subject }) => subject)).toEqual(['server']);
});

it('a model that is being loaded, and a server that is not ready because of it, are no trouble', () => {
  const loading = sample(0, {
    server: { state: 'not-ready', reason: 'says so', version: null, restarts: 0 },
    models: [model({ state: 'loading' })],
  });
  const rules = [
    rule({ id: 'a', metric: 'server', forSeconds: 0 }),
    rule({ id: 'b', metric: 'model', forSeconds: 0 }),
  ];
  expect(judgeAlerts([], rules, loading).alerts).toEqual([]);
});

it('ends for a model that somebody unloaded after it had failed', () => {
  const rules = [rule({ metric: 'model', forSeconds: 0 })];
  const failing = sample(0, { models: [model({ state: 'failing', reason: 'stub' })] });
  const first = judgeAlerts([], rules, failing);
  expect(first.alerts.map(({ state }) => state)).toEqual(['firing']);
  const unloaded = sample(1000, { models: [model({ state: 'unavailable', reason: 'unloaded' })] });
  const second = judgeAlerts(first.alerts, rules, unloaded);
  expect(second.alerts.map(({ state }) => state)).toEqual(['resolved']);
  expect(second.markers.map(({ kind }) => kind)).toEqual(['alert-resolved']);
});

it('ends for a model that the server has not listed for a while, and not for one that is back in between', () => {
  const rules = [rule({ metric: 'model', forSeconds: 0 })];
  const failing = (second: number) =>
    sample(second * 1000, { models: [model({ state: 'failing', reason: 'it fails' })] });
  const without = (second: number) => sample(second * 1000, { models: [] });
  const back = run(rules, [failing(0), without(1), without(9), failing(10), without(11), without(20)]);
  expect(back.map(({ states }) => states)).toEqual(Array.from({ length: 6 }, () => ['firing']));
  const gone = run(rules, [failing(0), without(1), without(10), without(11)]);
  expect(gone.map(({ states }) => states[0])).toEqual(['firing', 'firing', 'firing', 'resolved']);
  expect(gone.at(-1)?.markers).toEqual(['alert-resolved']);
});

it('stays while the server itself is gone', () => {
  const rules = [rule({ metric: 'model', forSeconds: 0 })];
  const failing = sample(0, { models: [model({ state: 'failing', reason: 'it fails' })] });
  const away = (second: number) =>
    sample(second * 1000, {
      server: { state: 'gone', reason: 'refused', version: null, restarts: 0 },
      models: [],
    });
  const seen = run(rules, [failing, away(20), away(40)]);
  expect(seen.map(({ states }) => states)).toEqual([['firing'], ['firing'], ['firing']]);
});

it('errors are judged as a share of the requests, in per cent, and no requests say nothing', () => {
  const errors = (second: number, errorShare: number | null) => {
    const known = model();
    const rates = known.rates === null ? null : { ...known.rates, errorShare };
    return sample(second * 1000, { models: [{ ...known, rates }] });
  };
  const rules = [rule({ metric: 'error-percent', above: 1, forSeconds: 1 })];
  const seen = run(
    rules,
    [0.01, 0.011, null, 0.25, 0].map((share, second) => errors(second, share)),
  );
  expect(seen.map(({ states }) => states[0])).toEqual([
    undefined,
    'pending',
    'pending',
    'firing',
    'resolved',
  ]);
  const { alerts } = judgeAlerts([], rules, errors(0, 0.25));
  expect(alerts[0]?.text).toBe('errors 25.00 %, above 1 %');
});

it('p99 is judged of the probes alone: a model that is not probed is silent', () => {
  const probed = (second: number, p99Us: number | null) =>
    sample(second * 1000, {
      models: [
        model({
          probe: {
            count: 10,
            failures: 0,
            p50Us: 100,
            p95Us: 100,
            p99Us,
            sendP99Us: p99Us,
            worstUs: p99Us,
          },
        }),
        model({ name: 'other' }),
      ],
    });
  const rules = [rule({ metric: 'probe-p99-ms', above: 50, forSeconds: 0 })];
  const { alerts } = judgeAlerts([], rules, probed(0, 50_001));
  expect(alerts).toMatchObject([
    { subject: 'echo/1', state: 'firing', text: 'p99 of the probes 50.00 ms, above 50 ms' },
  ]);
  const seen = run(rules, [probed(0, 50_000), probed(1, 60_000), probed(2, null), probed(3, 100)]);
  expect(seen.map(({ states }) => states)).toEqual([[], ['firing'], ['firing'], ['resolved']]);
});
