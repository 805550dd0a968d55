import { otherwiseText } from '../../contract/measured/baseline';
import { batchSize, loadOf, p99, throughput } from '../../contract/measured/columns';
import type {
  NamedText,
  ParameterGroup,
  Report,
  ReportAccuracy,
  ReportCommand,
  ReportPublished,
  ReportPublishedRow,
  ReportStep,
} from '../report';
import { foldedLines, pathEnd } from '../short-paths';
import { headings, type Markup, Markup as RawMarkup, markup } from './markup';

/** Long names break only after these: underscores of variables, slashes of paths. */
function breakable(name: string, after: '_' | '/'): Markup {
  return markup`${name.split(after).flatMap((part, index) => (index === 0 ? [part] : [new RawMarkup(`${after}<wbr>`), part]))}`;
}

/** Letters of a path beside a parameter, and in the result of a step. */
const longestPath = { parameter: 26, fact: 56 } as const;

/** A path has its end, and breaks after slashes; the whole is at the pointer and in the JSON file. */
const shown = (value: string, longest: number): Markup => {
  const short = pathEnd(value, longest);
  if (short !== value) return markup`<span title="${value}">${breakable(short, '/')}</span>`;
  return value.startsWith('/') || value.startsWith('~') ? breakable(value, '/') : markup`${value}`;
};

const parameterTable = ({ title, rows }: ParameterGroup): Markup => markup`
<div><h3>${title}</h3><table class="fixed params"><thead><tr><th>Parameter</th><th>Value</th><th>Published variable</th></tr></thead><tbody>${rows.map(
  ({ name, value, upstream, field }) => markup`
<tr><td title="${field}">${name}</td><td>${shown(value, longestPath.parameter)}</td><td class="mono">${upstream.map(
    (variable, index) => (index === 0 ? breakable(variable, '_') : markup`, ${breakable(variable, '_')}`),
  )}</td></tr>`,
)}
</tbody></table></div>`;

/** Less important values as running text. */
const foldedGroup = ({ title, rows }: ParameterGroup): Markup => markup`
<p class="folded"><strong>${title}</strong> ${rows.map(
  ({ name, value, field }, index) =>
    markup`${index === 0 ? '' : ' · '}<span title="${field}"><span class="soft">${name}</span> ${value}</span>`,
)}</p>`;

export const namedTable = (title: string, rows: readonly NamedText[]): Markup => markup`
<div><h3>${title}</h3><table class="fixed named"><tbody>${rows.map(
  ({ name, value }) => markup`
<tr><td class="soft">${name}</td><td>${value}</td></tr>`,
)}
</tbody></table></div>`;

/** Names that have the same value, as where a whole model card is missing, in one row. */
function together(rows: readonly NamedText[]): readonly NamedText[] {
  const names = new Map<string, string[]>();
  for (const { name, value } of rows) names.set(value, [...(names.get(value) ?? []), name]);
  return [...names].map(([value, of]) => ({ name: of.join(', '), value }));
}

const groupsOf = (groups: readonly ParameterGroup[], folded: boolean): readonly ParameterGroup[] =>
  groups
    .map(({ title, rows }) => ({ title, rows: rows.filter((row) => row.folded === folded) }))
    .filter(({ rows }) => rows.length > 0);

export function parametersSection({ parameters, changes }: Report): Markup | null {
  // Unknown for imported runs.
  if (parameters.length === 0) return null;
  const folded = groupsOf(parameters, true);
  return markup`<section>
<h2>Parameters</h2>
<p class="lead">The parameters of this run. The last column is the variable of the published deployment procedures that sets the same parameter.</p>
<div class="columns">${groupsOf(parameters, false).map(parameterTable)}
</div>
${folded.length === 0 ? null : markup`<h3>Left at the defaults of the preset</h3>${folded.map(foldedGroup)}`}
${changes.length === 0 ? null : namedTable('Specification changed', changes)}
</section>`;
}

/** Longer tables are broken between two pages. */
const mostWhole = 20;

export function environmentSection({ environment, packages, record }: Report): Markup {
  return markup`<section>
<h2>Environment</h2>
${record.length === 0 ? null : namedTable('Model', together(record))}
<div class="pair${packages.length > mostWhole ? '' : ' whole'}">${namedTable('Machine and server', environment)}${
    packages.length === 0 ? null : namedTable('Python packages', packages)
  }</div></section>`;
}

const tickOf = { good: 'yes', bad: 'no', warning: 'unsure', neutral: 'plain' } as const;

/** Facts of one name, such as inputs, beyond which the page would be a list of them. */
const mostAlike = 10;

/** The first of many facts of one name, and how many more the JSON file has. */
function fewAlike(facts: readonly NamedText[]): readonly NamedText[] {
  const counts = new Map<string, number>();
  return facts.flatMap((fact) => {
    const count = (counts.get(fact.name) ?? 0) + 1;
    counts.set(fact.name, count);
    if (count <= mostAlike) return [fact];
    const more = facts.filter(({ name }) => name === fact.name).length - mostAlike;
    return count === mostAlike + 1 ? [{ name: fact.name, value: `${more} more, in report.json` }] : [];
  });
}

const stepRow = (step: ReportStep): Markup => markup`
<tr><td>${step.title}</td><td><span class="tick ${tickOf[step.tone]}">${step.status}</span></td><td class="n">${step.duration}</td><td>${
  step.facts.length === 0
    ? null
    : markup`<dl class="facts">${fewAlike(step.facts).map(({ name, value }) => markup`<div><dt>${name}</dt><dd>${shown(value, longestPath.fact)}</dd></div>`)}</dl>`
}</td></tr>`;

export const stepsTable = (steps: readonly ReportStep[]): Markup => markup`
<table class="fixed steps"><thead><tr><th>Step</th><th>State</th><th class="n">Duration</th><th>Result</th></tr></thead><tbody>${steps.map(stepRow)}
</tbody></table>`;

/** null if the first page has them. */
export function stepsSection({ steps, summary }: Report): Markup | null {
  if (steps.length === 0 || summary.scenario === null) return null;
  return markup`<section>
<h2>Steps</h2>${stepsTable(steps)}
</section>`;
}

function commandMarkup(command: ReportCommand, previous: ReportCommand | undefined): Markup {
  return markup`${
    previous?.step === command.step
      ? null
      : markup`
<h3>${command.step}</h3>`
  }${command.note === null ? null : markup`<p class="note">${command.note}</p>`}
<pre>${command.line}</pre>`;
}

export function commandsSection({ commands, runId }: Pick<Report, 'commands' | 'runId'>): Markup | null {
  if (commands.length === 0) return null;
  const { names, lines } = foldedLines(
    commands.map(({ line }) => line),
    runId,
  );
  return markup`<section class="commands">
<p class="eyebrow">Appendix</p>
<h2>Commands</h2>
<p class="lead">Every command as it was run, quoted for a shell; your home folder is ~.</p>
${names.length === 0 ? null : markup`<pre>${names.join('\n')}</pre>`}
${commands.map((command, index) => commandMarkup({ ...command, line: lines[index] ?? command.line }, commands[index - 1]))}
</section>`;
}

export function notesSection(notes: readonly NamedText[]): Markup {
  return markup`<section>
<h2>How to read the numbers</h2>
<dl class="notes">${notes.map(
    ({ name, value }) => markup`
<dt>${name}</dt><dd>${value}</dd>`,
  )}
</dl>
</section>`;
}

const row = (level: ReportPublishedRow): Markup => markup`
<tr><td class="n">${level.batchSize}</td><td class="n">${level.concurrency}</td><td class="n soft">${level.published}</td><td class="n soft">${level.publishedP99}</td><td class="n">${level.measured}</td><td class="n">${level.measuredP99}</td><td class="n">${level.ratio}</td></tr>`;

const table = (label: string, { title, rows }: ReportPublished['scenarios'][number]): Markup => markup`
<h3>${title}</h3>
<table class="fixed"><thead>
<tr><th colspan="2"></th><th class="n" colspan="2">${label}</th><th class="n" colspan="3">measured by this run</th></tr>
<tr>${headings([batchSize, loadOf('concurrency'), throughput, p99, throughput, p99])}<th class="n">of published</th></tr>
</thead><tbody>${rows.map(row)}
</tbody></table>`;

/** Published figures of a GPU beside measured ones. */
export function publishedSection(published: ReportPublished | null): Markup | null {
  if (published === null) return null;
  const { label, lead, differences, source, note, scenarios } = published;
  const otherwise = otherwiseText(differences);
  return markup`<section class="published">
<h2>Published figures</h2>
<p class="lead">${lead}</p>
${otherwise === null ? null : markup`<p class="lead">${otherwise}</p>`}
${label === null ? null : scenarios.map((scenario) => table(label, scenario))}
<p class="key">Source: ${source}. ${note}</p>
</section>`;
}

const passed = (ok: boolean): Markup =>
  ok ? markup`<span class="tick yes">✓ passed</span>` : markup`<span class="tick no">✗ failed</span>`;

function metricsTable({ metrics }: ReportAccuracy): Markup {
  return markup`<h3>Metrics</h3>
<table class="fixed metrics"><thead><tr><th>Metric</th><th class="n">Framework</th><th class="n">Triton</th><th class="n">Difference</th><th class="n">Threshold</th><th>Result</th></tr></thead>
<tbody>${metrics.map(
    (metric) => markup`
<tr><td>${metric.name}</td><td class="n">${metric.framework}</td><td class="n">${metric.triton}</td><td class="n">${metric.delta}</td><td class="n">${metric.threshold}</td><td>${passed(metric.passed)}</td></tr>`,
  )}
</tbody></table>`;
}

function outputsTable({ outputs }: ReportAccuracy): Markup {
  const lengths = outputs.some(({ otherLengths }) => otherLengths !== null);
  return markup`<h3>Outputs</h3>
<table class="fixed outputs"><thead><tr><th>Output</th><th class="n">Largest abs. difference</th><th class="n">Largest rel. difference</th><th>Tolerance</th><th class="n">NaN</th><th class="n">Inf</th><th class="n">Samples${lengths ? ' (other length)' : ''}</th><th>Worst sample</th><th>Result</th></tr></thead>
<tbody>${outputs.map(
    (output) => markup`
<tr><td>${output.output}</td><td class="n">${output.maxAbsDiff}</td><td class="n">${output.maxRelDiff}</td><td>${output.tolerance}</td><td class="n">${output.nanCount}</td><td class="n">${output.infCount}</td><td class="n">${output.sampleCount}${output.otherLengths === null ? '' : ` (${output.otherLengths})`}</td><td>${breakable(output.worstSample, '/')}</td><td>${passed(output.passed)}${
      output.vacuous ? markup` <span class="tick unsure">tolerance cannot fail</span>` : null
    }</td></tr>`,
  )}
</tbody></table>`;
}

function batchesTable({ batches }: ReportAccuracy): Markup {
  return markup`<h3>Batch sizes</h3>
<table class="fixed batches"><thead><tr><th>Requests</th><th class="n">Count</th><th class="n">Largest abs. difference</th><th>Result</th></tr></thead>
<tbody>${batches.map(
    (batch) => markup`
<tr><td>${batch.requests}</td><td class="n">${batch.count}</td><td class="n">${batch.maxAbsDiff}</td><td>${passed(batch.passed)}</td></tr>`,
  )}
</tbody></table>`;
}

/** Framework and Triton by metric, output and batch size. */
export function accuracySection(accuracy: ReportAccuracy | null): Markup {
  if (accuracy === null) {
    return markup`<section><h2>Accuracy</h2><p>Accuracy against the framework was not checked in this run.</p></section>`;
  }
  const lengths = accuracy.outputs.some(({ otherLengths }) => otherLengths !== null);
  const vacuous = accuracy.outputs.some((output) => output.vacuous);
  return markup`<section>
<h2>Accuracy</h2>
<p class="lead">${accuracy.lead}${accuracy.comparedAt === null ? null : markup` The first of them also by requests of ${accuracy.comparedAt}.`}${accuracy.referenceDevice === null ? null : markup` Reference on: ${accuracy.referenceDevice}.`}</p>
${accuracy.metrics.length === 0 ? null : metricsTable(accuracy)}
${accuracy.outputs.length === 0 ? null : outputsTable(accuracy)}
${accuracy.batches.length === 0 ? null : batchesTable(accuracy)}
${
  lengths
    ? markup`<p class="key">In brackets: samples that are longer or shorter on Triton than in the framework; their values were not compared.</p>`
    : null
}
${
  vacuous
    ? markup`<p class="key">“Tolerance cannot fail”: it is so wide that no realistic output could exceed it, so passing says nothing.</p>`
    : null
}
</section>`;
}
