import { expect, it } from 'vitest';
import { noTraces, withTrace } from '../../../../main/contract/load/run-traces';

const tracing = {
  model: 'm',
  putBack: { trace_level: null, trace_rate: null, trace_count: null, log_frequency: null },
};

it('has what is switched on until it is put back', () => {
  const begun = withTrace(noTraces, { key: 'k', event: { kind: 'begun', tracing } });
  expect(begun.pending).toEqual(tracing);
  expect(withTrace(begun, { key: 'k', event: { kind: 'put-back' } }).pending).toBeNull();
});

it('has the last trace of each level', () => {
  const failed = { kind: 'traced' as const, slow: [], problem: 'Triton wrote no trace' };
  const first = withTrace(noTraces, { key: 'k', event: failed });
  expect(first.levels).toEqual([{ key: 'k', slow: [], problem: 'Triton wrote no trace' }]);
  const again = withTrace(first, { key: 'k', event: { kind: 'traced', slow: [] } });
  expect(again.levels).toEqual([{ key: 'k', slow: [], problem: null }]);
});
