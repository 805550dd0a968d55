import { expect, it } from 'vitest';
import { partsOf } from '../../../../main/studies/search/model-memory';

const read = (...values: readonly number[]) => values.map((hostBytes) => ({ hostBytes, gpuBytes: null }));
const rest = { maxBatchSize: 8, instances: 1, totals: { hostBytes: 1000, gpuBytes: null } };

it('parts what is taken once, what instances share, and what each takes', () => {
  // 100 before; the first load takes 50 once and 40 of its own, of which each instance has 30; the largest batch 10 for two.
  const memory = partsOf(read(100, 190, 230, 300, 310), rest);
  expect(memory).toMatchObject({
    context: { hostBytes: 50 },
    shared: { hostBytes: 10 },
    instance: { hostBytes: 30 },
    batch: { hostBytes: 5, gpuBytes: null },
    ...rest,
  });
});

it('knows nothing of memory that was not read', () => {
  expect(partsOf(read(100, 190, 230, 300, 310), rest).context.gpuBytes).toBeNull();
});
