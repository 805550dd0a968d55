import { describe, expect, it } from 'vitest';
import { followMaximum } from '../../../../../../renderer/views/new-deployment/simple/max-batch';

describe('a list of batch sizes when the maximum changes', () => {
  const defaults = [1, 2, 4];
  const list = (value: unknown, before: number, after: number, mayBeEmpty = false) =>
    followMaximum({ list: value, defaults, mayBeEmpty }, before, after);

  it('is cut to the maximum, and is the default again where that allows it', () => {
    expect(list(defaults, 8, 2)).toEqual([1, 2]);
    expect(list([1, 2], 2, 8)).toBe('default');
    expect(list(defaults, 8, 16)).toBeNull();
  });

  it('comes through the digits of a larger number as it was', () => {
    // "16" is typed key by key.
    expect(list(defaults, 8, 1)).toEqual([1]);
    expect(list([1], 1, 16)).toBe('default');
  });

  it('has the maximum itself where no size is left, unless it may be empty', () => {
    expect(followMaximum({ list: [4, 8], defaults: [4, 8], mayBeEmpty: false }, 8, 2)).toEqual([2]);
    expect(followMaximum({ list: [4, 8], defaults: [4, 8], mayBeEmpty: true }, 8, 2)).toEqual([]);
    expect(followMaximum({ list: [], defaults: [4, 8], mayBeEmpty: true }, 2, 8)).toBe('default');
  });

  it('has a size of 1 where the model does not batch, and follows the maximum again', () => {
    expect(list(defaults, 8, 0)).toEqual([1]);
    expect(list(defaults, 8, 0, true)).toEqual([]);
    expect(list([1], 0, 2)).toEqual([1, 2]);
    expect(list([1], 0, 8)).toBe('default');
  });

  it('stays where a person chose it, or wrote what cannot be read', () => {
    expect(list([1, 3], 8, 2)).toBeNull();
    expect(list('1, many', 8, 2)).toBeNull();
  });
});
