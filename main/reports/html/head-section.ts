import { clipped } from '../../contract/words';
import type { KeyFigure } from '../../domain/measured/key-figures';
import { renderChart } from '../charts/render-chart';
import { scenarioCharts } from '../charts/report-charts';
import type { Report, ReportProblem } from '../report';
import { paragraphs, topLine, unbroken } from './frame';
import { Markup, markup } from './markup';
import { namedTable, stepsTable } from './record-sections';
import { hasIntervals, intervalKey, listedLevels } from './scenario-section';

/** Shown on the first page; the record has all. */
const shownDoubts = 9;

/** Doubts beside the answer; null without an answer. */
function doubtsBox({ summary, problems, isSure }: Report): Markup | null {
  if (summary.scenario === null) return null;
  const further = summary.doubts.length - shownDoubts;
  const lines = [
    ...summary.doubts.slice(0, shownDoubts),
    ...(further > 0 ? [`${further} more under “Problems and warnings”.`] : []),
  ];
  if (lines.length > 0) {
    return markup`<div class="doubts warning"><h3>What is doubtful</h3>
<ul>${lines.map((line) => markup`<li>${unbroken(line)}</li>`)}</ul></div>`;
  }
  // The verdict above contains it.
  if (!isSure) return null;
  const warnings = problems.length === 0 ? '' : ' The warnings of the steps are on the next page.';
  return markup`<div class="doubts neutral"><h3>What is doubtful</h3>
<p>Nothing found: every level has a result and is steady, and accuracy is verified.${warnings}</p></div>`;
}

/** Limits that keep the summary on one page; the record has all. */
const longest = { title: 120, line: 220, verdict: 700, error: 420, errors: 2, detailLines: 14 } as const;

const figure = ({ label, value, unit, note }: KeyFigure): Markup => markup`
<div><dt>${label}</dt><dd class="value">${value}${unit === '' ? null : markup` <span class="unit">${unit}</span>`}</dd><dd class="note">${unbroken(note)}</dd></div>`;

function tail(details: string): Markup {
  const lines = details.trimEnd().split('\n');
  const last = lines.slice(-longest.detailLines).map((line) => clipped(line, longest.title));
  return markup`<pre>${[...(lines.length > last.length ? ['…'] : []), ...last].join('\n')}</pre>`;
}

const failure = ({ tone, title, text, remedy, details }: ReportProblem, roomy: boolean): Markup => markup`
<div class="problem ${tone}"><p><strong>${title}</strong> <bdi>${clipped(text, longest.error)}</bdi></p>${
  remedy === null ? null : markup`<p>${clipped(remedy, longest.line)}</p>`
}${roomy && details !== null ? tail(details) : null}</div>`;

/** How many charts the first page has of its scenario; the section of that scenario has the others. */
export const summaryCharts = (report: Report): number => (isFull(report) ? 0 : 2);

/** Charts of the scenario with the best level. */
function charts(report: Report): Markup | null {
  const { scenarios, summary } = report;
  const measured = scenarios.find(({ id }) => id === summary.scenario);
  const count = summaryCharts(report);
  if (measured === undefined || count === 0) return null;
  const scenario = listedLevels(measured);
  const drawn = scenarioCharts(scenario)
    .slice(0, count)
    .map(
      (chart) => markup`
<figure>${new Markup(renderChart(chart))}</figure>`,
    );
  const keys = [
    ...(scenario.rows.some(({ point }) => point === null) ? ['Crosses: levels without a result.'] : []),
    ...(hasIntervals(scenario) ? [intervalKey] : []),
  ];
  return markup`<h3>${scenario.title}</h3>
<div class="charts">${drawn}
</div>
${keys.length === 0 ? null : markup`<p class="key">${keys.join(' ')}</p>`}`;
}

/** Longer remarks have their own section. */
const shortRemarks = 280;

const isShort = ({ remarks }: Report): boolean =>
  remarks.length <= shortRemarks && remarks.split('\n').length < 4;

/** Remarks that do not fit the first page. */
export const remarksSection = (report: Report): Markup | null =>
  isShort(report)
    ? null
    : markup`<section>
<h2>Notes</h2>${paragraphs(report.remarks)}
</section>`;

/** With more lines the charts have no room. */
const roomyLines = 12;
/** Letters of a line of text, and of one beside a name. */
const [textLine, factLine] = [110, 46];
/** Lines that every first page has room for. */
const usual = { machine: 10, accuracy: 2, badges: 2 } as const;

const linesOf = (texts: readonly string[], letters: number): number =>
  texts.reduce((sum, text) => sum + Math.ceil(text.length / letters), 0);

function isFull({ summary, logo, customer, author, remarks, verdict }: Report): boolean {
  const { badges, doubts, machine, accuracy } = summary;
  const facts = machine.map(({ value }) => value);
  const lines = [
    logo === null ? 0 : 3,
    customer + author === '' ? 0 : 1,
    badges.length > usual.badges ? 2 : 0,
    Math.floor(verdict.length / 200),
    linesOf([remarks, ...doubts.slice(0, shownDoubts)], textLine),
    Math.max(0, linesOf(facts, factLine) - usual.machine),
    Math.max(0, linesOf([accuracy], textLine) - usual.accuracy),
  ];
  return lines.reduce((sum, count) => sum + count, 0) > roomyLines;
}

/** The first page: answer, doubts, charts and environment. */
export function headSection(report: Report): Markup {
  const { summary } = report;
  const measured = summary.scenario !== null;
  const failures = report.problems.filter(({ tone }) => tone === 'bad').slice(0, longest.errors);
  const badges = summary.badges.map(({ label, tone }) => markup`<span class="badge ${tone}">${label}</span>`);
  return markup`<header class="summary">
${topLine(report, 'deployment report', badges)}
<h1>${clipped(report.title, longest.title)}</h1>
<p class="soft">${clipped(report.subtitle, longest.line)}</p>
<p class="soft">${report.times} · <span class="mono">${clipped(report.runId, longest.title)}</span></p>
<p class="verdict${report.isSure ? '' : ' unsure'}">${unbroken(clipped(report.verdict, longest.verdict))}</p>
${isShort(report) && report.remarks !== '' ? paragraphs(report.remarks) : null}
${failures.map((problem) => failure(problem, !measured))}
${
  measured
    ? markup`<dl class="figures">${report.figures.map(figure)}
</dl>`
    : null
}
${doubtsBox(report)}
${charts(report)}
<div class="pair">${namedTable('Model', summary.model)}${namedTable('Machine and server', summary.machine)}</div>
<h3>Accuracy</h3>
<p>${unbroken(summary.accuracy)}</p>
${measured || report.steps.length === 0 ? null : markup`<h3>Steps</h3>${stepsTable(report.steps)}`}
</header>`;
}

const problem = ({ tone, title, text, remedy, details }: ReportProblem): Markup => markup`
<div class="problem ${tone}"><p><strong>${title}</strong> <bdi>${text}</bdi></p>${
  remedy === null ? null : markup`<p>${remedy}</p>`
}${details === null ? null : markup`<pre>${details}</pre>`}</div>`;

const isWholeInHead = ({ tone, text, remedy, details }: ReportProblem): boolean =>
  tone === 'bad' &&
  text.length <= longest.error &&
  (remedy?.length ?? 0) <= longest.line &&
  (details ?? '')
    .trimEnd()
    .split('\n')
    .every((line, at) => at < longest.detailLines && line.length <= longest.title);

/** Whether the first page has every problem in full. */
const areInHead = ({ problems, summary }: Report): boolean =>
  summary.scenario === null && problems.length <= longest.errors && problems.every(isWholeInHead);

/** All problems in full; null without any, or where the first page has them. */
export function problemsSection(report: Report): Markup | null {
  const { problems, summary } = report;
  const further = summary.doubts.slice(shownDoubts);
  if (further.length === 0 && (problems.length === 0 || areInHead(report))) return null;
  return markup`<section>
<h2>Problems and warnings</h2>
${problems.map(problem)}
${further.length === 0 ? null : markup`<h3>What is also doubtful</h3><ul>${further.map((doubt) => markup`<li>${doubt}</li>`)}</ul>`}
</section>`;
}

/** What limits the level of the answer, with its numbers, and what to try; null where nothing was found. */
export function limitsSection({ limits }: Report): Markup | null {
  if (limits === null) return null;
  return markup`<section>
<h2>What limits it</h2>
<p class="lead">Level: ${limits.level}.</p>
<ul>${limits.limits.map(({ sentence, evidence }) => markup`<li>${unbroken(sentence)} <span class="soft">${unbroken(evidence)}</span></li>`)}</ul>
${limits.suggestions.length === 0 ? null : markup`<h3>What to try</h3><ul>${limits.suggestions.map((line) => markup`<li>${unbroken(line)}</li>`)}</ul>`}
</section>`;
}
