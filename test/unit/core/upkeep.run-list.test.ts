import { expect, it } from 'vitest';
import type { RunList } from '../../../main/contract/run/run-outcome';
import { createRunList } from '../../../main/core/upkeep';

const whole: RunList = { runs: [], outdated: [], missing: 0 };

/** Makes `rows` rows when it is asked to. */
function storeOf(first: RunList, rows: number) {
  const lists = [first];
  const asked = { making: 0 };
  return {
    asked,
    store: {
      listAtHand: () => Promise.resolve(lists.shift() ?? whole),
      makeRows: (_signal: AbortSignal, onMade: () => void) => {
        asked.making += 1;
        for (let made = 0; made < rows; made += 1) onMade();
        return Promise.resolve();
      },
    },
  };
}

it('tells while the rows are made, ever more seldom, and once they are', async () => {
  const { store } = storeOf({ ...whole, missing: 400 }, 400);
  let changes = 0;
  await new Promise<void>((resolve) => {
    // After 5, 10, 20, 40, 80, 160 and 320 rows, and at the end.
    const { list } = createRunList({
      store,
      emit: () => {
        changes += 1;
        if (changes === 8) resolve();
      },
    });
    void list(undefined);
  });
  expect(changes).toBe(8);
});

it('makes nothing behind a list that is whole', async () => {
  const { store, asked } = storeOf(whole, 0);
  const { list, close } = createRunList({ store, emit: () => undefined });
  expect(await list(undefined)).toEqual(whole);
  await close();
  expect(asked.making).toBe(0);
});

it('makes nothing more once it is closed', async () => {
  const { store, asked } = storeOf({ ...whole, outdated: ['a'] }, 1);
  let changes = 0;
  const { list, close } = createRunList({
    store,
    emit: () => {
      changes += 1;
    },
  });
  await list(undefined);
  await close();
  expect([asked.making, changes]).toEqual([0, 0]);
});
