import { expect, it } from 'vitest';
import {
  batchesText,
  comparedAtText,
  type ComparedBatch,
  comparedLines,
} from '../../../../main/contract/measured/compared-batches';
import { accuracyResultSchema } from '../../../../main/contract/measured/results';
import { accuracyOf, verificationOf } from '../../../../main/contract/run/run-outcome';
import { completeState } from '../../../support/run-state';

const batch = (batchSize: number, more: Partial<ComparedBatch> = {}): ComparedBatch => ({
  ...{ batchSize, requestCount: 1, maxAbsDiff: 0, passed: true },
  ...more,
});
const gathered = (...executed: number[]) => batch(1, { requestCount: 8, gathered: executed });

it('an older result does not say at which batch sizes it was compared, and is read as before', () => {
  const older = { outputs: [], metrics: [], sampleCount: 8, passed: true, reasons: [], warnings: [] };
  const result = accuracyResultSchema.parse(older);
  expect(comparedAtText(result.batches)).toBeNull();
  expect(accuracyOf(result)).toEqual({ word: 'verified', of: 'outputs, 8 samples' });
});

it('the sizes are named, and whether the batcher gathered anything', () => {
  expect(comparedAtText([batch(1)])).toBe('batch size 1');
  const sizes = [batch(1), batch(4), batch(8)];
  expect(comparedAtText(sizes)).toBe('batch sizes 1, 4 and 8');
  expect(comparedAtText([...sizes, gathered(1, 7)])).toBe(
    'batch sizes 1, 4 and 8, and gathered by the dynamic batcher',
  );
  for (const none of [gathered(1), gathered()]) {
    expect(comparedAtText([...sizes, none])).toContain('the dynamic batcher gathered none');
  }
});

it('those that failed are named with their largest difference', () => {
  const failed = [batch(1, { passed: false, maxAbsDiff: 35.9 }), batch(8)];
  expect(comparedLines(failed)).toEqual([
    'compared at batch sizes 1 and 8',
    'failed at batch size 1 (largest difference 35.9)',
  ]);
  expect(comparedLines([batch(2, { passed: false, maxAbsDiff: null })])[1]).toBe('failed at batch size 2');
  expect(batchesText([batch(1), batch(2), gathered(1, 7)])).toBe(
    'batch sizes 1 and 2, and batch size 1 with 8 requests at once (executed in batches of 1 and 7)',
  );
});

it('the reason of a verified run says where it was compared', () => {
  const state = completeState();
  if (state.accuracy === null) throw new Error('the fixture has no accuracy');
  const { result } = state.accuracy;
  const compared = {
    ...state,
    accuracy: { ...state.accuracy, result: { ...result, batches: [batch(1), batch(8)] } },
  };
  expect(verificationOf(compared).reason).toMatch(/agree with the framework at batch sizes 1 and 8\.$/);
});
