import { expect, it } from 'vitest';
import {
  type GpuSample,
  mostAlerts,
  mostGpus,
  mostModels,
  mostSampleMarkers,
} from '../../../main/contract/monitor/monitor';
import { judgeAlerts } from '../../../main/monitor/alerts';
import { boundedSample } from '../../../main/monitor/rates';
import { parseRecordingLine } from '../../../main/monitor/recording';
import { SampleBuilder } from '../../../main/monitor/sample-builder';
import { answer, model, sample, statistics } from './fixtures';

/** The entry, telling how often its name is read. */
function counting<Entry extends { readonly name: string }>(entry: Entry, onRead: () => void): Entry {
  const { name } = entry;
  return Object.defineProperty({ ...entry }, 'name', {
    enumerable: true,
    get: () => {
      onRead();
      return name;
    },
  });
}

const names = (count: number, prefix: string) =>
  Array.from({ length: count }, (_unused, at) => ({ name: `${prefix}-${at}`, version: '1' }));
const pollOf = (count: number, prefix: string, state = 'READY') =>
  answer({
    index: names(count, prefix).map((one) => ({ ...one, state })),
    statistics: names(count, prefix).map((one) => statistics(one)),
  });
const gpu = (uuid: string): GpuSample => ({
  ...{ uuid, utilization: 0.5, memoryUsedBytes: null, memoryTotalBytes: null },
  ...{ powerWatts: null, powerLimitWatts: null },
});

it('the work of a poll grows with the names, not with their square, also when all of them change', () => {
  const builder = new SampleBuilder(1000);
  builder.build(0, pollOf(2000, 'first'), null, 1);
  let reads = 0;
  const onRead = () => {
    reads += 1;
  };
  const second = pollOf(2000, 'second');
  const index = second.index?.map((entry) => counting(entry, onRead)) ?? null;
  const stats = second.statistics?.map((entry) => counting(entry, onRead)) ?? null;
  builder.build(1000, { ...second, index, statistics: stats }, null, 1);
  expect(reads).toBeGreaterThan(2000);
  expect(reads).toBeLessThan(40 * 2000);
});

it('a sample of 20,000 names has the first of those that serve, and the number of the others', () => {
  const builder = new SampleBuilder(1000);
  const idle = pollOf(20_000, 'idle', 'UNAVAILABLE');
  const poll = { ...idle, index: [...(idle.index ?? []), { name: 'served', version: '1', state: 'READY' }] };
  const built = builder.build(0, poll, null, 1);
  expect(built.models).toHaveLength(mostModels);
  expect(built.models[0]?.name).toBe('served');
  expect(built.more).toEqual({ models: 20_001 - mostModels, gpus: 0 });
  // The server is gone: what it had is still counted.
  expect(builder.build(1000, { kind: 'refused', reason: 'x' }, null, 1).more?.models).toBe(
    20_001 - mostModels,
  );
  expect(builder.build(2000, pollOf(3, 'few'), null, 1).more).toBeUndefined();
});

it('2,000 models are all in the sample, and in the order of the server', () => {
  const built = new SampleBuilder(1000).build(0, pollOf(2000, 'm'), null, 1);
  expect(built.models.map(({ name }) => name)).toEqual(names(2000, 'm').map(({ name }) => name));
  expect(built.more).toBeUndefined();
});

it('counters of names that are gone are not kept without end', () => {
  const builder = new SampleBuilder(1000);
  for (let poll = 0; poll < 12; poll += 1) builder.build(poll * 1000, pollOf(1000, `poll-${poll}`), null, 1);
  const { lastRead } = builder as unknown as { readonly lastRead: ReadonlyMap<string, unknown> };
  expect(lastRead.size).toBeLessThanOrEqual(mostModels);
  expect(lastRead.has('poll-11-0/1')).toBe(true);
});

it('thousands of changes in one second are a bounded number of markers, and none of them has a huge text', () => {
  const builder = new SampleBuilder(1000);
  builder.build(0, pollOf(1000, 'first'), null, 1);
  const { markers } = builder.build(1000, pollOf(1000, 'second'), null, 1);
  expect(markers).toHaveLength(mostSampleMarkers);
  expect(markers.at(-1)?.text).toBe('and 801 more events in the same second');
  const marker = { atMs: 0, kind: 'model-failing', text: 'x'.repeat(100_000) } as const;
  expect(boundedSample(sample(0, { markers: [marker] })).markers[0]?.text.length).toBeLessThan(1100);
});

it('names longer than a folder can have, and GPUs beyond the limit, are counted', () => {
  const gpus = Array.from({ length: mostGpus + 5 }, (_unused, at) => gpu(`GPU-${at}`));
  const models = [model({ name: 'x'.repeat(100_000) }), model()];
  const bounded = boundedSample(sample(0, { models, gpus: [gpu('G'.repeat(100_000)), ...gpus] }));
  expect(bounded.models.map(({ name }) => name)).toEqual(['echo']);
  expect(bounded.gpus).toHaveLength(mostGpus);
  expect(bounded.more).toEqual({ models: 1, gpus: 6 });
  // Again, and through a recording, it is the same.
  expect(boundedSample(bounded)).toEqual(bounded);
  expect(parseRecordingLine(JSON.stringify(bounded))).toEqual(bounded);
});

it('alerts of thousands of models are the first thousand, the same ones at each poll', () => {
  const rule = { id: 'm', metric: 'model', model: '', above: 0, forSeconds: 0, enabled: true } as const;
  const failing = (count: number, prefix: string) =>
    names(count, prefix).map((one) => model({ ...one, state: 'failing', reason: 'no answer '.repeat(90) }));
  const { alerts } = judgeAlerts([], [rule], sample(0, { models: failing(3000, 'm') }));
  expect(alerts).toHaveLength(mostAlerts);
  expect(JSON.stringify(alerts).length).toBeLessThan(500 * mostAlerts);
  const again = judgeAlerts(alerts, [rule], sample(1000, { models: failing(3000, 'm') }));
  expect(again.alerts).toEqual(alerts);
  expect(again.markers).toEqual([]);
  // Names that change with every poll do not add up.
  let changing = alerts;
  for (let poll = 0; poll < 15; poll += 1) {
    const next = sample(2000 + poll * 1000, { models: failing(1000, `poll-${poll}`) });
    changing = judgeAlerts(changing, [rule], next).alerts;
  }
  expect(changing.length).toBeLessThanOrEqual(2 * mostAlerts);
});

it('reasons, holes, versions and other metrics have their first words, and a second time the same', () => {
  const long = 'why '.repeat(5000);
  const models = names(4000, 'm').map((one) => model({ ...one, state: 'unavailable', reason: long }));
  const other = Object.fromEntries([
    [`x{l="${long}"}`, 1],
    ...Array.from({ length: 1000 }, (_unused, at): [string, number] => [`n${at}`, at]),
  ]);
  const server = { state: 'up', reason: long, version: long, restarts: 0 } as const;
  const given = sample(0, { models, other, server, hole: long, metricsProblem: long });
  const bounded = boundedSample(given);
  expect(JSON.stringify(bounded).length).toBeLessThan(2 ** 21);
  expect(bounded.models[0]?.reason).toHaveLength(1001);
  expect(bounded.models.at(-1)?.reason).toHaveLength(101);
  expect(bounded.hole).toHaveLength(1001);
  expect(bounded.server.version).toHaveLength(257);
  expect(Object.keys(bounded.other)).toHaveLength(400);
  expect(boundedSample(bounded)).toEqual(bounded);
});

it('a model that a server lists many times is there once', () => {
  const models = Array.from({ length: 5000 }, () => model({ name: 'same' }));
  const bounded = boundedSample(sample(0, { models: [...models, model({ name: 'other' })] }));
  expect(bounded.models.map(({ name }) => name)).toEqual(['same', 'other']);
  expect(bounded.more).toBeUndefined();
});
