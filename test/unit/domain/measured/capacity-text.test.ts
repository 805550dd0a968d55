import { describe, expect, it } from 'vitest';
import { capacityDocumentSchema } from '../../../../main/contract/measured/capacity-document';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import type { RunState } from '../../../../main/contract/run/run-state';
import { type Capacity, capacityOf, isCapacity } from '../../../../main/domain/measured/capacity';
import {
  capacityDocument,
  capacityFacts,
  capacityLines,
  capacityNotes,
  capacityText,
} from '../../../../main/domain/measured/capacity-text';
import { ratePoint } from '../../../support/rate-run';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  preparationBodies,
  readingsFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';

const ask = { rate: 5000, p99Ms: 20, headroom: 0.3, spare: 1, pricePerHour: 2.5 };

const runOf = (...points: readonly LoadPoint[]): RunState =>
  stateOf([
    ...createdBodies(
      specFixture((value) => {
        value.engine = { kind: 'docker', gpus: ['GPU-a'], shmSizeMiB: 1024 } as typeof value.engine;
      }),
    ),
    ...preparationBodies(),
    ...points.map((point, index) => ({ ...measurementBody('online', point), key: `level-${index}` })),
  ]);

const closed = (concurrency: number, rate: number, p99Ms: number, change: Partial<LoadPoint> = {}) =>
  pointFixture({ concurrency, inferencesPerSecond: rate, p99Us: p99Ms * 1000, ...change });

function planned(state: RunState, change: Partial<typeof ask> = {}): Capacity {
  const found = capacityOf(state, { ...ask, ...change });
  if (isCapacity(found)) return found;
  throw new Error(found.text);
}

const factsOf = (state: RunState): Readonly<Record<string, string>> =>
  Object.fromEntries(capacityFacts(state, planned(state)));

describe('capacityText', () => {
  it('is one sentence, and says of a closed level what it is', () => {
    const state = runOf(closed(4, 2170, 18), closed(8, 2600, 31));
    expect(capacityText(planned(state))).toBe(
      '4 replicas on 4 GPUs hold 5,000 inferences/s within a p99 of 20 ms, with 30 % headroom and one spare. Measured in a closed loop; only an open-loop measurement supports a promise.',
    );
    expect(capacityText(planned(state, { rate: 1, headroom: 0, spare: 0 }))).toMatch(
      /^1 replica on 1 GPU holds 1 inferences\/s within a p99 of 20 ms, with 0 % headroom and no spare\./,
    );
  });

  it('says nothing of the kind of an open one', () => {
    const state = runOf(ratePoint(2000, { scheduled: undefined, requestDistribution: 'poisson' }));
    expect(capacityText(planned(state))).not.toContain('closed');
  });
});

describe('capacityNotes', () => {
  const notesOf = (...points: readonly LoadPoint[]) => capacityNotes(planned(runOf(...points))).join('\n');

  it('has what limits the answer, and nothing where nothing does', () => {
    expect(notesOf(closed(4, 2000, 18))).toBe('');
    expect(notesOf(closed(2, 1000, 25), closed(4, 2000, 18))).toBe(
      'A lower load misses the target: p99 25.00 ms (online, batch size 1, concurrency 2).',
    );
    expect(notesOf(closed(4, 2000, 18, { requestCount: 102 }))).toContain(
      'p99 is based on only 102 requests',
    );
    expect(notesOf(closed(4, 2000, 18, { errorCount: 5, requestCount: 995 }))).toContain(
      'At this level, 5 of 1,000 requests failed (0.5 %).',
    );
    expect(notesOf(closed(4, 2000, 18, { batchSize: 8 }))).toContain('Each request has 8 inferences.');
  });

  it('names constant intervals, and a p99 without a schedule', () => {
    const { scheduled, ...unscheduled } = ratePoint(2000);
    if (scheduled === undefined) throw new Error('The fixture has a schedule');
    expect(notesOf(unscheduled)).toContain('keeps no schedule');
    expect(notesOf(unscheduled)).toContain('constant intervals');
    expect(
      notesOf(ratePoint(2000, { requestDistribution: 'poisson', scheduled: { ...scheduled, p99Us: 1 } })),
    ).toBe('');
  });
});

describe('capacityFacts', () => {
  it('is the record behind the answer, with cost and power where they are known', () => {
    const facts = factsOf(
      runOf(closed(4, 2000, 18, { gpus: readingsFixture(['GPU-a'], 0.5) }), closed(8, 2600, 31)),
    );
    expect(facts).toMatchObject({
      'Next higher load': 'misses the target: p99 31.00 ms (online, batch size 1, concurrency 8)',
      Replicas: '4 for the rate with headroom, one spare',
      GPUs: '5, 1 per replica',
      'Each replica at the asked rate': '1,000 inferences/s, 50 % of what it holds',
      'Cost per month (730 h)': '9,125.00',
      'Cost per million inferences': '0.694 at the asked rate, 0.347 at full use',
      'Energy per inference': '0.075 J at full use, GPUs only',
      'GPU memory in use': '8.0 GiB of 24.0 GiB, other programs included',
      'Servers that fit on a GPU by memory': '3; they would share its compute',
      'Model file': 'model.onnx, 2.7 MiB',
      'Memory of context, weights and one instance': 'not measured',
    });
    expect(facts['One replica holds']).toMatch(
      /^2,000 inferences\/s at p99 18\.00 ms \(online, batch size 1/,
    );
  });

  it('says what was not measured', () => {
    const facts = factsOf(runOf(closed(4, 2000, 18)));
    expect(facts).toMatchObject({
      'Next higher load': 'not measured: a replica may hold more',
      'Energy per inference': 'not measured: no GPU power was read',
    });
    expect(Object.keys(facts)).not.toContain('Servers that fit on a GPU by memory');
  });
});

describe('capacityLines', () => {
  it('is the answer, its notes and the record, a line each', () => {
    const state = { ...runOf(closed(4, 2000, 18)), name: 'nightly' };
    const lines = capacityLines(state, planned(state));
    expect(lines[0]).toBe(capacityText(planned(state)));
    expect(lines).toContain('GPUs: 5, 1 per replica');
    expect(lines.at(-1)).toBe(`Run: nightly (${state.runId})`);
  });
});

describe('capacityDocument', () => {
  it.each([
    ['an answer', runOf(closed(4, 2000, 18, { gpus: readingsFixture(['GPU-a'], 0.5) }), closed(8, 2600, 31))],
    ['none', runOf(closed(8, 2600, 31))],
  ])('is as its schema says, with %s', (_what, state) => {
    const document = capacityDocument(state, ask, capacityOf(state, ask));
    expect(capacityDocumentSchema.strict().parse(document)).toEqual(document);
  });

  it('has the levels that decide, each with whether it holds', () => {
    const state = runOf(closed(8, 2600, 31), closed(4, 2000, 18));
    const { curve, next, replica } = capacityDocument(state, ask, capacityOf(state, ask));
    expect(curve.map(({ concurrency, holds }) => [concurrency, holds])).toEqual([
      [4, true],
      [8, false],
    ]);
    expect(next).toMatchObject({ concurrency: 8, reason: 'p99 31.00 ms' });
    expect(replica).toMatchObject({ inferencesPerSecond: 2000, open: false, gpus: 1 });
  });
});
