import { expect, it } from 'vitest';
import { csvTraces } from '../../../main/reports/csv.exporter';
import { toReport } from '../../../main/reports/to-report';
import { parseCsv } from '../../support/parse-csv';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../support/run-state';

const context = { generatedAt: '2025-11-21T08:30:00.000Z' };

it('has a row per part of the traced requests, and no file without any', () => {
  const body = measurementBody('online', pointFixture({ concurrency: 4 }));
  const key = body.type === 'measurement' ? body.key : '';
  const slow = {
    ...{ model: 'whole', protocol: 'http' as const, requests: 100, incomplete: 0, medianCount: 20 },
    ...{ slowCount: 5, medianUs: 2000, slowUs: 8000, slowest: [] },
    parts: [
      { model: null, phase: 'queue' as const, medianUs: 1000, slowUs: 1000 },
      { model: 'resize', phase: 'infer' as const, medianUs: 1000, slowUs: 7000 },
    ],
  };
  const state = stateOf([
    ...createdBodies(),
    body,
    { type: 'trace', scenario: 'online', key, event: { kind: 'traced', slow: [slow] } },
  ]);
  const report = toReport(state, context);
  const [header, ...rows] = parseCsv(csvTraces.render({ state, report }).content);
  expect(header).toContain('Phase');
  const level = 'Online, batch size 1, concurrency 4';
  expect(rows).toEqual([
    [level, 'whole', '', 'queue', '100', '5', '1000', '1000'],
    [level, 'whole', 'resize', 'infer', '100', '5', '1000', '7000'],
  ]);
  const plain = stateOf([...createdBodies(), body]);
  expect(csvTraces.applies?.(toReport(plain, context))).toBe(false);
});
