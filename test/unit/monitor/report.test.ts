import { expect, it } from 'vitest';
import { MonitorHistory } from '../../../main/contract/monitor-history';
import { monitorReport } from '../../../main/monitor/monitor-report';
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
  const html = monitorReport({ source: 'test', history, alerts: [] });
  const row = /<tr><td>echo\/1<\/td>.*?<\/tr>/s.exec(html)?.[0] ?? '';
  const cells = [...row.matchAll(/<td class="n">([^<]*)/g)].map(([, text]) => text);
  expect(cells.slice(0, 4)).toEqual(['500', '999', '0.1', '1']);
  expect(cells[5]).toBe((810 / 110).toFixed(2));
});
