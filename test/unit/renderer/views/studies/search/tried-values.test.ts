import { expect, it } from 'vitest';
import type { SearchSpace } from '../../../../../../main/contract/study/search';
import {
  hasWrongValues,
  spaceOf,
  triedTextOf,
} from '../../../../../../renderer/views/studies/search/tried-values';

const noneTried = triedTextOf({});

it('are the values of the fields that have some, and no field else', () => {
  expect(spaceOf(noneTried)).toEqual({});
  expect(spaceOf({ ...noneTried, instances: ' 1, 2 ', threads: '0', batching: ['dynamic'] })).toEqual({
    ...{ instances: [1, 2], threads: [0], batching: ['dynamic'] },
  });
});

it('are typed as those of an earlier search', () => {
  const space: SearchSpace = {
    ...{ instances: [1, 2], maxQueueDelayUs: [0, 500], batching: ['dynamic', 'static'] },
  };
  const typed = triedTextOf(space);
  expect(typed).toMatchObject({ instances: '1, 2', maxQueueDelayUs: '0, 500', threads: '' });
  expect(spaceOf(typed)).toEqual(space);
});

it('are refused where they are not whole numbers', () => {
  expect(hasWrongValues(noneTried)).toBe(false);
  for (const text of ['1,', 'two', '1.5', '-1', '1 2', '1e3']) {
    expect(hasWrongValues({ ...noneTried, instances: text }), text).toBe(true);
  }
});
