import { describe, expect, it } from 'vitest';
import { type HostFit, nextRun, placementOf } from '../../../../main/contract/host/host-text';

const fits = (host: string): HostFit => ({ host, fits: true, gpus: null });
const never = (host: string, reason: string): HostFit => ({ host, fits: false, reason, error: null });
const notNow = (host: string): HostFit => ({
  host,
  fits: false,
  reason: 'no answer',
  error: { code: 'docker-unreachable', message: 'no answer', remedy: 'Start it.' },
});

describe('where a run can be measured', () => {
  it('is every host that fits, whatever is wrong with the others', () => {
    expect(placementOf([fits('a'), never('b', 'It has no NVIDIA GPU'), notNow('c'), fits('d')])).toEqual({
      hosts: ['a', 'd'],
      leftOut: null,
      error: null,
    });
  });

  it('is nowhere for good where no host can ever do it, with the reason of each', () => {
    expect(placementOf([never('a', 'It has no NVIDIA GPU'), never('b', 'Tesla T4 is not the A30')])).toEqual({
      hosts: [],
      leftOut: 'No host fits. a: It has no NVIDIA GPU. b: Tesla T4 is not the A30.',
      error: null,
    });
    expect(placementOf([never('a', 'It has no NVIDIA GPU.')]).leftOut).toBe('a: It has no NVIDIA GPU.');
  });

  it('is nowhere now, which counts as a failure, where one of them could do it at another time', () => {
    expect(placementOf([notNow('a')])).toEqual({
      hosts: [],
      leftOut: null,
      error: { code: 'docker-unreachable', message: 'no answer', remedy: 'Start it.' },
    });
    const { leftOut, error } = placementOf([never('a', 'It has no NVIDIA GPU'), notNow('b')]);
    expect(leftOut).toBeNull();
    expect(error).toMatchObject({
      code: 'docker-unreachable',
      message: 'No host fits. a: It has no NVIDIA GPU. b: no answer',
    });
  });
});

describe('the run that a free place takes next', () => {
  const waiting = [
    { id: 1, places: ['a', 'b'] },
    { id: 2, places: ['a', 'b', 'c'] },
    { id: 3, places: ['b'] },
    { id: 4, places: ['a', 'b'] },
  ];

  it('is the one with the fewest other places, of equals the first', () => {
    expect(nextRun('b', waiting)?.id).toBe(3);
    expect(nextRun('a', waiting)?.id).toBe(1);
    expect(nextRun('c', waiting)?.id).toBe(2);
    expect(nextRun('d', waiting)).toBeNull();
  });

  it('leaves no place idle while a run waits for it, and gives each run once', () => {
    const given: string[] = [];
    let rest: readonly (typeof waiting)[number][] = waiting;
    for (const place of ['a', 'b', 'c', 'a', 'b', 'c']) {
      const run = nextRun(place, rest);
      if (run === null) continue;
      given.push(`${place}${run.id}`);
      rest = rest.filter((one) => one !== run);
    }
    expect(given).toEqual(['a1', 'b3', 'c2', 'a4']);
    expect(rest).toEqual([]);
  });
});
