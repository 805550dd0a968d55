import { expect, it } from 'vitest';
import { type Candidate, candidateFields, type Configured } from '../../../../../main/contract/study/search';
import {
  candidateAxes,
  candidatesOf,
  candidateText,
  type SearchMachine,
} from '../../../../../main/domain/study/search/candidates';
import { specFixture } from '../../../../support/run-state';

const machine: SearchMachine = { onGpu: false, processors: 4, targetUs: 20_000 };
const configure = (change: Partial<ReturnType<typeof specFixture>['configure']> = {}) => ({
  ...specFixture().configure,
  ...{ batching: 'dynamic' as const, maxBatchSize: 8, instances: 1, threads: 0 },
  ...{ preferredBatchSizes: [4, 8], maxQueueDelayUs: 500 },
  ...change,
});

it('begins with the present configuration, and has each one once', () => {
  const found = candidatesOf(configure(), {}, machine);
  expect(found[0]).toEqual({
    ...{ instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [4, 8] },
    ...{ maxQueueDelayUs: 500, threads: 0 },
  });
  expect(new Set(found.map((one) => JSON.stringify(one))).size).toBe(found.length);
  expect([...new Set(found.map(({ instances }) => instances))].toSorted()).toEqual([1, 2, 4]);
  // A twentieth of the target, and none.
  expect(new Set(found.map(({ maxQueueDelayUs }) => maxQueueDelayUs))).toEqual(new Set([500, 0, 1000]));
  expect(new Set(found.map(({ threads }) => threads))).toEqual(new Set([0, 1]));
});

it('varies what is asked for with the values that were given, and leaves the rest to the machine', () => {
  const found = candidatesOf(
    configure(),
    { instances: [3], threads: [2], batching: ['static'] },
    { ...machine, onGpu: true },
  );
  expect(found.slice(1)).toEqual([
    {
      instances: 3,
      maxBatchSize: 8,
      batching: 'static',
      preferredBatchSizes: [],
      maxQueueDelayUs: 0,
      threads: 2,
    },
  ]);
});

it('leaves out what the configuration has no place for, and keeps the present one', () => {
  const isServable = ({ threads }: Configured) => threads === 1;
  const found = candidatesOf(configure({ threads: 2 }), {}, { ...machine, isServable });
  expect(found.length).toBeGreaterThan(2);
  expect(found[0]?.threads).toBe(2);
  expect(found.slice(1).every(({ threads }) => threads === 1)).toBe(true);
});

it('drops preferred sizes above the maximum, and dynamic batching without a batch dimension', () => {
  const smaller = candidatesOf(configure(), { maxBatchSize: [4], instances: [1] }, machine).slice(1);
  expect(smaller.every(({ preferredBatchSizes }) => !preferredBatchSizes.includes(8))).toBe(true);
  const unbatched = configure({ batching: 'disabled', maxBatchSize: 0 });
  const asked = candidatesOf(unbatched, { batching: ['dynamic', 'disabled'] }, machine);
  expect(asked.every(({ batching }) => batching === 'disabled')).toBe(true);
});

it('says what a candidate does otherwise, in the words of the fields', () => {
  const [present, ...others] = candidatesOf(
    configure(),
    { instances: [2], maxQueueDelayUs: [0], threads: [0], batching: ['dynamic', 'static'] },
    machine,
  );
  if (present === undefined) throw new Error('No present one');
  expect(candidateText(present, present)).toBe('present configuration');
  expect(others.map((one) => candidateText(present, one))).toEqual([
    'model instances 2, maximum queue delay 0 µs',
    'model instances 2, batching Static',
  ]);
});

it('has each configuration of every model and batch size, and what all have in common nowhere', () => {
  const space = { instances: [1], maxQueueDelayUs: [500], threads: [0], batching: ['dynamic' as const] };
  const onnx = { format: 'onnx', precision: 'fp32', backendAccelerator: 'none' } as const;
  const half = { ...onnx, precision: 'fp16' } as const;
  const run = { model: { present: onnx, tried: [onnx] }, batchSize: { present: 2, tried: [2] } };
  expect(candidatesOf(configure(), space, machine, run)).toEqual(candidatesOf(configure(), space, machine));
  const found = candidatesOf(configure(), space, machine, {
    model: { present: onnx, tried: [onnx, half] },
    batchSize: { present: 1, tried: [1, 4, 16] },
  });
  // Of 16 no request fits into a batch of 8.
  expect(found.map((candidate) => [candidate.precision, candidate.batchSize])).toEqual([
    ['fp32', 1],
    ['fp32', 4],
    ['fp16', 1],
    ['fp16', 4],
  ]);
  const [present, , , last] = found as [Candidate, Candidate, Candidate, Candidate];
  expect(candidateText(present, last)).toBe('precision FP16, batch size per request 4');
  expect(candidateAxes(found, last)).toEqual([
    { field: 'precision', value: 'FP16' },
    { field: 'performance.onlineBatchSize', value: '4' },
  ]);
});

it('has of the run no more than its present configuration where others were asked for', () => {
  const space = { instances: [1, 2], maxQueueDelayUs: [500], threads: [0], batching: ['dynamic' as const] };
  const onnx = { format: 'onnx', precision: 'fp32', backendAccelerator: 'none' } as const;
  const half = { ...onnx, precision: 'fp16' } as const;
  const found = candidatesOf(configure(), space, machine, {
    model: { present: onnx, tried: [half] },
    batchSize: { present: 1, tried: [4] },
  });
  expect(found.map(({ precision, batchSize, instances }) => [precision, batchSize, instances])).toEqual([
    ['fp32', 1, 1],
    ['fp16', 4, 1],
    ['fp16', 4, 2],
  ]);
});

it('gives every varied field of each candidate, and no other', () => {
  const found = candidatesOf(
    configure(),
    { instances: [1, 2], maxQueueDelayUs: [500], threads: [0], batching: ['dynamic'] },
    machine,
  );
  expect(found.map((one) => candidateAxes(found, one))).toEqual([
    [{ field: 'configure.instances', value: '1' }],
    [{ field: 'configure.instances', value: '2' }],
  ]);
  expect(candidateFields.map((field) => `configure.${field}`)).toContain('configure.instances');
});
