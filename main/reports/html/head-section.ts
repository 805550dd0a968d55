import type { KeyFigure, Report, ReportProblem } from '../report';
import type { Markup } from './markup';
import { markup } from './markup';

const figure = ({ label, value, unit, note }: KeyFigure): Markup => markup`
<div><dt>${label}</dt><dd class="value">${value}${unit === '' ? null : markup` <span class="unit">${unit}</span>`}</dd><dd class="note">${note}</dd></div>`;

const problem = ({ tone, title, text, remedy, details }: ReportProblem): Markup => markup`
<div class="problem ${tone}"><p><strong>${title}</strong> <bdi>${text}</bdi></p>${
  remedy === null ? null : markup`<p>${remedy}</p>`
}${details === null ? null : markup`<pre>${details}</pre>`}</div>`;

/** Title, badges, verdict, key figures, and whatever went wrong. */
export function headSection(report: Report): Markup {
  const { verification } = report;
  return markup`<header>
<div class="top"><p class="eyebrow">Triton Workbench · deployment report</p>
<div class="badges"><span class="badge ${report.status.tone}">${report.status.label}</span><span class="badge ${
    verification.verified ? 'good' : 'bad'
  }" title="${verification.reason}">${verification.verified ? '✓' : '✗'} ${verification.label}</span></div></div>
<h1>${report.title}</h1>
<p class="soft">${report.subtitle}</p>
<p class="soft">${report.times} · <span class="mono">${report.runId}</span></p>
<p class="verdict">${report.verdict}</p>
${report.budget === null ? null : markup`<p class="budget"><strong>${report.budget}</strong></p>`}
${report.accuracy === null ? markup`<p><strong>Unverified.</strong> ${verification.reason}</p>` : null}
<dl class="figures">${report.figures.map(figure)}
</dl>
${report.problems.map(problem)}
</header>`;
}
