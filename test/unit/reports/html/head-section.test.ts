import { expect, it } from 'vitest';
import type { RunState } from '../../../../main/contract/run/run-state';
import { html } from '../../../../main/reports/html.exporter';
import { toReport } from '../../../../main/reports/to-report';
import { coldState } from '../../../support/cold-state';
import { reportKinds } from '../../../support/report-kinds';

const pageOf = (state: RunState): string =>
  html.render({ state, report: toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z' }) }).content;

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
  const [first = '', record = ''] = pageOf(coldState()).split('<div class="record">');
  const key = 'Thin bars: 95 % interval of throughput and p99';
  expect(first).toContain('Latency by concurrency');
  expect(first).toContain(key);
  // The other scenario has its charts in its own section.
  expect(record.split(key)).toHaveLength(2);
});
