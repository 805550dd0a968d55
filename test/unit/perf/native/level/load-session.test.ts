import { describe, expect, it } from 'vitest';
import { LevelGroup } from '../../../../../main/perf/native/level/load-session';
import { rejection } from '../../../../support/rejection';

const signal = new AbortController().signal;

describe('levels that are measured together', () => {
  it('begin when all have come', async () => {
    const group = new LevelGroup(2);
    const begun: string[] = [];
    const first = group.arrive(signal).then(() => begun.push('first'));
    await Promise.resolve();
    expect(begun).toEqual([]);
    await Promise.all([first, group.arrive(signal).then(() => begun.push('second'))]);
    expect(begun).toHaveLength(2);
  });

  it('do not wait for one that will not come', async () => {
    const controller = new AbortController();
    const waiting = rejection(new LevelGroup(2).arrive(controller.signal));
    controller.abort();
    expect((await waiting).code).toBe('cancelled');
    expect((await rejection(new LevelGroup(2).arrive(controller.signal))).code).toBe('cancelled');
  });

  it('end at one moment, when each of them has enough at the same time', () => {
    const group = new LevelGroup(2);
    const ended: string[] = [];
    const [a, b] = [{}, {}];
    const update = (member: object, name: string, ready: boolean) => {
      group.update(member, ready, () => ended.push(name));
    };
    update(a, 'a', true);
    update(b, 'b', false);
    // It was steady, and is not any more while the other goes on.
    update(a, 'a', false);
    update(b, 'b', true);
    expect(ended).toEqual([]);
    update(a, 'a', true);
    expect(ended).toEqual(['a', 'b']);
  });
});
