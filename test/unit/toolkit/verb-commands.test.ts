import { expect, it } from 'vitest';
import type { RunSpec } from '../../../main/contract/run/run-spec';
import { inferFrameworkCommand, inferTritonCommand } from '../../../main/toolkit/verb-commands';
import { specFixture } from '../../support/run-state';

const limitsOf = (samples?: number) => {
  const spec = specFixture((of) => {
    if (samples !== undefined) of.accuracy.samples = samples;
  });
  const source = { modelDir: '/model', spec, framework: 'pyt' as const };
  const prepared = { dataset: '/data', checkpoint: '/weights.pt' };
  return [
    inferFrameworkCommand(source, prepared, '/dump'),
    inferTritonCommand(source, prepared.dataset, { grpcAddress: '127.0.0.1:8001' }, '/dump'),
  ].map(({ args }) => args.filter(([name]) => name === '--limit'));
};

it('the reference is computed on a GPU where the client’s container has one', () => {
  const deviceOf = (engine: RunSpec['engine']) => {
    const spec = specFixture((of) => {
      of.engine = engine;
    });
    const source = { modelDir: '/model', spec, framework: 'pyt' as const };
    const { args } = inferFrameworkCommand(source, { dataset: '/data', checkpoint: '/weights.pt' }, '/dump');
    return args.find(([name]) => name === '--device')?.[1];
  };
  expect(deviceOf({ kind: 'docker', gpus: ['all'], shmSizeMiB: 64 })).toBe('auto');
  expect(deviceOf({ kind: 'docker', gpus: ['MIG-1'], shmSizeMiB: 64 })).toBe('auto');
  expect(deviceOf({ kind: 'docker', gpus: [], shmSizeMiB: 64 })).toBeUndefined();
  expect(deviceOf({ kind: 'local' })).toBeUndefined();
  expect(deviceOf({ kind: 'remote', url: 'http://h:8000' })).toBeUndefined();
});

it('framework and Triton are given the same samples: all, or so many', () => {
  expect(limitsOf()).toEqual([[], []]);
  expect(limitsOf(20)).toEqual([[['--limit', 20]], [['--limit', 20]]]);
});
