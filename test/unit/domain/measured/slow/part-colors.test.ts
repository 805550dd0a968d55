import { expect, it } from 'vitest';
import { tracePhases } from '../../../../../main/contract/measured/slow-requests';
import { partColors } from '../../../../../main/domain/measured/slow/part-colors';

it('has a color of its own per phase, and per model', () => {
  const own = partColors(tracePhases.map((phase) => ({ model: null, phase })));
  expect(new Set(own).size).toBe(tracePhases.length);
  const models = partColors(['a', 'b', 'c'].map((model) => ({ model, phase: 'infer' as const })));
  expect(new Set(models).size).toBe(3);
});

it('has no color of a model for what is of the whole request', () => {
  const whole = tracePhases.map((phase) => ({ model: null, phase }));
  const models = ['a', 'b', 'c', 'd', 'e'].flatMap((model) => tracePhases.map((phase) => ({ model, phase })));
  const hue = (color: string): string => color.slice(0, 7);
  const [own, theirs] = [partColors([...whole, ...models]).slice(0, whole.length), partColors(models)];
  expect(new Set(own).size).toBe(whole.length);
  expect(theirs.map(hue)).not.toContain(hue(own[0] ?? ''));
  expect(new Set(own.map(hue)).size).toBe(1);
});
