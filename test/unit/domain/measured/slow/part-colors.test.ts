import { expect, it } from 'vitest';
import { tracePhases } from '../../../../../main/contract/measured/slow-requests';
import { partColors } from '../../../../../main/domain/measured/slow/part-colors';

it('has a color of its own per phase, and per model', () => {
  const own = partColors(tracePhases.map((phase) => ({ model: null, phase })));
  expect(new Set(own).size).toBe(tracePhases.length);
  const models = partColors(['a', 'b', 'c'].map((model) => ({ model, phase: 'infer' as const })));
  expect(new Set(models).size).toBe(3);
});
