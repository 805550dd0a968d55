import { expect, it } from 'vitest';
import { type AlertOptions, monitorTable, readAlerts } from '../../../../main/cli/print/monitor-table';
import { model, sample } from '../../monitor/fixtures';

const linesOf = (...args: Parameters<typeof sample>) => monitorTable(sample(...args), []).split('\n');
const cellsOf = (line: string | undefined) => (line ?? '').split(/ {2,}/);

it('names the columns of the models', () => {
  expect(cellsOf(linesOf(0)[1])).toEqual([
    ...['model', 'state', 'requests/s', 'errors', 'pending', 'queue', 'input', 'infer', 'output', 'batch'],
    ...['probe p50', 'probe p95', 'probe p99'],
  ]);
});

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

const read = (...alert: string[]) => readAlerts({ alert, probe: 'echo' });

it('leaves the rules of the home in force where none are given', () => {
  expect(readAlerts({})).toBeNull();
});

it('reads limits and times; without a time it is the usual one of the metric', () => {
  expect(read('queue-ms=5', 'queue-ms=50.5:0', 'error-percent=1:30', 'probe-p99-ms=0')?.slice(2)).toEqual([
    { id: 'queue-ms-1', metric: 'queue-ms', model: '', above: 5, forSeconds: 10, enabled: true },
    { id: 'queue-ms-2', metric: 'queue-ms', model: '', above: 50.5, forSeconds: 0, enabled: true },
    { id: 'error-percent-3', metric: 'error-percent', model: '', above: 1, forSeconds: 30, enabled: true },
    { id: 'probe-p99-ms-4', metric: 'probe-p99-ms', model: '', above: 0, forSeconds: 10, enabled: true },
  ]);
  expect(read('server', 'model:7')?.map(({ metric, forSeconds }) => [metric, forSeconds])).toEqual([
    ['server', 2],
    ['model', 7],
  ]);
});

it('those of server and model stay beside limits, unless they are given too', () => {
  const metrics = (...alert: string[]) =>
    read(...alert)?.map(({ metric, forSeconds }) => [metric, forSeconds]);
  expect(metrics('queue-ms=5')).toEqual([
    ['server', 2],
    ['model', 0],
    ['queue-ms', 10],
  ]);
  expect(metrics('queue-ms=5', 'server:9')).toEqual([
    ['model', 0],
    ['queue-ms', 10],
    ['server', 9],
  ]);
});

it('all are of the one model that is named', () => {
  const rules = readAlerts({ alert: ['queue-ms=5', 'model'], alertModel: 'echo' });
  expect(rules?.map(({ model }) => model)).toEqual(['echo', 'echo', 'echo']);
});

it('a limit of the probes is refused for another model than the one that is probed', () => {
  const of = (alertModel: string) => () =>
    readAlerts({ alert: ['probe-p99-ms=5'], probe: 'echo:2', alertModel });
  expect(of('other')).toThrow(expect.objectContaining({ code: 'input-invalid', where: '--alert-model' }));
  expect(of('echo')).not.toThrow();
});

it.each([
  ['queue=5', '"queue" is not one of probe-p99-ms, error-percent, queue-ms, server, model'],
  ['', '"" is not one of'],
  ['queue-ms', '"queue-ms" needs a limit'],
  ['queue-ms:5', '"queue-ms" needs a limit'],
  ['queue-ms=', '"" is not a number'],
  ['queue-ms=x', '"x" is not a number'],
  ['queue-ms=-1', 'above'],
  ['queue-ms=5:', '"" is not a number'],
  ['queue-ms=5:0.5', 'forSeconds'],
  ['queue-ms=5:3:3', '"3:3" is not a number'],
  ['server=1', '"server" takes no limit: it alerts when the server is not up'],
  ['model=1:3', '"model" takes no limit: it alerts when the model is not ready'],
])('refuses "%s"', (text, message) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({
      code: 'input-invalid',
      where: '--alert',
      message: expect.stringContaining(message) as string,
    }),
  );
});

it('shows how an alert is written, and the name that may have been meant', () => {
  expect(() => read('queue-ms>5')).toThrow(
    expect.objectContaining({
      message: expect.stringContaining('"queue-ms>5" is not one of probe-p99-ms, ') as string,
      remedy: expect.stringContaining('--alert queue-ms=5') as string,
    }),
  );
  expect(() => read('queue-m=5')).toThrow('(Did you mean queue-ms?)');
});

const p99 = ['probe-p99-ms=50'];

it('p99 without probes is refused, and not of a recording, which may have some', () => {
  expect(() => readAlerts({ alert: p99 })).toThrow(expect.objectContaining({ where: '--alert' }));
  expect(readAlerts({ alert: p99, replay: 'seen.jsonl' })).toHaveLength(3);
});

it.each<[AlertOptions, string]>([
  [{ alertModel: 'echo' }, '--alert-model'],
  [{ alert: ['queue-ms=5'], alertModel: 'x'.repeat(300) }, '--alert'],
])('refuses a model that says nothing', (options, where) => {
  expect(() => readAlerts(options)).toThrow(expect.objectContaining({ code: 'input-invalid', where }));
});
