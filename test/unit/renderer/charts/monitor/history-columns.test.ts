import { expect, it } from 'vitest';
import { MonitorHistory } from '../../../../../main/contract/monitor/monitor-history';
import { columnsOf } from '../../../../../renderer/charts/monitor/history-columns';
import { heldBytes } from '../../../../support/held-bytes';
import { model, sample } from '../../../monitor/fixtures';

const start = Date.UTC(2026, 5, 1, 12);
const key = 'model:echo/1';

function add(history: MonitorHistory, second: number, queueUs: number | null): void {
  const known = model();
  const rates = known.rates === null || queueUs === null ? null : { ...known.rates, queueUs };
  history.add(sample(start + second * 1000, { models: [{ ...known, rates }] }));
}
const read = (history: MonitorHistory, seconds: number) => [
  ...columnsOf(history).values(key, 'queueUs', 0.5, start, start + seconds * 1000),
];

it('goes on where it was, in the unit that is asked for', () => {
  const history = new MonitorHistory();
  for (const second of [0, 1, 2]) add(history, second, second * 10);
  expect(read(history, 9)).toEqual([0, 5, 10]);
  add(history, 3, null);
  add(history, 4, 40);
  expect(read(history, 9)).toEqual([0, 5, 10, NaN, 20]);
  expect(columnsOf(history).times(start, start + 9000)).toHaveLength(5);
});

it('takes a second that is told again as it was told last', () => {
  const history = new MonitorHistory();
  for (const second of [0, 1]) add(history, second, 10);
  expect(read(history, 9)).toEqual([5, 5]);
  add(history, 1, 90);
  expect(read(history, 9)).toEqual([5, 45]);
});

it('is the same as the history itself over the border of what it has room for', () => {
  const history = new MonitorHistory();
  for (let second = 0; second < 2000; second += 1) {
    add(history, second, second);
    if (second % 700 === 0) read(history, 3000);
  }
  expect(read(history, 3000)).toEqual(
    [...history.values(key, 'queueUs', start, start + 3_000_000)].map((value) => value / 2),
  );
});

it('begins anew with another history in the same place', () => {
  const history = new MonitorHistory();
  for (const second of [0, 1]) add(history, second, 10);
  expect(read(history, 9)).toEqual([5, 5]);
  history.clear();
  for (const second of [0, 1]) add(history, second, 20);
  expect(read(history, 9)).toEqual([10, 10]);
});

it('columns of models that are no longer drawn make room, and those that are drawn stay', () => {
  const history = new MonitorHistory();
  add(history, 0, 10);
  const columns = columnsOf(history);
  const drawn = () => columns.values(key, 'queueUs', 0.5, start, start + 9000);
  const { buffer } = drawn();
  for (let at = 0; at < 1000; at += 1) {
    columns.values(`model:left-${at}/1`, 'queueUs', 1, start, start + 9000);
    expect(drawn().buffer).toBe(buffer);
  }
  expect(heldBytes(columns)).toBeLessThan(300 * buffer.byteLength);
});
