import type { Report, ReportProblem } from '../report';
import { shownDoubts } from './doubts-box';
import type { Markup } from './markup';
import { markup } from './markup';

const problem = ({ tone, title, text, remedy, details }: ReportProblem): Markup => markup`
<div class="problem ${tone}"><p><strong>${title}</strong> <bdi>${text}</bdi></p>${
  remedy === null ? null : markup`<p>${remedy}</p>`
}${details === null ? null : markup`<pre>${details}</pre>`}</div>`;

/** Everything that went wrong or should be known, in full; null for a run without any of it. */
export function problemsSection({ problems, summary }: Report): Markup | null {
  const further = summary.doubts.slice(shownDoubts);
  if (problems.length + further.length === 0) return null;
  return markup`<section>
<h2>Problems and warnings</h2>
${problems.map(problem)}
${further.length === 0 ? null : markup`<h3>What is also doubtful</h3><ul>${further.map((doubt) => markup`<li>${doubt}</li>`)}</ul>`}
</section>`;
}
