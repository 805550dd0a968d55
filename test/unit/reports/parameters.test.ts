import { expect, it } from 'vitest';
import { reportParameters } from '../../../main/reports/parameters';
import { reportNotes } from '../../../main/reports/problems';
import { specFixture } from '../../support/run-state';

it('shows every digit of a whole number in a list, and three of any other', () => {
  const spec = specFixture(({ performance }) => {
    performance.batchSizes = [1, 1024];
    performance.requestRates = [1500.5, 12_345];
  });
  const rows = reportParameters(spec, null).flatMap((group) => group.rows);
  const valueOf = (field: string) => rows.find((row) => row.field === field)?.value;
  expect(valueOf('performance.batchSizes')).toBe('1, 1,024');
  expect(valueOf('performance.requestRates')).toMatch(/^1,50\d, 12,345/);
});

it('says of levels of so many requests that there is no warm-up, and which fields they do not use', () => {
  const spec = specFixture(({ performance }) => {
    Object.assign(performance, { requestCount: 20, warmupMs: 0 });
  });
  const rows = reportParameters(spec, null).flatMap((group) => group.rows);
  const valueOf = (name: string) => rows.find((row) => row.field === `performance.${name}`)?.value;
  expect([valueOf('requestCount'), valueOf('warmupMs')]).toEqual(['20', 'none']);
  for (const name of ['measurementIntervalMs', 'stabilityPercentage', 'maxTrials'])
    expect(valueOf(name), name).toBe('not used');
  const said = reportNotes(spec.performance).find(({ name }) => name === 'Steady levels')?.value;
  expect(said).toMatch(
    /^A level is measured by exactly 20 requests, without a warm-up\. Its stability is not judged/,
  );
});
