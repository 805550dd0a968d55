import { expect, it } from 'vitest';
import type { MonitorState } from '../../../../main/contract/monitor/monitor';
import { MonitorHistory, type MonitorHistoryImage } from '../../../../main/contract/monitor/monitor-history';
import { createMonitorStore } from '../../../../renderer/stores/monitor';
import { sample } from '../../monitor/fixtures';
import { createClientDouble } from '../client-double';
import { monitorStateFixture } from '../window-fixtures';

const idle = monitorStateFixture('', { source: null });
const url = 'localhost:8000';
const watching: MonitorState = {
  ...idle,
  source: { kind: 'live', url, metricsUrl: 'localhost:8002', sinceMs: 0 },
};

/** A core whose answers to `monitor.history` are given by hand. */
function createRig(core: { state: MonitorState }) {
  const histories: ((image: MonitorHistoryImage | null) => void)[] = [];
  const { client } = createClientDouble({
    'monitor.state': () => core.state,
    'monitor.history': () =>
      new Promise<MonitorHistoryImage | null>((resolve) => {
        histories.push(resolve);
      }),
  });
  return { histories, store: createMonitorStore(client) };
}

it('a state that is told while the first answers are on their way stays', async () => {
  const core = { state: idle };
  const { histories, store } = createRig(core);
  const loaded = store.getState().load();
  await expect.poll(() => histories.length).toBe(1);
  core.state = watching;
  store.getState().onEvent({ type: 'monitor-changed', state: watching });
  const seen: (string | undefined)[] = [];
  store.subscribe(({ state }) => seen.push(state?.source?.kind));
  histories[0]?.(null);
  await expect.poll(() => histories.length).toBe(2);
  histories[1]?.(null);
  await loaded;
  expect(store.getState().state).toEqual(watching);
  expect(new Set(seen)).toEqual(new Set(['live']));
});

it('a history that was cleared while it was fetched does not come back', async () => {
  const before = new MonitorHistory();
  before.add(sample(1000));
  const { histories, store } = createRig({ state: idle });
  const loaded = store.getState().load();
  await expect.poll(() => histories.length).toBe(1);
  store.getState().onEvent({ type: 'monitor-cleared' });
  histories[0]?.(before.image());
  await expect.poll(() => histories.length).toBe(2);
  histories[1]?.(null);
  await loaded;
  expect(store.getState().sample).toBeNull();
  expect(store.getState().history.span()).toBeNull();
});
