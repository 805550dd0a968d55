import { expect, it } from 'vitest';
import type { RunState } from '../../../../main/contract/run/run-state';
import { html } from '../../../../main/reports/html.exporter';
import { defaultReportSettings } from '../../../../main/reports/report-settings';
import { toReport } from '../../../../main/reports/to-report';
import { coldState } from '../../../support/cold-state';
import { reportKinds } from '../../../support/report-kinds';
import { completeState } from '../../../support/run-state';

const pageOf = (state: RunState, settings = defaultReportSettings): string => {
  const report = toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z', settings });
  return html.render({ state, report }).content;
};
const firstOf = (page: string): string => page.split('<div class="record">')[0] ?? '';

const heading = '<h2>Problems and warnings</h2>';

it('does not repeat problems that the first page has in full', () => {
  const failed = reportKinds.failed();
  // Its log has more lines than fit there.
  expect(pageOf(failed)).toContain(heading);
  const text = JSON.stringify(failed).replaceAll(/"details":"(?:[^"\\]|\\.)*"/g, '"details":"no such file"');
  const short = pageOf(JSON.parse(text) as RunState);
  expect(short).toContain('no such file');
  expect(short).not.toContain(heading);
  expect(pageOf(reportKinds.unsteady())).toContain(heading);
});

it('explains the bars of intervals where they are drawn', () => {
  const page = pageOf(coldState());
  const [first, record] = [firstOf(page), page.slice(firstOf(page).length)];
  const key = 'Thin bars: 95 % interval of throughput and p99';
  expect(first).toContain('Latency by concurrency');
  expect(first).toContain(key);
  // The other scenario has its charts in its own section.
  expect(record.split(key)).toHaveLength(2);
});

it('has the charts of the best scenario on the first page where its lines leave room for them', () => {
  const logo = { name: 'logo.png', kind: 'png', base64: 'AAAA' } as const;
  const notes = 'Measured on the engineer’s machine; the rack has the same GPU.';
  const settings = { ...defaultReportSettings, logo, notes, customer: 'ACME Works', author: 'Jane Doe' };
  expect(firstOf(pageOf(completeState(), settings))).toContain('>Throughput by concurrency<');
  // More doubts and a third badge.
  const unsteady = reportKinds.unsteady();
  expect(firstOf(pageOf(unsteady))).toContain('>Throughput by ');
  expect(firstOf(pageOf(unsteady, settings))).not.toContain('>Throughput by ');
  expect(pageOf(unsteady, settings)).toContain('>Throughput by concurrency<');
});
