import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { backOffMs, persist } from '../../../main/docker/container-life';
import { rejection } from '../../support/rejection';

describe('back-off', () => {
  it('is between half and the whole of 250 ms, doubled up to 5 s', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat(5000), random, (attempt, chance) => {
        const whole = Math.min(5000, 250 * 2 ** attempt);
        const ms = backOffMs(attempt, () => chance);
        return ms >= whole / 2 && ms <= whole;
      }),
    );
    expect(backOffMs(0, () => 0)).toBe(125);
    expect(backOffMs(100, () => 0)).toBe(2500);
  });

  it('differs from one time to the next', () => {
    expect(new Set(Array.from({ length: 20 }, () => backOffMs(3))).size).toBeGreaterThan(1);
  });
});

describe('persisting', () => {
  const signal = new AbortController().signal;
  const uncertain = new WorkbenchError('docker-unreachable', 'no answer');

  it('repeats what got no answer and tells of it', async () => {
    const troubles: string[] = [];
    let tries = 0;
    const value = await persist({ signal, onTrouble: (text) => troubles.push(text) }, () => {
      tries += 1;
      return tries < 3 ? Promise.reject(uncertain) : Promise.resolve('done');
    });
    expect([value, tries, troubles]).toEqual(['done', 3, ['no answer', 'no answer']]);
  });

  it('takes a refusal for an answer', async () => {
    let tries = 0;
    const refusal = new WorkbenchError('image-missing', 'no such image');
    const work = () => {
      tries += 1;
      return Promise.reject(refusal);
    };
    expect(await rejection(persist({ signal }, work))).toBe(refusal);
    expect(tries).toBe(1);
  });

  it('ends when its patience is over, and when it is cancelled', async () => {
    expect(await rejection(persist({ signal, patienceMs: -1 }, () => Promise.reject(uncertain)))).toBe(
      uncertain,
    );
    const cancelled = new AbortController();
    const failing = persist({ signal: cancelled.signal }, () => {
      cancelled.abort();
      return Promise.reject(uncertain);
    });
    expect(await rejection(failing)).toBe(uncertain);
    const late = persist({ signal: cancelled.signal }, () => Promise.resolve(1));
    expect((await rejection(late)).code).toBe('cancelled');
  });
});
