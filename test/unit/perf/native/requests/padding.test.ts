import { expect, it } from 'vitest';
import { paddingOf } from '../../../../../main/perf/native/requests/padding';

const tokens = (lengths: readonly number[]) => ({
  ...{ name: 'input_ids', datatype: 'UINT8' as const, shape: [lengths[0] ?? 1] },
  shapes: lengths.map((length) => [length]),
  samples: lengths.map((length) => new Uint8Array(length)),
  padding: new Uint8Array(1),
});
const job = (lengths: readonly number[], batchSize: number) => ({ tensors: [tokens(lengths)], batchSize });

it('is the share of padding in what was sent, request by request', () => {
  const share = paddingOf(job([1, 3, 4, 4], 2));
  // 4 of 6, then 8 of 8.
  expect(share(1)).toBeCloseTo(1 / 3);
  expect(share(2)).toBeCloseTo(2 / 14);
  expect(share(3)).toBeCloseTo(4 / 20);
  expect(share(200)).toBeCloseTo(2 / 14);
});

it('is counted before the samples are handed over, and of a trace by the order of its requests', () => {
  const sent = job([1, 3, 4, 4], 2);
  const share = paddingOf(sent);
  for (const sample of sent.tensors[0]?.samples ?? []) structuredClone(sample, { transfer: [sample.buffer] });
  expect(share(2)).toBeCloseTo(2 / 14);
  const replay = {
    atUs: new Float64Array(3),
    ...{ sizes: Int32Array.from([2, 2, 1]), firsts: Int32Array.from([0, 0, 2]) },
  };
  expect(paddingOf({ ...sent, ...job([1, 3, 4, 4], 2), replay })(3)).toBeCloseTo(4 / 16);
});

it('is not there for requests of one sample, samples of one shape, and without requests', () => {
  expect(paddingOf(job([1, 3], 1))(2)).toBeNull();
  expect(paddingOf(job([1, 3], 2))(0)).toBeNull();
  const { name, datatype, shape, samples } = tokens([3, 3]);
  const alike = { name, datatype, shape, samples };
  expect(paddingOf({ tensors: [alike], batchSize: 2 })(4)).toBeNull();
});
