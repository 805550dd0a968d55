import { describe, expect, it } from 'vitest';
import { createLatest } from '../../../../renderer/stores/latest';

/** Questions that are answered by hand. */
function createAsked(delayMs: number) {
  const answers: ((answer: string) => void)[] = [];
  const answered: string[] = [];
  const latest = createLatest<string>(
    delayMs,
    () => new Promise((resolve) => answers.push(resolve)),
    (answer) => answered.push(answer),
  );
  return { latest, answers, answered };
}

describe('createLatest', () => {
  it('tells the newest of several answers on their way', async () => {
    const { latest, answers, answered } = createAsked(0);
    const both = [latest.now(), latest.now()];
    answers[1]?.('second');
    answers[0]?.('first');
    await Promise.all(both);
    expect(answered).toEqual(['second']);
  });

  it('does not tell an answer to what was asked before the last change', async () => {
    const { latest, answers, answered } = createAsked(0);
    const before = latest.now();
    latest.soon();
    answers[0]?.('of what was there before');
    await before;
    expect(answered).toEqual([]);
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.('of what is there now');
    await expect.poll(() => answered).toEqual(['of what is there now']);
    expect(latest.waiting()).toBe(false);
  });
});
