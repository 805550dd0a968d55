import { describe, expect, it } from 'vitest';
import { nextSoakPart } from '../../../../main/studies/strategies/soak';

const soak = { forMs: 60_000, sliceMs: 10_000 };

describe('nextSoakPart', () => {
  it('sends all that is left in windows of a slice', () => {
    expect(nextSoakPart(soak, 0)).toEqual({ windows: 6, windowMs: 10_000, reloadsAfter: false });
    expect(nextSoakPart(soak, 37_000)).toEqual({ windows: 2, windowMs: 11_500, reloadsAfter: false });
  });

  it('loads the model anew after each part but the last', () => {
    const reloading = { ...soak, reloadMs: 25_000 };
    expect(nextSoakPart(reloading, 0)).toEqual({ windows: 3, windowMs: 8333, reloadsAfter: true });
    expect(nextSoakPart(reloading, 34_500)).toEqual({ windows: 3, windowMs: 8500, reloadsAfter: false });
    expect(nextSoakPart(reloading, 51_000)).toEqual({ windows: 1, windowMs: 9000, reloadsAfter: false });
  });

  it('ends when its time is over', () => {
    expect(nextSoakPart(soak, 60_000)).toBeNull();
    expect(nextSoakPart(soak, 59_500)).toBeNull();
    expect(nextSoakPart({ ...soak, reloadMs: 500 }, 59_500)).not.toBeNull();
  });
});
