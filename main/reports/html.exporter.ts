import { partTitles, reportParts, type ReportSection } from '../contract/settings/report-settings';
import { coldSection } from './html/cold-section';
import { htmlPage } from './html/frame';
import {
  headSection,
  limitsSection,
  problemsSection,
  remarksSection,
  summaryCharts,
} from './html/head-section';
import { type Markup, markup } from './html/markup';
import {
  accuracySection,
  commandsSection,
  environmentSection,
  notesSection,
  parametersSection,
  publishedSection,
  stepsSection,
} from './html/record-sections';
import { scenarioSection } from './html/scenario-section';
import { slowSection } from './html/slow-section';
import type { Exporter, Report } from './report';

/** Selected sections of these, in order; null without any. */
function part(title: string, report: Report, ids: readonly ReportSection[]): Markup | null {
  const made: Readonly<Record<ReportSection, () => Markup | readonly (Markup | null)[] | null>> = {
    accuracy: () => accuracySection(report.accuracy),
    environment: () => environmentSection(report),
    levels: () => [
      limitsSection(report),
      ...report.scenarios.map((scenario) => {
        const shown = scenario.id === report.summary.scenario ? summaryCharts(report) : 0;
        return scenarioSection(scenario, report.summary.accuracyBadge, shown);
      }),
      coldSection(report.coldStart),
      slowSection(report),
    ],
    published: () => publishedSection(report.published),
    parameters: () => parametersSection(report),
    steps: () => stepsSection(report),
    commands: () => commandsSection(report),
    reading: () => notesSection(report.notes),
  };
  const found = ids.filter((id) => !report.without.includes(id)).flatMap((id) => made[id]());
  return found.every((one) => one === null)
    ? null
    : markup`<p class="eyebrow part">${title}</p>
${found}`;
}

function page(report: Report): Markup {
  const details = [
    remarksSection(report),
    problemsSection(report),
    part(partTitles.results, report, reportParts.results),
    part(`${partTitles.record} of this run`, report, reportParts.record),
  ];
  return htmlPage(
    { ...report, landscape: false },
    markup`${headSection(report)}
${details.every((one) => one === null) ? null : markup`<div class="record">${details}</div>`}`,
  );
}

/** Self-contained; also printed as PDF. */
export const html: Exporter = {
  id: 'html',
  render: ({ report }) => ({ fileName: 'report.html', content: page(report).text }),
};
