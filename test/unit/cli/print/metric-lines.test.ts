import { expect, it } from 'vitest';
import { metricLines } from '../../../../main/cli/print/metric-lines';

it('has a line per metric, with its title, both values and the threshold', () => {
  const metrics = [
    { name: 'accuracy', framework: 0.91, triton: 0.9, threshold: 0.85, passed: true },
    {
      ...{ name: 'word-error-rate', framework: 0.25, triton: 0.25, threshold: 0.2 },
      ...{ better: 'lower' as const, passed: false },
    },
    { name: 'entity-f1', framework: null, triton: null, threshold: null, passed: true },
  ];
  expect(metricLines({ metrics })).toEqual([
    'Accuracy: framework 0.9100, Triton 0.9000 (≥ 0.8500)',
    'Word error rate: framework 0.2500, Triton 0.2500 (≤ 0.2000)',
    'Entity F1: framework –, Triton –',
  ]);
});
