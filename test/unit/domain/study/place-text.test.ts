import { expect, it } from 'vitest';
import type { Look, ServedPlace } from '../../../../main/contract/study/search';
import { elsewhereText, placeLines } from '../../../../main/domain/study/place-text';
import { searchAnswer } from '../../../../main/domain/study/search/search-answer';
import { closed } from '../../../support/simulated-search';

const at: Pick<ServedPlace, 'address' | 'tritonVersion'> = {
  ...{ address: '127.0.0.1:49153', tritonVersion: '2.51.0' },
};

it.each<[ServedPlace | null, string, readonly string[]]>([
  [null, '', []],
  [{ engine: 'local', ...at }, '', ['Served with Local Triton: Triton 2.51.0 at 127.0.0.1:49153']],
  [
    { engine: 'docker', host: 'gpu1', ...at },
    ' on the host gpu1',
    ['Served with Docker on the host gpu1: Triton 2.51.0 at 127.0.0.1:49153'],
  ],
  [
    { engine: 'remote', ...at, address: 'gpu-7:8000' },
    ' on Triton at gpu-7:8000',
    ['Served by a Triton that was already running: Triton 2.51.0 at gpu-7:8000'],
  ],
  [
    { engine: 'remote', ...at },
    '',
    ['Served by a Triton that was already running: Triton 2.51.0 at 127.0.0.1:49153'],
  ],
])('of %j the answer has "%s"', (place, elsewhere, lines) => {
  expect(elsewhereText(place)).toBe(elsewhere);
  expect(placeLines({ place })).toEqual(lines);
});

it('the answer of a search names another machine', () => {
  const look: Look = {
    ...{ candidate: 1, load: { concurrency: 4 }, seconds: 1, inferencesPerSecond: 100 },
    phase: 'edge',
    ...{ latencyUs: 9000, requestCount: 100, errorCount: 0, meanServerBatch: 1, serverQueueUs: 0 },
  };
  const searched = { looks: [look], failed: {} };
  const place: ServedPlace = { engine: 'docker', host: 'gpu1', ...at };
  const here = searchAnswer(closed, searched);
  const there = searchAnswer(closed, { ...searched, place });
  expect(here).toMatchObject({ place: null });
  expect(here.sentence).not.toContain('gpu1');
  expect(there.place).toEqual(place);
  expect(there.sentence).toContain('within p99 40.00 ms on the host gpu1');
});
