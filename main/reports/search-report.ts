import { cellText, titleWithUnit } from '../contract/measured/column';
import { formatBytes, formatMs } from '../contract/numbers';
import type { SearchStrategy } from '../contract/study/search';
import { objectiveText } from '../domain/study/search/objective';
import type { SearchAnswer } from '../domain/study/search/search-answer';
import { searchColumns } from '../domain/study/search/search-columns';
import { csvOf } from './csv';
import { htmlPage } from './html.exporter';
import { markup, tableHead, tableRow } from './html/markup';
import { list, table } from './markdown.exporter';
import type { StudyFile } from './study-files';
import { formatTime } from './to-report';

interface SearchReport {
  readonly name: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  readonly search: SearchStrategy;
  readonly answer: SearchAnswer;
}

const latencyText = ({ percentile, latencyUs }: SearchStrategy['target']): string =>
  latencyUs === null ? '' : `p${percentile} at most ${formatMs(latencyUs)} ms, `;

/** The limits, and what the server itself takes beside them. */
function memoryLines({ memory }: SearchStrategy, { context }: SearchAnswer): readonly string[] {
  if (memory === undefined) return [];
  const kinds = [
    ['GPU memory', memory.gpuBytes, context?.gpuBytes ?? null],
    ['Host memory', memory.hostBytes, context?.hostBytes ?? null],
  ] as const;
  return kinds.flatMap(([name, most, once]) =>
    most === undefined
      ? []
      : [
          `${name}: at most ${formatBytes(most)}, as the difference when the configuration is loaded and has answered each batch size; the backend takes ${formatBytes(once)} once beside it`,
        ],
  );
}

/** How it was found, one line each. */
function procedure({ search, answer }: SearchReport): readonly string[] {
  const { load, target, candidates, budgetS, lookMs, fullMs } = search;
  const kind =
    load.kind === 'open'
      ? 'Open load: requests at Poisson times, whether the ones before are answered or not'
      : `Closed load: ${load.concurrency.join(', ')} requests under way`;
  return [
    `Run: ${search.runId}`,
    'Accuracy: only a run whose check passed is searched',
    objectiveText(search),
    `Target: ${latencyText(target)}at most ${target.errorPercentage} % of requests failed`,
    ...memoryLines(search, answer),
    `${kind}; batch size ${load.batchSize}`,
    `${candidates.length} configurations, side by side on one Triton and measured in turns: ${lookMs / 1000} s for each at first, then only for those that could still win, and ${fullMs / 1000} s five times for the best and the present one`,
    `${Math.round(answer.seconds)} of ${Math.round(budgetS)} s of load were used`,
    ...(answer.isCutShort ? ['The budget ended before every configuration was judged'] : []),
    ...(answer.isConfirmed ? [] : ['The last comparison was not made']),
  ];
}

const page = (report: SearchReport): string => {
  const { name, generatedAt, search, answer } = report;
  const columns = searchColumns(search);
  return htmlPage(
    `Search ${name}`,
    markup`<header>
<p class="eyebrow">Triton Workbench · search report</p>
<h1>${name}</h1>
<p class="soft">Report of ${formatTime(generatedAt)}</p>
<p class="verdict">${answer.sentence}.</p>
</header>
<table class="matrix">${tableHead(columns)}<tbody>${answer.rows.map((row) => tableRow(columns, row))}
</tbody></table>
<h2>Procedure</h2>
<ul>${procedure(report).map((line) => markup`<li>${line}.</li>`)}</ul>`,
    '@page { size: A4 landscape; } main { max-width: 269mm; } .matrix { margin-top: 5mm; }',
  ).text;
};

function markdown(report: SearchReport): string {
  const { name, search, answer } = report;
  const columns = searchColumns(search);
  const rows = answer.rows.map((row) => columns.map((column) => cellText(column, row)));
  return [
    `# Search ${name}`,
    `**${answer.sentence}.**`,
    table(columns.map(titleWithUnit), rows),
    list(procedure(report).map((line) => `${line}.`)),
    '',
  ].join('\n\n');
}

/** All formats but PDF. */
export const searchFiles = (report: SearchReport): readonly StudyFile[] => [
  { kind: 'html', fileName: 'search.html', content: page(report) },
  { kind: 'csv', fileName: 'search.csv', content: csvOf(searchColumns(report.search), report.answer.rows) },
  { kind: 'markdown', fileName: 'search.md', content: markdown(report) },
  { kind: 'json', fileName: 'search.json', content: `${JSON.stringify(report, null, 2)}\n` },
];
