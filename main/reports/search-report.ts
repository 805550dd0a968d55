import { shellLine } from '../contract/flag-text';
import { formatBytes, formatMs } from '../contract/numbers';
import type { Searched, SearchStrategy } from '../contract/study/search';
import type { WinnerConfigs } from '../contract/study/study';
import { diffLines, diffText } from '../domain/line-diff';
import { placeLines } from '../domain/study/place-text';
import { objectiveText } from '../domain/study/search/objective';
import { replayIn, replayLines, timesText } from '../domain/study/search/replay-load';
import type { SearchAnswer } from '../domain/study/search/search-answer';
import { searchColumns } from '../domain/study/search/search-columns';
import { searchWinner } from '../domain/study/search/search-study';
import { presentText, untriedLines } from '../domain/study/search/search-text';
import { renderChart } from './charts/render-chart';
import { searchChart } from './charts/search-chart';
import { csvOf } from './csv';
import { hasPart, htmlPage, pageMarksOf, reportHead } from './html/frame';
import { columnTable, Markup, markup } from './html/markup';
import { fenced, list, markdownTable } from './markdown.exporter';
import type { StoredReportSettings } from './report-settings';
import { reportFiles, type StudyFile } from './study-files';
import { formatTime } from './to-report';

interface SearchReport {
  readonly name: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  readonly search: SearchStrategy;
  readonly searched: Searched;
  readonly answer: SearchAnswer;
  /** null: there is no best configuration, or its run is gone. */
  readonly configs: WinnerConfigs | null;
  readonly settings: StoredReportSettings;
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
          `${name}: at most ${formatBytes(most)}, as the increase after the configuration is loaded and has answered each batch size; the backend takes another ${formatBytes(once)} once`,
        ],
  );
}

/** How it was found, one line each. */
function procedure({ search, answer }: SearchReport): readonly string[] {
  const { load, target, candidates, budgetS, lookMs, fullMs } = search;
  const replay = replayIn(search);
  const kind =
    load.kind === 'open'
      ? `Open load: requests ${timesText(search)}, independent of earlier responses`
      : `Closed load: ${load.concurrency.join(', ')} requests in flight`;
  return [
    `Run: ${search.runId}`,
    'Accuracy: only runs whose check passed are searched',
    objectiveText(search),
    `Target: ${latencyText(target)}at most ${target.errorPercentage} % of requests failed`,
    ...memoryLines(search, answer),
    `${kind}; batch size ${load.batchSize}`,
    ...(replay === null ? [] : replayLines(replay)),
    `${candidates.length} configurations, side by side on one Triton and measured in turns: ${lookMs / 1000} s for each at first, then only for those that could still win, and ${fullMs / 1000} s five times for the best and the present one`,
    ...placeLines(answer),
    `${Math.round(answer.seconds)} of ${Math.round(budgetS)} s of load were used`,
    ...(answer.isCutShort ? ['The budget ended before every configuration was judged'] : []),
    ...(answer.isConfirmed || answer.winner === null
      ? []
      : ['The best configuration was not measured at full length at its reported load']),
  ];
}

/** The answer and the present configuration beside it, a sentence each. */
const answerTexts = ({ search, answer }: SearchReport): readonly string[] => {
  const present = presentText(search, answer);
  return [`${answer.sentence}.`, ...(present === null ? [] : [`${present}.`])];
};

/** The changes of config.pbtxt and the command that runs it; none where the present one is the best. */
function changes({ search, searched, configs }: SearchReport) {
  const lines = configs === null ? [] : diffLines(configs.present, configs.winner).map(diffText);
  const winner = searchWinner({ searched }, search);
  return { diff: lines.join('\n'), command: winner === null ? '' : shellLine(winner.argv) };
}

function changesSection(report: SearchReport): Markup | null {
  const { diff, command } = changes(report);
  return diff === '' && command === ''
    ? null
    : markup`<h2>The best configuration</h2>
${diff === '' ? null : markup`<h3>Changes of config.pbtxt</h3><pre>${diff}</pre>`}
${command === '' ? null : markup`<h3>To run it</h3><pre>${command}</pre>`}`;
}

/** Every load that was measured, beside the answer; null without one. */
function picture({ search, searched, answer }: SearchReport): Markup | null {
  const chart = searchChart(search, searched, answer);
  return chart === null ? null : markup`<figure>${new Markup(renderChart(chart))}</figure>`;
}

const page = (report: SearchReport): string => {
  const { name, generatedAt, search, answer, settings } = report;
  const [verdict = '', present = ''] = answerTexts(report);
  const columns = searchColumns(search);
  const lines = [`Report of ${formatTime(generatedAt)}`];
  return htmlPage(
    pageMarksOf(settings, `Search ${name}`, true),
    markup`${reportHead(settings, { kind: 'search report', title: name, lines, verdict })}
<p class="soft">${present}</p>
${
  hasPart(settings, 'results')
    ? markup`${picture(report)}
${columnTable(columns, answer.rows)}
${changesSection(report)}`
    : null
}
${
  hasPart(settings, 'record')
    ? markup`<div class="pair whole"><div><h2>What was not tried</h2>
<ul>${untriedLines(search, answer).map((line) => markup`<li>${line}.</li>`)}</ul></div>
<div><h2>Procedure</h2>
<ul>${procedure(report).map((line) => markup`<li>${line}.</li>`)}</ul></div></div>`
    : null
}`,
    `.matrix { margin-top: 5mm; } figure { margin: 5mm 0 0; break-inside: avoid; }
figure svg { display: block; width: 100%; height: auto; }`,
  ).text;
};

function markdown(report: SearchReport): string {
  const { name, search, answer } = report;
  const columns = searchColumns(search);
  const [sentence = '', ...present] = answerTexts(report);
  const { diff, command } = changes(report);
  return [
    `# Search ${name}`,
    `**${sentence}**`,
    ...present,
    markdownTable(columns, answer.rows),
    ...(diff === '' ? [] : ['## Changes of config.pbtxt', fenced('diff', diff)]),
    ...(command === '' ? [] : ['To run it:', fenced('', command)]),
    '## What was not tried',
    list(untriedLines(search, answer).map((line) => `${line}.`)),
    '## Procedure',
    list(procedure(report).map((line) => `${line}.`)),
    '',
  ].join('\n\n');
}

/** The looks are in the journal. */
const documentOf = ({ name, generatedAt, search, answer, configs }: SearchReport) => ({
  ...{ name, generatedAt, search, answer, configs },
});

export const searchFiles = (report: SearchReport): readonly StudyFile[] =>
  reportFiles('search', {
    page: page(report),
    csv: csvOf(searchColumns(report.search), report.answer.rows),
    markdown: markdown(report),
    document: documentOf(report),
  });
