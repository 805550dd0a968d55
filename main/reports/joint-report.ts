import { shellLine } from '../contract/flag-text';
import { formatBytes } from '../contract/numbers';
import type { JointStrategy } from '../contract/study/joint';
import type { Searched } from '../contract/study/search';
import type { WinnerConfigs } from '../contract/study/study';
import { diffLines, diffText } from '../domain/line-diff';
import { type JointAnswer, modelLine, presentText } from '../domain/study/joint/joint-answer';
import { jointColumns, jointTryColumns } from '../domain/study/joint/joint-columns';
import { jointTries } from '../domain/study/joint/joint-tries';
import { placeLines } from '../domain/study/place-text';
import { jointChart } from './charts/joint-chart';
import { renderChart } from './charts/render-chart';
import { csvOf } from './csv';
import { hasPart, htmlPage, pageMarksOf, reportHead } from './html/frame';
import { columnTable, Markup, markup } from './html/markup';
import { escaped, fenced, list, markdownTable } from './markdown.exporter';
import type { StoredReportSettings } from './report-settings';
import { reportFiles, type StudyFile } from './study-files';
import { formatTime } from './to-report';

interface JointReport {
  readonly name: string;
  /** ISO 8601. */
  readonly generatedAt: string;
  readonly joint: JointStrategy;
  readonly searched: Searched;
  readonly answer: JointAnswer;
  /** Of the best set, in the order of the models; null: none, or its run is gone. */
  readonly configs: readonly (WinnerConfigs | null)[];
  /** Of the models that the best set changes. */
  readonly commands: readonly (readonly string[])[];
  readonly settings: StoredReportSettings;
}

/** How it was found, one line each. */
function procedure({ joint, searched, answer }: JointReport): readonly string[] {
  const { models, lookMs, fullMs, budgetS, memory = {} } = joint;
  const { gpuBytes, hostBytes } = memory;
  return [
    ...models.map((model) => `${modelLine(joint, model)}, run ${model.runId ?? 'not made'}`),
    'All models are loaded on one Triton and under load at the same time: requests at Poisson times, whether the ones before are answered or not; a latency counts from the time at which its request was due',
    `Measurements of ${lookMs / 1000} s; the best and the present configurations in turns of ${fullMs / 1000} s, at two steps of 5 % below what was held briefly`,
    'Where the best set fails, each other configuration of one model is tried beside it, that of the limiting model first',
    ...(gpuBytes === undefined ? [] : [`GPU memory of all: at most ${formatBytes(gpuBytes)}`]),
    ...(hostBytes === undefined ? [] : [`Host memory of all: at most ${formatBytes(hostBytes)}`]),
    ...placeLines({ place: searched.place ?? null }),
    `${Math.round(answer.seconds)} of ${Math.round(budgetS)} s of load were used`,
    ...(answer.isConfirmed || answer.factor === null
      ? []
      : ['The best set was not measured at full length at the load that it is said to hold']),
  ];
}

const beside = ({ joint, answer }: JointReport): string => {
  const text = presentText(joint, answer);
  return text === null ? '' : `${text}.`;
};

const commandText = ({ commands }: JointReport): string => commands.map(shellLine).join('\n');

/** "resnet" and how its config.pbtxt changes, of the models that the best set changes. */
const changesOf = ({ joint, configs }: JointReport) =>
  joint.models.flatMap(({ title }, at) => {
    const found = configs[at] ?? null;
    const lines = found === null ? [] : diffLines(found.present, found.winner).map(diffText);
    return lines.length === 0 ? [] : [{ title, diff: lines.join('\n') }];
  });

function changesSection(report: JointReport): Markup | null {
  const [changes, commands] = [changesOf(report), commandText(report)];
  return changes.length === 0 && commands === ''
    ? null
    : markup`<h2>The best configurations</h2>
${changes.map(({ title, diff }) => markup`<h3>Changes of config.pbtxt: ${title}</h3><pre>${diff}</pre>\n`)}${
        commands === '' ? null : markup`<h3>To run them</h3><pre>${commands}</pre>`
      }`;
}

/** Every load that was measured, beside the targets; null without one. */
function picture({ joint, searched }: JointReport): Markup | null {
  const chart = jointChart(joint, jointTries(joint, searched));
  return chart === null ? null : markup`<figure>${new Markup(renderChart(chart))}</figure>`;
}

const page = (report: JointReport): string => {
  const { name, generatedAt, joint, searched, answer, settings } = report;
  const tries = jointTries(joint, searched);
  const columns = jointTryColumns(joint);
  return htmlPage(
    pageMarksOf(settings, `Search ${name}`, true),
    markup`${reportHead(settings, {
      kind: 'search report',
      title: name,
      lines: [`Report of ${formatTime(generatedAt)}`],
      verdict: `${answer.sentence}.`,
    })}
<p class="soft">${beside(report)}</p>
${
  hasPart(settings, 'results')
    ? markup`${picture(report)}
${columnTable(jointColumns, answer.rows)}
${changesSection(report)}
${tries.length === 0 ? null : markup`<h2>What was tried</h2>${columnTable(columns, tries)}`}`
    : null
}
${
  hasPart(settings, 'record')
    ? markup`<div class="pair whole"><div><h2>What was not tried</h2>
<ul>${answer.untried.map((line) => markup`<li>${line}.</li>`)}</ul></div>
<div><h2>Procedure</h2>
<ul>${procedure(report).map((line) => markup`<li>${line}.</li>`)}</ul></div></div>`
    : null
}`,
    `.matrix { margin-top: 5mm; } figure { margin: 5mm 0 0; break-inside: avoid; }
figure svg { display: block; width: 100%; height: auto; }`,
  ).text;
};

function markdown(report: JointReport): string {
  const { name, joint, searched, answer } = report;
  const commands = commandText(report);
  const tries = jointTries(joint, searched);
  const columns = jointTryColumns(joint);
  return [
    `# Search ${name}`,
    `**${escaped(answer.sentence)}.**`,
    ...(beside(report) === '' ? [] : [beside(report)]),
    markdownTable(jointColumns, answer.rows),
    ...changesOf(report).flatMap(({ title, diff }) => [
      `## Changes of config.pbtxt: ${escaped(title)}`,
      fenced('diff', diff),
    ]),
    ...(commands === '' ? [] : ['To run the best configurations:', fenced('', commands)]),
    ...(tries.length === 0 ? [] : ['## What was tried', markdownTable(columns, tries)]),
    ...(answer.untried.length === 0
      ? []
      : ['## What was not tried', list(answer.untried.map((line) => `${line}.`))]),
    '## Procedure',
    list(procedure(report).map((line) => `${line}.`)),
    '',
  ].join('\n\n');
}

const documentOf = ({ name, generatedAt, joint, searched, answer, configs, commands }: JointReport) => ({
  ...{ name, generatedAt, joint, answer, configs, commands, tries: jointTries(joint, searched) },
});

export const jointFiles = (report: JointReport): readonly StudyFile[] =>
  reportFiles('search', {
    page: page(report),
    csv: csvOf(jointColumns, report.answer.rows),
    markdown: markdown(report),
    document: documentOf(report),
  });
