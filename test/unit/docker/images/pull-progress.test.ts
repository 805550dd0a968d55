import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EngineEvent, parseEngineEvent } from '../../../../main/docker/images/engine-stream';
import { emptyPullState, mergePullEvent, pullProgress } from '../../../../main/docker/images/pull-progress';

const read = async (name: string): Promise<EngineEvent[]> => {
  const path = join(import.meta.dirname, '..', '..', '..', 'fixtures', 'docker', name);
  return (await readFile(path, 'utf8'))
    .split('\n')
    .map(parseEngineEvent)
    .filter((event) => event !== null);
};

function statesOf(events: readonly EngineEvent[]) {
  let state = emptyPullState;
  return events.map((event) => (state = mergePullEvent(state, event)));
}

const fractionsOf = (events: readonly EngineEvent[]) => statesOf(events).map(({ fraction }) => fraction);

function expectMonotone(fractions: readonly (number | null)[]) {
  let last = 0;
  for (const fraction of fractions) {
    if (fraction === null) {
      expect(last).toBe(0);
      continue;
    }
    expect(fraction).toBeGreaterThanOrEqual(last);
    expect(fraction).toBeLessThanOrEqual(1);
    last = fraction;
  }
}

const downloading = (id: string, current: number, total?: number): EngineEvent => ({
  status: 'Downloading',
  id,
  progressDetail: total === undefined ? { current } : { current, total },
});

describe('mergePullEvent', () => {
  it.each(['pull-fresh.ndjson', 'pull-existing-base.ndjson'])('follows a real pull: %s', async (name) => {
    const states = statesOf(await read(name));
    expectMonotone(states.map(({ fraction }) => fraction));
    expect(states[0]?.fraction).toBeNull();
    expect(states.at(-1)?.fraction).toBe(0.99);
    expect(states.at(-1)?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect([...(states.at(-1)?.layers.values() ?? [])].every(({ phase }) => phase === 'done')).toBe(true);
  });

  it('never falls and never passes one, in whatever order the events arrive', async () => {
    const events = [...(await read('pull-fresh.ndjson')), ...(await read('pull-existing-base.ndjson'))];
    fc.assert(
      fc.property(fc.shuffledSubarray(events), (shuffled) => {
        expectMonotone(fractionsOf(shuffled));
      }),
    );
  });

  it('comes to the same end in any order of a whole pull', async () => {
    const events = await read('pull-fresh.ndjson');
    fc.assert(
      fc.property(
        fc.shuffledSubarray(events, { minLength: events.length, maxLength: events.length }),
        (shuffled) => {
          expect(fractionsOf(shuffled).at(-1)).toBe(0.99);
        },
      ),
    );
  });

  it('survives sizes that change, fall behind and are missing', () => {
    const size = fc.option(fc.integer({ min: -1, max: 1e9 }), { nil: undefined });
    const event = fc.record({
      id: fc.constantFrom('a', 'b', 'c'),
      status: fc.constantFrom(
        'Pulling fs layer',
        'Downloading',
        'Download complete',
        'Extracting',
        'Pull complete',
      ),
      current: size,
      total: size,
    });
    fc.assert(
      fc.property(fc.array(event), (parts) => {
        const events = parts.map(({ id, status, current, total }): EngineEvent => ({
          id,
          status,
          progressDetail: { current, total },
        }));
        expectMonotone(fractionsOf(events));
      }),
    );
  });

  it('weighs layers by their bytes', () => {
    const state = statesOf([downloading('small', 0, 100), downloading('large', 900, 900)]).at(-1);
    expect(state?.fraction).toBeCloseTo(0.75 * 0.9);
  });

  it('gives a layer of unknown size the weight of the others', () => {
    const events = [{ status: 'Pulling fs layer', id: 'b' }, downloading('a', 100, 100)];
    expect(statesOf(events).at(-1)?.fraction).toBeCloseTo(0.75 / 2);
  });

  it("does not take containerd's seconds of unpacking for bytes", () => {
    const seconds = { status: 'Extracting', id: 'a', progressDetail: { current: 7, units: 's' } };
    expect(statesOf([downloading('a', 100, 100), seconds]).at(-1)?.fraction).toBeCloseTo(0.75);
  });
});

describe('pullProgress', () => {
  const mebibyte = 1024 * 1024;
  const textOf = (events: readonly EngineEvent[]) =>
    pullProgress(statesOf(events).at(-1) ?? emptyPullState).text;

  it('says nothing of layers before there are any', async () => {
    expect(textOf([])).toBe('Contacting the registry');
    expect(textOf(await read('pull-up-to-date.ndjson'))).toBe('Contacting the registry');
  });

  it('counts bytes while layers come and layers while they are unpacked', () => {
    const first = [downloading('a', 120 * mebibyte, 400 * mebibyte), downloading('b', 0, 80 * mebibyte)];
    expect(textOf(first)).toBe('Downloading, 120 of 480 MiB');
    const come = [...first, ...['a', 'b'].map((id) => ({ status: 'Download complete', id }))];
    expect(textOf(come)).toBe('Unpacking, 0 of 2 layers');
    expect(textOf([...come, { status: 'Pull complete', id: 'a' }])).toBe('Unpacking, 1 of 2 layers');
  });

  it('leaves the sum out while a size is not known', () => {
    const events = [downloading('a', 3 * mebibyte, 4 * mebibyte), { status: 'Waiting', id: 'b' }];
    expect(textOf(events)).toBe('Downloading, 3 MiB');
  });
});
