import { expect, it } from 'vitest';
import { reportParameters } from '../../../main/reports/parameters';
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
