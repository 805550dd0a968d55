import { describe, expect, it } from 'vitest';
import { needsDevice, withDependents } from '../../../main/pipeline/plan';
import { steps } from '../../../main/pipeline/steps';

describe('withDependents', () => {
  it.each([
    ['report', ['report']],
    ['online', ['online', 'report']],
    ['offline', ['offline', 'online', 'report']],
    ['profile-data', ['profile-data', 'offline', 'online', 'report']],
    ['configure', ['configure', 'deploy', 'accuracy', 'offline', 'online', 'report']],
  ] as const)('of the real pipeline: %s', (id, expected) => {
    expect(withDependents(steps, id)).toEqual(expected);
  });
});

describe('needsDevice', () => {
  it.each([
    [['export', 'report'], false],
    [['deploy', 'accuracy'], false],
    [['deploy', 'offline'], true],
    [['online', 'report'], true],
  ] as const)('%j: %s', (planned, expected) => {
    expect(needsDevice(new Set(planned))).toBe(expected);
  });
});
