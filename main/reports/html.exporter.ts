import { type ReportSection, reportSections } from '../contract/run/report-settings';
import { headSection, limitsSection, problemsSection, remarksSection } from './html/head-section';
import { Markup, markup } from './html/markup';
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
import { contentPolicy, style } from './html/style';
import type { Exporter, Report } from './report';

/** A report in one file. @param ownStyle appended CSS */
export const htmlPage = (title: string, body: Markup, ownStyle = ''): Markup => markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(contentPolicy)}">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${new Markup(style + ownStyle)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;

/** Selected sections in order. */
function sections(report: Report): readonly (Markup | null)[] {
  const made: Readonly<Record<ReportSection, () => Markup | readonly (Markup | null)[] | null>> = {
    accuracy: () => accuracySection(report.accuracy),
    environment: () => environmentSection(report),
    levels: () => [
      limitsSection(report),
      ...report.scenarios.map((scenario) => scenarioSection(scenario, report.summary.accuracyBadge)),
    ],
    published: () => publishedSection(report.published),
    parameters: () => parametersSection(report),
    steps: () => stepsSection(report),
    commands: () => commandsSection(report.commands),
    reading: () => notesSection(report.notes),
  };
  return reportSections.filter((id) => !report.without.includes(id)).flatMap((id) => made[id]());
}

const page = (report: Report): Markup =>
  htmlPage(
    report.title,
    markup`${headSection(report)}
<div class="record">
<p class="eyebrow">Appendix · the record of this run</p>
${remarksSection(report)}
${problemsSection(report)}
${sections(report)}
</div>`,
  );

/** Self-contained; also printed as PDF. */
export const html: Exporter = {
  id: 'html',
  render: ({ report }) => ({ fileName: 'report.html', content: page(report).text }),
};
