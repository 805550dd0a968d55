import { describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import { diffSpecs } from '../../../../main/domain/comparison/diff-specs';
import { runNames } from '../../../../main/domain/comparison/run-names';
import { shownScenario } from '../../../../main/domain/measured/repeats';
import { chartThemes } from '../../../../renderer/charts/chart-theme';
import { throughputChart } from '../../../../renderer/charts/latency-chart';
import { pointText } from '../../../../renderer/charts/sweep-series';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';

const spec = specFixture(({ performance }) => {
  performance.repeats = 3;
  performance.concurrency = [4];
});
const measured = (inferencesPerSecond: number, repeat: number) => ({
  ...measurementBody('online', pointFixture({ concurrency: 4, inferencesPerSecond, repeat })),
  key: String(repeat),
});
const state = stateOf([...createdBodies(spec), measured(100, 1), measured(130, 2), measured(110, 3)]);

describe('a repeated level in a chart', () => {
  it('is its median with a bar from the smallest to the largest', () => {
    const chart = throughputChart({
      scenario: 'online',
      state: shownScenario(state, 'online'),
      planned: [4],
      level: null,
      budgetMs: null,
      theme: chartThemes.light,
    });
    const [trace] = chart.data;
    expect(trace?.y[0]).toBe(110);
    expect(trace?.error_y).toMatchObject({ symmetric: false, array: [20], arrayminus: [10] });
  });

  it('says how often it was measured', () => {
    const point = shownScenario(state, 'online').points[0]?.point ?? pointFixture();
    expect(pointText(point)).toContain('median of 3 repeats: 100.0–130.0 inferences/s');
  });

  it('has no bar where a column is not known', () => {
    const unknown: LoadPoint = pointFixture({ avgUs: null });
    expect(pointText(unknown)).toContain('avg –');
  });
});

describe('an imported run beside others', () => {
  const [created] = createdBodies();
  if (created?.type !== 'run-created') throw new Error('The fixture begins with run-created');
  const source = {
    kind: 'perf-analyzer-csv' as const,
    fileName: 'results.csv',
    sha256: 'a'.repeat(64),
    sizeBytes: 10,
    notes: [],
  };
  const imported = stateOf([{ ...created, imported: source }]);

  it('is named after its file, and has no steps', () => {
    expect(
      runNames(
        [imported, state],
        (preset) => preset,
        (iso) => iso,
      )[0],
    ).toBe('resnet50, imported from results.csv');
    expect(imported.steps).toEqual([]);
  });

  it('has no parameters to differ in', () => {
    expect(diffSpecs([specFixture(), null])).toEqual([]);
    const other = specFixture((spec) => {
      spec.precision = 'fp32';
    });
    expect(diffSpecs([specFixture(), null, other])).toEqual([
      { field: 'precision', values: ['FP16', null, 'FP32'] },
    ]);
  });
});
