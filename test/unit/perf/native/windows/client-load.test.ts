import { describe, expect, it } from 'vitest';
import { clientFlag } from '../../../../../main/perf/native/windows/client-load';

describe('what stood between the server and its figures', () => {
  const flagOf = (
    client: { readonly cpuShare?: number | null; readonly loopShare?: number; readonly delayMs?: number },
    { p50Us = 5000, generators = 1 } = {},
  ) => {
    const { cpuShare = 0.07, loopShare = 0.3, delayMs = 40 } = client;
    return clientFlag({ cpuShare, loopShare, loopDelayP99Us: delayMs * 1000 }, p50Us, generators);
  };

  it('is the machine where a generator with little to do is held up', () => {
    expect(flagOf({})).toBe('machine-busy');
    expect(flagOf({ cpuShare: 0.8 }, { generators: 2 })).toBe('machine-busy');
  });

  it('is the generator where its own work is the limit', () => {
    expect(flagOf({ cpuShare: 0.97 })).toBe('client-saturated');
    expect(flagOf({ cpuShare: 0.97, delayMs: 1 })).toBe('client-saturated');
    expect(flagOf({ loopShare: 0.95 })).toBe('client-saturated');
    expect(flagOf({ loopShare: 0.95, delayMs: 1 })).toBe('client-saturated');
  });

  it('is the generator where its own garbage collection holds it up', () => {
    expect(flagOf({ cpuShare: 0.8 })).toBe('client-saturated');
    expect(flagOf({ cpuShare: 1.6 }, { generators: 2 })).toBe('client-saturated');
  });

  it('is told from the loop where the CPU time is not known', () => {
    expect(flagOf({ cpuShare: null })).toBe('machine-busy');
    expect(flagOf({ cpuShare: null, loopShare: 0.7 })).toBe('client-saturated');
    expect(flagOf({ cpuShare: null, delayMs: 1 })).toBeNull();
  });

  it('is nothing where requests take longer than the hold-up', () => {
    expect(flagOf({}, { p50Us: 50_000 })).toBeNull();
    expect(flagOf({ delayMs: 9 }, { p50Us: 100 })).toBeNull();
  });
});
