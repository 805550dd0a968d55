import { expect, it } from 'vitest';
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

it('framework and Triton are given the same samples: all, or so many', () => {
  expect(limitsOf()).toEqual([[], []]);
  expect(limitsOf(20)).toEqual([[['--limit', 20]], [['--limit', 20]]]);
});
