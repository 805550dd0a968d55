import { batchSize, loadOf, p99, throughput } from '../../contract/columns';
import type { ReportPublished, ReportPublishedRow } from '../report';
import { headings } from './detail-table';
import type { Markup } from './markup';
import { markup } from './markup';

const row = (level: ReportPublishedRow): Markup => markup`
<tr><td class="n">${level.batchSize}</td><td class="n">${level.concurrency}</td><td class="n soft">${level.published}</td><td class="n soft">${level.publishedP99}</td><td class="n">${level.measured}</td><td class="n">${level.measuredP99}</td><td class="n">${level.ratio}</td></tr>`;

const table = (label: string, { title, rows }: ReportPublished['scenarios'][number]): Markup => markup`
<h3>${title}</h3>
<table class="fixed"><thead>
<tr><th colspan="2"></th><th class="n" colspan="2">${label}</th><th class="n" colspan="3">measured by this run</th></tr>
<tr>${headings([batchSize, loadOf('concurrency'), throughput, p99, throughput, p99])}<th class="n">of published</th></tr>
</thead><tbody>${rows.map(row)}
</tbody></table>`;

/** What was published of a chosen GPU, beside what was measured; each column says which it is. */
export function publishedSection(published: ReportPublished | null): Markup | null {
  if (published === null) return null;
  const { label, lead, source, note, scenarios } = published;
  return markup`<section class="published">
<h2>Published figures</h2>
<p class="lead">${lead}</p>
${label === null ? null : scenarios.map((scenario) => table(label, scenario))}
<p class="key">Source: ${source}. ${note}</p>
</section>`;
}
