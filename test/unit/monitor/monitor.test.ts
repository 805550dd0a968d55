import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CoreEvent } from '../../../main/contract/api';
import { type AlertRule, defaultRules, type MonitorState } from '../../../main/contract/monitor/monitor';
import type { HostReach } from '../../../main/engine/docker-over-ssh/host-reach';
import { createMonitor, type Monitor } from '../../../main/monitor/monitor';
import { recordingHead, RecordingWriter } from '../../../main/monitor/recording';
import { noHosts } from '../../support/host-reach';
import { sample } from './fixtures';

/** The queue of the fixture takes 0.1 ms. */
const queue: AlertRule = {
  id: 'q',
  metric: 'queue-ms',
  model: '',
  above: 0.05,
  forSeconds: 0,
  enabled: true,
};

let dir: string;
let file: string;
let monitors: Monitor[];
const create = (reach: HostReach = noHosts, emit: (event: CoreEvent) => void = () => undefined): Monitor => {
  const monitor = createMonitor({
    recordings: dir,
    settingsFile: join(dir, 'monitor.json'),
    emit,
    printPdf: () => Promise.reject(new Error('not asked for')),
    now: () => new Date(0),
    reach,
  });
  monitors.push(monitor);
  return monitor;
};
const stateOf = (monitor: Monitor): Promise<MonitorState> => monitor.handlers['monitor.state'](undefined);
const alertsOf = async (monitor: Monitor) =>
  (await stateOf(monitor)).alerts.map(({ ruleId, subject, state }) => [ruleId, subject, state]);

beforeEach(async () => {
  monitors = [];
  dir = await mkdtemp(join(tmpdir(), 'workbench-rules-'));
  file = join(dir, 'one.jsonl');
  const writer = await RecordingWriter.create(file, recordingHead('http://localhost:8000', new Date(0)));
  await Promise.all([0, 1, 2].map((second) => writer.append(sample(second * 1000))));
  await writer.close();
});
afterEach(async () => {
  await Promise.all(monitors.map((monitor) => monitor.close()));
  await rm(dir, { recursive: true, force: true });
});

it('rules that are set judge what comes, and are those of the next monitor', async () => {
  const monitor = create();
  expect((await stateOf(monitor)).rules).toEqual(defaultRules);
  await monitor.handlers['monitor.setRules']({ rules: [queue] });
  await monitor.replayFile(file, 0);
  expect(await alertsOf(monitor)).toEqual([['q', 'echo/1', 'firing']]);
  expect((await stateOf(create())).rules).toEqual([queue]);
});

it('an alert stays when its limit is another one, and ends when its rule is of another model or gone', async () => {
  const monitor = create();
  await monitor.handlers['monitor.setRules']({ rules: [queue, { ...queue, id: 'r' }] });
  await monitor.replayFile(file, 0);
  await monitor.handlers['monitor.setRules']({
    rules: [
      { ...queue, above: 0.01 },
      { ...queue, id: 'r', model: 'other' },
    ],
  });
  expect(await alertsOf(monitor)).toEqual([['q', 'echo/1', 'firing']]);
  await monitor.handlers['monitor.setRules']({ rules: [] });
  expect(await alertsOf(monitor)).toEqual([]);
});

it('rules for once are in force, and those that are kept stay as they are', async () => {
  const monitor = create();
  const once = { ...queue, id: 'once' };
  monitor.judgeBy([once]);
  // Writes what it remembers: the address.
  await monitor.watch({ url: 'http://127.0.0.1:9', metricsUrl: '' }, 1000);
  await monitor.replayFile(file, 0);
  expect(await alertsOf(monitor)).toEqual([['once', 'echo/1', 'firing']]);
  expect((await stateOf(monitor)).rules).toEqual([once]);
  const next = await stateOf(create());
  expect(next.rules).toEqual(defaultRules);
  expect(next.recent.map(({ url }) => url)).toEqual(['http://127.0.0.1:9']);
  await monitor.handlers['monitor.setRules']({ rules: [queue] });
  expect((await stateOf(monitor)).rules).toEqual([queue]);
});

/** A host that is reached when `arrive` is called; nobody listens there. */
function slowHost() {
  let arrive = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  return { arrive, reach: { ...noHosts, open: () => reached.then(() => '127.0.0.1:9') } };
}

const onHost = { url: 'http://127.0.0.1:8000', metricsUrl: '', host: 'gpu1' };
const here = { url: 'http://127.0.0.1:9', metricsUrl: '' };

it('the server that was asked for last is watched, also where the one before takes longer to reach', async () => {
  const { arrive, reach } = slowHost();
  const monitor = create(reach);
  const slow = monitor.watch(onHost, 1000);
  await monitor.watch(here, 1000);
  arrive();
  await slow;
  expect((await stateOf(monitor)).source).toMatchObject({ kind: 'live', url: here.url });
  expect((await stateOf(monitor)).recent.map(({ url }) => url)).toEqual([here.url]);
});

it('stop ends also what is only on its way', async () => {
  const { arrive, reach } = slowHost();
  const monitor = create(reach);
  const slow = monitor.watch(onHost, 1000);
  await monitor.handlers['monitor.stop'](undefined);
  arrive();
  await slow;
  expect((await stateOf(monitor)).source).toBeNull();
});

it('a server that is asked for twice at the same time is watched once', async () => {
  let samples = 0;
  const { arrive, reach } = slowHost();
  const monitor = create(reach, (event) => {
    if (event.type === 'monitor-sample') samples += 1;
  });
  const both = [monitor.watch(onHost, 500), monitor.watch(onHost, 500)];
  arrive();
  await Promise.all(both);
  await vi.waitFor(() => {
    expect(samples).toBeGreaterThan(0);
  });
  await monitor.handlers['monitor.stop'](undefined);
  const before = samples;
  // Longer than two polls of one that nobody would stop any more.
  await sleep(1200);
  expect(samples).toBe(before);
});
