import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SequenceSettings } from '../../../../../main/contract/run/run-spec';
import { SequencePlan } from '../../../../../main/perf/native/requests/sequence-plan';

const settings = (change: Partial<SequenceSettings> = {}): SequenceSettings => ({
  length: 4,
  lengthVariation: 0,
  concurrent: 4,
  firstId: 1,
  ...change,
});

describe('sequences', () => {
  it('follow one another in a slot, each with its own id from start to end', () => {
    const plan = new SequencePlan(settings({ length: 3 }), 1);
    expect(Array.from({ length: 6 }, () => plan.next(0))).toEqual([
      { id: 1, start: true, end: false, step: 0, first: 0 },
      { id: 1, start: false, end: false, step: 1, first: 0 },
      { id: 1, start: false, end: true, step: 2, first: 0 },
      { id: 2, start: true, end: false, step: 0, first: 0 },
      { id: 2, start: false, end: false, step: 1, first: 0 },
      { id: 2, start: false, end: true, step: 2, first: 0 },
    ]);
    expect(plan.ended).toBe(2);
  });

  it('are the streams of the input data, whole, each now and then', () => {
    const streams = [
      { first: 0, length: 2 },
      { first: 2, length: 1 },
      { first: 3, length: 4 },
    ];
    const plan = new SequencePlan(settings(), 1, streams);
    const seen = new Set<number>();
    for (let sequence = 0; sequence < 60; sequence += 1) {
      const { first, start } = plan.next(0);
      expect(start).toBe(true);
      const length = streams.find((stream) => stream.first === first)?.length ?? 0;
      for (let step = 1; step < length; step += 1) expect(plan.next(0)).toMatchObject({ first, step });
      expect(plan.ended).toBe(sequence + 1);
      seen.add(first);
    }
    expect([...seen].sort()).toEqual([0, 2, 3]);
  });

  it('of one request start and end with it', () => {
    const plan = new SequencePlan(settings({ length: 1 }), 1);
    expect(plan.next(0)).toEqual({ id: 1, start: true, end: true, step: 0, first: 0 });
    expect(plan.next(0)).toEqual({ id: 2, start: true, end: true, step: 0, first: 0 });
  });

  it('have lengths within the variation, and all of them', () => {
    const plan = new SequencePlan(settings({ length: 10, lengthVariation: 20 }), 1);
    const lengths = new Set<number>();
    for (let sequence = 0; sequence < 300; sequence += 1) {
      let length = 1;
      while (!plan.next(0).end) length += 1;
      lengths.add(length);
    }
    expect([...lengths].sort((a, b) => a - b)).toEqual([8, 9, 10, 11, 12]);
  });

  it('that are open never share an id, whatever happens, and keep their order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 0, max: 3 }),
        fc.array(fc.tuple(fc.nat(4), fc.constantFrom('next', 'failed', 'close')), { maxLength: 300 }),
        (slots, spare, events) => {
          const plan = new SequencePlan(
            settings({ length: 3, lengthVariation: 100, firstId: 7, endId: 7 + slots + spare }),
            slots,
          );
          // By id: the slot whose sequence it is, and how many of its requests have gone out.
          const open = new Map<number, { slot: number; step: number }>();
          const drop = (slot: number) => {
            for (const [id, entry] of open) if (entry.slot === slot) open.delete(id);
          };
          for (const [at, event] of events) {
            const slot = at % slots;
            if (event === 'failed') {
              plan.failed(slot);
              drop(slot);
            } else if (event === 'close') {
              plan.close(slot);
            } else {
              const place = plan.next(slot);
              expect(place.id).toBeGreaterThanOrEqual(7);
              expect(place.id).toBeLessThan(7 + slots + spare);
              if (place.start) {
                drop(slot);
                expect(open.has(place.id)).toBe(false);
                open.set(place.id, { slot, step: 0 });
              }
              const known = open.get(place.id);
              expect(known).toMatchObject({ slot, step: place.step });
              // Ended ones stay: their last answer may still be on its way.
              if (known !== undefined) known.step += 1;
            }
          }
        },
      ),
    );
  });

  it('are ended where nothing more is to be sent, and only those that are open', () => {
    const plan = new SequencePlan(settings(), 2);
    expect(plan.close(0)).toBe(false);
    plan.next(0);
    expect(plan.close(0)).toBe(true);
    expect(plan.next(0)).toEqual({ id: 1, start: false, end: true, step: 1, first: 0 });
    expect(plan.close(0)).toBe(false);
  });

  it('need as many ids as there are slots', () => {
    expect(() => new SequencePlan(settings({ firstId: 1, endId: 4 }), 4)).toThrow(/4 concurrent sequences/);
    expect(() => new SequencePlan(settings({ firstId: 1, endId: 5 }), 4)).not.toThrow();
  });
});
