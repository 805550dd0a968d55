import { expect, it } from 'vitest';
import { readAhead } from '../../../electron/read-ahead';
import type { CoreEvent, Handlers } from '../../../main/contract/api';
import type { RunList } from '../../../main/contract/run/run-outcome';
import { Listeners } from '../../../main/platform/abort';

/** Counts its readings: the list of the first is `1`, of the second `2`. */
function countingCore() {
  const events = new Listeners<CoreEvent>();
  let readings = 0;
  const list = () => {
    readings += 1;
    return Promise.resolve(readings as unknown as RunList);
  };
  return {
    core: {
      handlers: { 'runs.list': list } as unknown as Handlers,
      subscribe: (listener: (event: CoreEvent) => void) => events.add(listener),
    },
    events,
    readings: () => readings,
  };
}

it('reads the list before it is asked for, and again each later time', async () => {
  const { core, readings } = countingCore();
  const list = readAhead(core);
  expect(readings()).toBe(1);
  expect(await list(undefined)).toBe(1);
  expect(readings()).toBe(1);
  expect(await list(undefined)).toBe(2);
});

it('does not give a list that something has happened to', async () => {
  const { core, events } = countingCore();
  const list = readAhead(core);
  events.emit({ type: 'runs-changed' });
  expect(await list(undefined)).toBe(2);
});

it('tells of a failure where the list is asked for', async () => {
  const { core } = countingCore();
  const failing = { ...core.handlers, 'runs.list': () => Promise.reject(new Error('no disk')) };
  await expect(readAhead({ ...core, handlers: failing })(undefined)).rejects.toThrow('no disk');
});
