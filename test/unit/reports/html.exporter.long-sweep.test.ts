import { describe, expect, it } from 'vitest';
import { loadCsv } from '../../../main/reports/csv';
import { html } from '../../../main/reports/html.exporter';
import { toReport } from '../../../main/reports/to-report';
import { createdBodies, measurementBody, pointFixture, specFixture, stateOf } from '../../support/run-state';

/** The fastest level lies between those at even distances. */
const fastest = 1234;

function sweepOf(count: number) {
  const concurrency = Array.from({ length: count }, (_unused, index) => index + 1);
  const spec = specFixture((value) => {
    value.performance.concurrency = concurrency;
  });
  return stateOf([
    ...createdBodies(spec),
    ...concurrency.map((load) =>
      measurementBody(
        'online',
        pointFixture({ concurrency: load, inferencesPerSecond: load === fastest ? 7777 : 100 + load / 10 }),
      ),
    ),
    { type: 'run-finished', outcome: 'done' },
  ]);
}

describe('the report of a long sweep', () => {
  it('shows some hundred levels with the fastest, says so, and leaves all to the CSV', () => {
    const state = sweepOf(2000);
    const report = toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z' });
    const page = html.render({ state, report }).content;
    const rows = [...page.matchAll(/<tr class="steady">/g)].length;
    expect(rows).toBeGreaterThan(200);
    expect(rows).toBeLessThan(310);
    expect(page).toContain(`This report shows ${rows} of 2,000 levels`);
    expect(page).toContain('<td class="n peak">7,777</td>');
    const online = report.scenarios.find(({ id }) => id === 'online');
    if (online === undefined) throw new Error('The report has the scenario');
    expect(loadCsv(online, report.verification).trim().split('\n')).toHaveLength(2001);
  });

  it('shows every level of a usual one', () => {
    const state = sweepOf(40);
    const report = toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z' });
    const page = html.render({ state, report }).content;
    expect([...page.matchAll(/<tr class="steady">/g)]).toHaveLength(40);
    expect(page).not.toContain('This report shows');
  });
});
