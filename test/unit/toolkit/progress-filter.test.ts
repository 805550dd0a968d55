import { expect, it } from 'vitest';
import { createProgressFilter } from '../../../main/toolkit/progress-filter';

it('logs new words at once, the same words with other numbers once per second, and nothing twice', () => {
  let nowMs = 0;
  const logged = createProgressFilter(() => nowMs);
  const told = (text: string, atMs: number): boolean => {
    nowMs = atMs;
    return logged(text);
  };
  expect(told('Loading the model', 0)).toBe(true);
  expect(told('Epoch 1 of 3, loss 2.301', 10)).toBe(true);
  expect(told('Epoch 1 of 3, loss 1.950', 210)).toBe(false);
  expect(told('Epoch 2 of 3, loss 1.100', 1010)).toBe(true);
  expect(told('Epoch 2 of 3, loss 1.100', 9000)).toBe(false);
  expect(told('Weights saved', 9001)).toBe(true);
});
