import { expect, it } from 'vitest';
import type { RunState } from '../../../../main/contract/run/run-state';
import { html } from '../../../../main/reports/html.exporter';
import { toReport } from '../../../../main/reports/to-report';
import { reportKinds } from '../../../support/report-kinds';
import { slicedState } from '../../../support/sliced-state';

const pageOf = (state: RunState): string =>
  html.render({ state, report: toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z' }) }).content;

/** The table below a heading. */
const tableOf = (page: string, title: string, last = false): string => {
  const from = last ? page.lastIndexOf(`<h3>${title}</h3>`) : page.indexOf(`<h3>${title}</h3>`);
  expect(from).toBeGreaterThan(0);
  return page.slice(from, page.indexOf('</table>', from));
};

it('names the load of a level alike in every table', () => {
  const page = pageOf(reportKinds.unsteady());
  for (const title of ['Sampling and stability', 'Intervals, ± 95 %', 'Checks of responses', 'GPUs']) {
    expect(tableOf(page, title, true)).toContain('<th class="n">Conc.</th>');
  }
  expect(page).not.toContain('<th class="n">Load</th>');
});

it('breaks the state of a level between marks only', () => {
  const text = tableOf(pageOf(reportKinds.unsteady()), 'Sampling and stability');
  expect(text).toContain(
    '<span class="unbroken">○ not steady,</span> <span class="unbroken">client-limited</span>',
  );
});

it('has a page of time slices at most, those of the level of the answer, and says where all are', () => {
  const page = pageOf(slicedState());
  const rows = tableOf(page, 'Time slices').match(/<tr><td/g) ?? [];
  expect(rows).toHaveLength(40);
  // The answer is concurrency 64.
  expect(tableOf(page, 'Time slices').match(/<td class="n">64<\/td>/g)).toHaveLength(40);
  expect(page).toContain('time-slices.csv has all 240 slices, of 6 levels.');
});

it('shortens the id of a GPU, and has the whole in the environment', () => {
  const uuid = 'GPU-5fd4f087-86f3-7a43-b711-4771313afc50';
  const text = JSON.stringify(reportKinds.unsteady()).replaceAll('GPU-1', uuid);
  const page = pageOf(JSON.parse(text) as RunState);
  expect(tableOf(page, 'GPUs')).toContain('>GPU-5fd4f087…</td>');
  expect(page).toContain(`driver 575.57.08, ${uuid}`);
});
