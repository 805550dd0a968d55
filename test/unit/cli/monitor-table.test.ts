import { expect, it } from 'vitest';
import { monitorTable } from '../../../main/cli/monitor-table';
import { model, sample } from '../monitor/fixtures';

const linesOf = (...args: Parameters<typeof sample>) => monitorTable(sample(...args), []).split('\n');
const cellsOf = (line: string | undefined) => (line ?? '').split(/ {2,}/);

it('shows the requests that wait, and – where the metrics do not say', () => {
  const models = [model({ pending: 7 }), model({ name: 'other', pending: null })];
  const [, header, first, second] = linesOf(0, { models });
  const at = cellsOf(header).indexOf('pending');
  expect([first, second].map((line) => cellsOf(line)[at])).toEqual(['7', '–']);
  expect(header).not.toContain('cache');
});

it('shows cache hits where a model has some', () => {
  const known = model();
  const rates = known.rates === null ? null : { ...known.rates, cacheHitShare: 0.925 };
  const models = [model({ rates }), model({ name: 'other' })];
  const [, header, first, second] = linesOf(0, { models });
  const at = cellsOf(header).indexOf('cache hits');
  expect([first, second].map((line) => cellsOf(line)[at])).toEqual(['92.5 %', '–']);
});

it('shows a GPU with all of its memory and the limit of its power', () => {
  const gpu = {
    uuid: 'GPU-a',
    utilization: 0.37,
    memoryUsedBytes: 3 * 2 ** 20,
    memoryTotalBytes: 2 ** 30,
    powerWatts: 92.4,
    powerLimitWatts: 300,
  };
  const bare = { ...gpu, uuid: 'GPU-b', memoryTotalBytes: null, powerLimitWatts: null };
  expect(linesOf(0, { gpus: [gpu, bare] }).slice(-2)).toEqual([
    'GPU-a: 37.0 %, 3.0 MiB of 1.0 GiB, 92 of 300 W',
    'GPU-b: 37.0 %, 3.0 MiB of –, 92 of – W',
  ]);
});

it('shows the first of thousands of models, those in trouble before the others, and how many more there are', () => {
  const idle = Array.from({ length: 2000 }, (_unused, at) => model({ name: `idle-${at}` }));
  const models = [...idle, model({ name: 'broken', state: 'failing', reason: 'no answer' })];
  const lines = linesOf(0, { models, more: { models: 15_904, gpus: 2 } });
  expect(lines.length).toBeLessThan(210);
  expect(lines[2]).toContain('broken/1');
  expect(lines).toContain('and 17,705 more models');
  expect(lines).toContain('broken/1: no answer');
  expect(lines).toContain('and 2 more GPUs');
});

it('says nothing of more where everything is shown', () => {
  expect(linesOf(0).join(' ')).not.toContain(' more ');
});
