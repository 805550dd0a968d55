import type { ReportLevel, ReportScenario } from '../report';
import { histogramPicture } from './histogram-picture';
import type { Markup } from './markup';
import { markup } from './markup';

/** The words of its state; what they mean is told once, under the table. */
function stateOf(row: ReportLevel): Markup {
  if (row.marks.length === 0) return markup`<span class="tick yes">● steady</span>`;
  const words = row.marks.join(', ');
  return row.steady
    ? markup`<span class="tick yes">● steady</span>, ${words}`
    : markup`<span class="tick unsure">○ ${words}</span>`;
}

const samplingRow = (row: ReportLevel): Markup => {
  const { sampling } = row;
  return markup`
<tr><td class="n">${row.batchSize}</td><td class="n">${row.loadText}</td><td class="n">${sampling.requests}</td><td class="n">${sampling.errors}</td><td class="n">${sampling.windows}</td><td class="n">${sampling.interval}</td><td class="n">${sampling.meanServerBatch}</td><td class="n">${sampling.elapsed}</td><td class="n">${sampling.clientCpu}</td><td>${histogramPicture(row.point)}</td><td>${stateOf(row)}</td></tr>`;
};

/** How well each measured level is founded; null where nothing was measured. */
export function samplingTable({ rows }: ReportScenario, loadHeading: string): Markup | null {
  const measured = rows.filter(({ point }) => point !== null);
  if (measured.length === 0) return null;
  const reasons = [...new Set(measured.flatMap((row) => row.reasons))];
  return markup`<h3>Sampling and stability</h3>
<table class="fixed sampling"><thead><tr><th class="n">Batch</th><th class="n">${loadHeading}</th><th class="n">Requests</th><th class="n">Errors</th><th class="n">Windows</th><th class="n">± 95 %, inf./s</th><th class="n">Mean server batch</th><th class="n">Time spent</th><th class="n">Client CPU, cores</th><th>Latencies, log axis</th><th>State</th></tr></thead>
<tbody>${measured.map(samplingRow)}
</tbody></table>
${reasons.length === 0 ? null : markup`<p class="key reasons">${reasons.map((reason, index) => (index === 0 ? reason : ` ${reason}`))}</p>`}`;
}
