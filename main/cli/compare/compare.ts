import { extname, resolve } from 'node:path';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import { type Baseline, baselinesOf, defaultBaseline, otherwiseText } from '../../contract/measured/baseline';
import { formatMs, formatRate, missing } from '../../contract/numbers';
import { isDeployed } from '../../contract/run/run-source';
import type { RunSpec } from '../../contract/run/run-spec';
import type { RunState } from '../../contract/run/run-state';
import type { ComparisonFile } from '../../contract/run/saved-comparison';
import { sweepTitle } from '../../contract/run/sweep';
import type { Core } from '../../core';
import { comparisonJUnit } from '../../domain/comparison/junit';
import { bestOfRuns, differentModelsText, sharedBudgetMs } from '../../domain/measured/best-of-runs';
import {
  type ComparedPair,
  type ComparedValue,
  compareRuns,
  compareWithPublished,
} from '../../domain/measured/compare-levels';
import {
  comparisonSentence,
  type Criterion,
  judgeComparison,
  type JudgedLevel,
  meaningOf,
  outcomeOfAll,
  outcomeText,
  parseCriterion,
  ratioText,
  ratioWords,
} from '../../domain/measured/comparison-gate';
import { bestDocument, budgetDocument } from '../../domain/measured/verdict';
import { writeOutput } from '../../platform/files';
import type { Comparison } from '../json/comparison-document';
import { formatTable } from '../output';
import { readBudgetMs, resolveRunId } from '../read-values';
import {
  addReportOptions,
  keepReportChange,
  reportChangeOf,
  type ReportOptions,
  requireReportFile,
} from '../runs/report';
import { addServerOptions } from '../search/search-at';
import { budgetOf } from '../settings';
import type { Verb } from '../verb';
import { type AnewOptions, compareAnew, requireAnew } from './compare-anew';
import { exitOfOutcome } from './duel';
import { resultLine } from './result-line';

interface CompareOptions extends AnewOptions, ReportOptions {
  readonly failIf?: readonly string[];
  readonly markdown?: boolean;
  readonly out?: string;
  readonly junit?: string;
  readonly measure?: boolean;
}

const header = [
  ...['Level', 'Batch', 'Throughput A', 'Throughput B', 'B/A'],
  ...['p99 A (ms)', 'p99 B (ms)', 'B/A'],
] as const;

const wordsOf = (value: ComparedValue | null | undefined, higherIsBetter: boolean): string =>
  value === undefined || value === null ? missing : ratioWords(value, meaningOf(value, higherIsBetter));

/** Rounded as everywhere, by way of the microsecond. */
const msText = (value: ComparedValue | null | undefined): string =>
  formatMs(value === undefined || value === null ? null : value.value * 1000);

const rowsOf = (pairs: readonly ComparedPair[]) =>
  pairs.map(({ level, batchSize, model, first, second }) => [
    ...[model === undefined ? String(level) : `${level} ${model}`, String(batchSize)],
    ...[formatRate(first?.throughput.value), formatRate(second?.throughput.value)],
    wordsOf(second?.throughput, true),
    ...[msText(first?.p99Ms), msText(second?.p99Ms)],
    wordsOf(second?.p99Ms, false),
  ]);

const publishedPattern = /^published(?::(\w+))?$/;

/** Lists the published figures that exist. */
function publishedRemedy(
  all: readonly Pick<Baseline, 'key' | 'gpu'>[],
  { format, precision }: Pick<RunSpec, 'format' | 'precision'>,
): string {
  const ofKind = `${format}/${precision}`;
  const alike = all.filter(({ key }) => key.endsWith(`/${ofKind}`));
  const [first] = alike;
  const keys = all.map(({ key }) => key).join(', ');
  if (all.length === 0) return 'Compare it with another run.';
  return first === undefined
    ? `Published figures exist for ${keys}, but this run is of ${ofKind}. Compare it with another run.`
    : `Published figures exist for ${keys}. Name the GPU, for example published:${first.gpu}.`;
}

const nothingPublished = (runId: string, remedy: string): WorkbenchError =>
  new WorkbenchError('input-invalid', `No published figures match ${runId}`, {
    where: 'published',
    remedy,
  });

/** Compares with published figures of the run's model, format and precision. Throws input-invalid without any. */
async function withPublished(core: Core, b: string, gpu: string | undefined): Promise<Comparison> {
  const { state } = await core.handlers['runs.show']({ runId: b });
  if (!isDeployed(state)) throw nothingPublished(b, 'Compare it with another run.');
  const { spec } = state.source;
  const tables = await core.handlers['presets.published']({ preset: spec.model.preset });
  const all = baselinesOf(tables, spec);
  const names = state.environment.gpus.map(({ name }) => name);
  const key = `${String(gpu).toUpperCase()}/${spec.format}/${spec.precision}`;
  const found = gpu === undefined ? defaultBaseline(all, spec, names) : all.find((one) => one.key === key);
  if (found === undefined || found === null) {
    throw nothingPublished(b, publishedRemedy(all, spec));
  }
  const otherwise = otherwiseText(await core.handlers['presets.differences']({ spec, gpu: found.gpu }));
  return {
    a: found.label,
    b,
    nameA: null,
    nameB: state.name,
    sweeps: compareWithPublished(found, state),
    best: null,
    budgetMs: null,
    notes: [
      'Published figures have no interval; only the noise of the run counts.',
      ...(otherwise === null ? [] : [otherwise]),
    ],
  };
}

async function comparisonOf(core: Core, a: string, b: string): Promise<Comparison> {
  if (publishedPattern.test(b)) {
    throw new WorkbenchError('input-invalid', 'Published figures are the baseline, so they come first', {
      where: 'run-b',
      remedy: `Use: triton-workbench compare ${b} ${a}`,
    });
  }
  const idB = await resolveRunId(core, b);
  const published = publishedPattern.exec(a);
  if (published !== null) return withPublished(core, idB, published[1]);
  const idA = await resolveRunId(core, a);
  if (idA === idB) {
    throw invalidInput('compare', `${a} and ${b} are the same run`, 'Name two different runs.');
  }
  const { state: first } = await core.handlers['runs.show']({ runId: idA });
  const { state: second } = await core.handlers['runs.show']({ runId: idB });
  const states = [first, second];
  const budgetMs = sharedBudgetMs(states);
  const { index, isClear, sentence } = bestOfRuns(
    states.map((state, at) => ({ name: at === 0 ? 'A' : 'B', state })),
    budgetMs,
  );
  const models = differentModelsText(states);
  return {
    a: idA,
    b: idB,
    nameA: first.name,
    nameB: second.name,
    sweeps: compareRuns(first, second),
    budgetMs,
    best: { runId: (index === null ? null : states[index]?.runId) ?? null, isClear, text: sentence },
    notes: models === null ? [] : [models],
  };
}

const markdownTable = (rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

function judgedLine({ criterion, sweep, level, batchSize, outcome, unclear, ...ratio }: JudgedLevel): string {
  const size = sweep === 'batchSize' ? '' : `, batch size ${batchSize}`;
  const at = `${sweepTitle[sweep].toLowerCase()} ${level}${size}`;
  return `${criterion.text}: ${at}: ${ratioText(ratio)}, ${outcomeText({ outcome, unclear })}`;
}

function verdictLines(criteria: readonly Criterion[], judged: readonly JudgedLevel[]): readonly string[] {
  return criteria.flatMap((criterion) => {
    const own = judged.filter((one) => one.criterion === criterion);
    if (own.length === 0) return [`${criterion.text}: cannot be judged: the runs have no level in common`];
    const telling = own.filter(({ outcome }) => outcome !== 'within');
    if (telling.length === 0) {
      return [
        `${criterion.text}: within at ${own.length === 1 ? 'the common level' : `all ${own.length} common levels`}`,
      ];
    }
    return telling.map(judgedLine);
  });
}

const called = (name: string | null, id: string): string => (name === null ? id : `${name} (${id})`);

function markdownLines(compared: Comparison, lines: readonly string[]): readonly string[] {
  const { a, b, nameA, nameB, sweeps } = compared;
  const shown = (name: string | null, id: string) => `${name === null ? '' : `${name}, `}\`${id}\``;
  return [
    `**A** ${shown(nameA, a)}, **B** ${shown(nameB, b)}\n`,
    ...sweeps.map(({ sweep, pairs }) => `#### ${sweepTitle[sweep]}\n\n${markdownTable(rowsOf(pairs))}\n`),
    ...lines.map((line) => `- ${line}`),
  ];
}

function textLines(compared: Comparison, lines: readonly string[]): readonly string[] {
  const { a, b, nameA, nameB, sweeps } = compared;
  return [
    `A: ${called(nameA, a)}`,
    `B: ${called(nameB, b)}`,
    ...sweeps.map(({ sweep, pairs }) => `\n${sweepTitle[sweep]}\n${formatTable([...header], rowsOf(pairs))}`),
    '',
    ...lines,
  ];
}

const kindOf: Readonly<Record<string, ComparisonFile>> = {
  '.pdf': 'pdf',
  '.html': 'html',
  '.csv': 'csv',
  '.md': 'markdown',
};

/** Throws input-invalid for other file types, and for published figures. */
function fileToWrite(out: string, a: string): { readonly kind: ComparisonFile; readonly path: string } {
  const kind = kindOf[extname(out).toLowerCase()];
  if (kind === undefined) {
    throw invalidInput(
      '--out',
      `"${out}" is not a file name for a comparison`,
      'End its name in .pdf, .html, .csv or .md.',
    );
  }
  if (publishedPattern.test(a)) {
    throw invalidInput(
      '--out',
      'A comparison with published figures cannot be written to a file',
      'The report of the run shows them beside its own figures.',
    );
  }
  return { kind, path: resolve(out) };
}

async function writeComparison(
  core: Core,
  { kind, path }: ReturnType<typeof fileToWrite>,
  { a, b, budgetMs }: Comparison,
  options: CompareOptions,
): Promise<void> {
  const request = { runIds: [a, b], p99BudgetMs: budgetMs, title: null };
  await keepReportChange(core, { kind: 'comparison', runIds: request.runIds }, options);
  await core.handlers['comparisons.write']({ request, kind, path });
}

const writtenLines = ({ out, junit }: CompareOptions): readonly string[] =>
  [out, junit].flatMap((file) => (file === undefined ? [] : [`Written: ${resolve(file)}`]));

export function addCompare(program: Verb): void {
  const command = program
    .command('compare')
    .description('Compare run B with run A, level by level, and take noise into account')
    .argument(
      '<run-a>',
      'the run to compare with: id or a unique prefix of it, name, latest, or latest~N; published or published:GPU for published figures',
    )
    .argument('<run-b>', 'the run to judge')
    .option(
      '--fail-if <criterion...>',
      'exit with code 3 if a common level violates it, for example "p99>1.1x" or "throughput<0.95x", and with 4 if that cannot be decided',
    )
    .option('--markdown', 'Markdown, for a pull request')
    .option('--out <file>', 'also write the comparison with charts to a file: .pdf, .html, .csv or .md')
    .option('--junit <file>', 'with --fail-if: also write the outcome as JUnit XML, for a CI system')
    .option(
      '--measure',
      'serve both runs again side by side, and measure them in turns until each criterion is decided',
    )
    .option('--budget <time>', 'with --measure: maximum time under load, e.g. 3m; default: 5m')
    .option('--concurrency <n>', 'with --measure: requests in flight; default: the level of run A’s answer')
    .option(
      '--request-rate <n>',
      'with --measure: requests per second with Poisson arrivals, in place of a concurrency',
    )
    .option('--batch-size <n>', 'with --measure: batch size of each request')
    .option('--name <name>', 'with --measure: name of the study; default: compare-<date>-<time>')
    .option('--dry-run', 'with --measure: show what would be measured; nothing is started');
  addReportOptions(addServerOptions(command, 'with --measure: '))
    .checking((options: CompareOptions) => {
      if (options.out === undefined) requireReportFile(options, '--out FILE');
      else reportChangeOf(options);
      if (options.junit !== undefined && options.failIf === undefined)
        throw invalidInput(
          '--junit',
          '--junit needs a criterion',
          'Add --fail-if, for example --fail-if "p99>1.1x".',
        );
    })
    .work(async ({ core, output, exit }, a: string, b: string, options: CompareOptions) => {
      const criteria = (options.failIf ?? []).map(parseCriterion);
      requireAnew(options, [a, b]);
      if (options.measure === true) {
        exit(await compareAnew(core, [a, b], options, output));
        return;
      }
      const file = options.out === undefined ? null : fileToWrite(options.out, a);
      const compared = await comparisonOf(core, a, b);
      const { sweeps } = compared;
      const judged = judgeComparison(sweeps, criteria);
      const outcome = criteria.length === 0 ? null : outcomeOfAll(judged);
      const sentences = sweeps.map(({ sweep, pairs }) => {
        const figures = pairs.flatMap(({ second }) => second ?? []);
        return `${sweepTitle[sweep]}: ${comparisonSentence('B', 'A', figures)}`;
      });
      const best = compared.best === null ? [] : [compared.best.text];
      const result = outcome === null ? [] : [resultLine(judged)];
      const lines = [...compared.notes, ...best, ...sentences, ...verdictLines(criteria, judged), ...result];
      if (outcome !== null) exit(exitOfOutcome[outcome]);
      if (file !== null) await writeComparison(core, file, compared, options);
      if (options.junit !== undefined)
        await writeOutput(resolve(options.junit), comparisonJUnit(compared, criteria, judged));
      const inForm = options.markdown === true ? markdownLines : textLines;
      if (output.json) output.document({ ...compared, outcome, judged, sentences });
      else for (const line of inForm(compared, lines)) output.say(line);
      // Markdown goes to a file of its own.
      if (options.markdown !== true) for (const line of writtenLines(options)) output.say(line);
    });
}

interface BestOptions {
  readonly last: number;
  readonly p99BudgetMs?: number;
}

function readCount(text: string): number {
  const count = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isInteger(count) && count > 1) return count;
  throw invalidInput('--last', `"${text}" is not a number of runs`, 'Use a whole number of at least 2.');
}

/** The named runs, or the newest `last` ones with results. */
async function chosenRuns(core: Core, given: readonly string[], last: number): Promise<readonly string[]> {
  const runIds: string[] = [];
  for (const name of given) runIds.push(await resolveRunId(core, name));
  if (runIds.length > 0) return [...new Set(runIds)];
  const { runs } = await core.handlers['runs.all'](undefined);
  return runs
    .filter(({ best }) => best !== null)
    .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
    .slice(0, last)
    .map(({ runId }) => runId);
}

export function addBest(program: Verb): void {
  program
    .command('best')
    .description('Name the best of several runs and its level, within a p99 budget if one is given')
    .argument('[run...]', 'two or more runs; default: the last runs that have results')
    .option('--last <count>', 'how many of the last runs', readCount, 5)
    .option('--p99-budget-ms <ms>', 'highest acceptable p99 latency, in milliseconds', readBudgetMs)
    .answer(async ({ core }, given: string[], options: BestOptions) => {
      const runIds = await chosenRuns(core, given, options.last);
      if (runIds.length < 2) {
        throw new WorkbenchError('input-invalid', 'At least two runs with a result are needed', {
          where: given.length === 0 ? 'the list of runs' : given.join(' '),
          remedy: 'The command "runs" lists them; "show" has the best level of one.',
        });
      }
      const budgetMs = (await budgetOf(core, options.p99BudgetMs)) ?? null;
      const runs = [];
      for (const runId of runIds) {
        const { state } = await core.handlers['runs.show']({ runId });
        runs.push({ name: state.name === null ? runId : `${state.name} (${runId})`, state });
      }
      const { index, isClear, sentence } = bestOfRuns(runs, budgetMs);
      const state = index === null ? undefined : runs[index]?.state;
      const best = (of: RunState) =>
        budgetMs === null ? bestDocument(of) : budgetDocument({ ...of, p99BudgetMs: budgetMs })?.best;
      return {
        document: {
          runIds,
          p99BudgetMs: budgetMs,
          runId: state?.runId ?? null,
          best: state === undefined ? null : best(state),
          isClear,
          text: sentence,
        },
        lines: () => sentence,
      };
    });
}
