import { expect, it } from 'vitest';
import { criticalPath, type PathTimes } from '../../../main/perf/critical-path';

const step = (reads: string, writes: string) => ({ reads: reads.split(' '), writes: writes.split(' ') });
const times = (name: string, queueUs: number, computeInferUs: number): PathTimes => ({
  ...{ queueUs, computeInputUs: 0, computeInferUs, computeOutputUs: 0 },
  knownUs: queueUs + computeInferUs,
  path: [name],
});

it('is of the steps that take longest one after the other, in any order of the steps', () => {
  const steps = [step('h0 h1', 'Y'), step('f', 'h0'), step('f', 'h1'), step('X', 'f')];
  const path = criticalPath(steps, [
    times('merge', 0, 1),
    times('quick', 0, 3),
    times('slow', 20, 9),
    times('backbone', 1, 4),
  ]);
  expect(path).toMatchObject({
    path: ['backbone', 'slow', 'merge'],
    queueUs: 21,
    computeInferUs: 14,
    knownUs: 35,
  });
});

it('is none where steps wait for one another', () => {
  const circle = [step('a', 'b'), step('b', 'a')];
  expect(criticalPath(circle, [times('one', 0, 1), times('two', 0, 1)])).toBeNull();
});
