import { expect, it } from 'vitest';
import {
  chartFactor,
  modelColumns,
  modelFields,
  tableHeading,
} from '../../../../main/contract/monitor/model-columns';
import { model } from '../../monitor/fixtures';

it('each column has the name of its field, which is its heading in CSV files', () => {
  expect(modelFields.map((field) => modelColumns[field].id)).toEqual(modelFields);
  expect(modelFields.map((field) => modelColumns[field].heading)).toEqual([
    ...['requestsPerSecond', 'inferencesPerSecond', 'errorShare', 'queueUs', 'computeInputUs'],
    ...['computeInferUs', 'computeOutputUs', 'batch', 'cacheHitShare', 'pending'],
    ...['probeP50Us', 'probeP95Us', 'probeP99Us', 'probeWorstUs'],
  ]);
});

it('reads every figure of its own place, and none of a model without figures', () => {
  const rates = {
    ...{ requestsPerSecond: 1, inferencesPerSecond: 2, errorShare: 3, queueUs: 4, computeInputUs: 5 },
    ...{ computeInferUs: 6, computeOutputUs: 7, batch: 8, cacheHitShare: 9 },
  };
  const probe = {
    ...{ count: 0, failures: 0, p50Us: 11, p95Us: 12, p99Us: 13, sendP99Us: 0, worstUs: 14 },
  };
  const valuesOf = (of: ReturnType<typeof model>) => modelFields.map((field) => modelColumns[field].read(of));
  expect(valuesOf(model({ rates, pending: 10, probe }))).toEqual(modelFields.map((_field, at) => at + 1));
  expect(
    valuesOf(model({ rates: null, pending: null, probe: null })).filter(
      (value) => value !== null && value !== undefined,
    ),
  ).toEqual([]);
});

it('says the unit of times in headings, and draws every figure in the unit that it says', () => {
  expect(tableHeading(modelColumns.probeP99Us)).toBe('Probe p99 (ms)');
  expect(tableHeading(modelColumns.requestsPerSecond)).toBe('Requests/s');
  expect(chartFactor(modelColumns.queueUs) * 2500).toBe(2.5);
  expect(chartFactor(modelColumns.errorShare) * 0.5).toBe(50);
  expect(chartFactor(modelColumns.batch)).toBe(1);
});
