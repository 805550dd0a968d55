import { describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import { bestOfRuns, differentModelsText } from '../../../../main/domain/measured/best-of-runs';
import { compareRuns } from '../../../../main/domain/measured/compare-levels';
import { comparisonSentence } from '../../../../main/domain/measured/comparison-gate';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';

const stateWith = (spec: Parameters<typeof createdBodies>[0], ...points: readonly Partial<LoadPoint>[]) =>
  stateOf([
    ...createdBodies(spec),
    ...points.map((point) =>
      measurementBody('offline', pointFixture({ p99Us: 5000, throughputIntervalIps: 10, ...point })),
    ),
    { type: 'run-finished', outcome: 'done' },
  ]);

const runOf = (name: string, ...points: readonly Partial<LoadPoint>[]) => ({
  name,
  state: stateWith(specFixture(), ...points),
});

const unsteady = { stable: false, flags: ['unstable'] } as const satisfies Partial<LoadPoint>;

describe('the best of several runs', () => {
  const fast = runOf('fast', { inferencesPerSecond: 900, p99Us: 30_000 });
  const quick = runOf('quick', { inferencesPerSecond: 400, p99Us: 15_000 });
  const shaky = runOf('shaky', { inferencesPerSecond: 800, p99Us: 9000, ...unsteady });
  const empty = runOf('empty');

  it('is faster than the others beyond the noise of both', () => {
    expect(bestOfRuns([fast, quick], null)).toMatchObject({ index: 0, isClear: true });
    expect(bestOfRuns([fast, quick], null).sentence).toMatch(
      /^Best of 2 runs: fast, 900\.0 .*inferences\/s at p99 30\.00 .*; faster than quick \(400\.0 ± 10\.0 inferences\/s\) beyond noise\.$/,
    );
    expect(bestOfRuns([fast, quick, empty], 20)).toMatchObject({ index: 1, isClear: true });
  });

  it('is no clear one within noise: the sentence agrees with that of the levels', () => {
    const near = runOf('near', { inferencesPerSecond: 880, throughputIntervalIps: 200 });
    const { index, isClear, sentence } = bestOfRuns([fast, near], null);
    expect([index, isClear]).toEqual([0, false]);
    expect(sentence).toMatch(/^No clear best of 2 runs: fast has 900\.0/);
    expect(sentence).toMatch(/, but near \(880\.0 ± 200\.0 inferences\/s\) does not differ beyond noise\.$/);
    const [compared] = compareRuns(fast.state, near.state);
    const figures = (compared?.pairs ?? []).flatMap(({ second }) => second ?? []);
    expect(comparisonSentence('near', 'fast', figures)).toContain('throughput does not differ beyond noise');
  });

  it('counts a level of another run that is not steady, and noise that is not known', () => {
    expect(bestOfRuns([quick, shaky], null).sentence).toMatch(
      /^No clear best of 2 runs: quick has 400.*, but shaky has a faster level that is not steady \(800\.0 ± 10\.0 inferences\/s\)\.$/,
    );
    const unknown = pointFixture({ inferencesPerSecond: 100, throughputIntervalIps: null });
    const imported = {
      name: 'imported',
      state: stateOf([...createdBodies(), measurementBody('offline', unknown)]),
    };
    expect(bestOfRuns([quick, imported], null).sentence).toContain(
      'but the noise between it and imported (100.0 inferences/s) is unknown.',
    );
  });

  it('is none where no level is steady, or within the budget', () => {
    expect(bestOfRuns([shaky, shaky], null).sentence).toMatch(
      /^No best of 2 runs: no level is steady; the fastest is of shaky, 800/,
    );
    expect(bestOfRuns([fast, shaky], 20).sentence).toBe(
      'None of the 2 runs has a steady level with a p99 within 20 ms. 1 has a level within it that is not steady or has errors.',
    );
    expect(bestOfRuns([empty], null).index).toBeNull();
  });

  it('says that the runs are of different models, or of different sizes of one', () => {
    const bert = stateWith(
      specFixture((spec) => {
        spec.model.preset = 'bert';
      }),
      { inferencesPerSecond: 100 },
    );
    const wide = stateWith(
      specFixture((spec) => {
        spec.model.args = { classes: '10', width: '128' };
        spec.model.profile = 'full';
      }),
    );
    expect(bestOfRuns([fast, { name: 'bert', state: bert }], null).sentence).toMatch(
      /^Fastest of 2 runs of different models \(resnet50 and bert\): fast, 900/,
    );
    const tft = stateWith(
      specFixture((spec) => {
        spec.model.preset = 'tft';
      }),
    );
    expect(differentModelsText([fast.state, bert, tft])).toContain(
      'different models (resnet50, bert and tft)',
    );
    expect(differentModelsText([fast.state, wide])).toContain('different sizes of resnet50 (quick and full)');
    expect(differentModelsText([fast.state, quick.state])).toBeNull();
  });
});
