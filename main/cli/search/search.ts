import { invalidInput } from '../../contract/errors';
import { shellLine } from '../../contract/flag-text';
import { cellText, titleWithUnit } from '../../contract/measured/column';
import { formatMs, formatRate } from '../../contract/numbers';
import { accelerators, exportFormats, exportPrecisions } from '../../contract/run/run-spec';
import type { AnalyzerConfig } from '../../contract/study/analyzer-config';
import type { Look, Searched, SearchSpace, SearchStrategy } from '../../contract/study/search';
import type { SearchPlan, StudyEntry, WinnerConfigs } from '../../contract/study/study';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import { diffLines, diffText } from '../../domain/line-diff';
import { durationText } from '../../domain/run/time-left';
import { placeLines } from '../../domain/study/place-text';
import { confirmSeconds } from '../../domain/study/search/next-looks';
import { timesText } from '../../domain/study/search/replay-load';
import { type SearchAnswer, searchAnswer } from '../../domain/study/search/search-answer';
import { searchColumns } from '../../domain/study/search/search-columns';
import { searchOf, searchWinner } from '../../domain/study/search/search-study';
import { phaseText, presentText, untriedLines } from '../../domain/study/search/search-text';
import { collect } from '../field-options';
import { exitCodes, formatTable, type Output } from '../output';
import { readDuration, readNumber, readNumbers, readOneOf } from '../read-values';
import { sayReports, workOnOwn } from '../studies/own-study';
import type { Verb } from '../verb';
import { analyzerLines, type AnalyzerOptions, type AnalyzerSource, analyzerSource } from './analyzer-config';
import { jointFile, startJoint } from './joint';
import { addAtOptions, agreedToLoad, approveHost, searchAt, type SearchAtOptions } from './search-at';
import { addGoalOptions, goalOf, type GoalOptions } from './search-goal';
import { addReplayOptions, approveReplay, replayOf, type ReplayOptions } from './search-replay';
import { readSubject, type SearchSubject, type SubjectOptions } from './search-subject';

interface SearchOptions extends GoalOptions, AnalyzerOptions, ReplayOptions, SubjectOptions, SearchAtOptions {
  readonly load?: string;
  readonly p99?: string;
  readonly p95?: string;
  readonly p90?: string;
  readonly p50?: string;
  readonly budget?: string;
  readonly part?: string;
  readonly instances?: string;
  readonly maxBatchSizes?: string;
  readonly batching?: string;
  readonly queueDelaysUs?: string;
  readonly preferredBatchSizes?: readonly string[];
  readonly threads?: string;
  readonly formats?: string;
  readonly precisions?: string;
  readonly accelerators?: string;
  readonly concurrency?: string;
  readonly batchSize?: string;
  readonly batchSizes?: string;
  readonly errorPercentage?: string;
  readonly name?: string;
  readonly dryRun?: boolean;
}

const usualBudget = '5m';
const loads = ['open', 'closed'] as const;
const batchings = ['disabled', 'static', 'dynamic'] as const;

const listed = <Value extends string>(flag: string, values: readonly Value[], text: string | undefined) =>
  text?.split(',').map((one) => readOneOf(flag, values, one.trim()));

const wholes = (flag: string, text: string | undefined, least: number): number[] | undefined =>
  text === undefined
    ? undefined
    : readNumbers(flag, text).map((value) => {
        if (Number.isInteger(value) && value >= least) return value;
        throw invalidInput(flag, `${value} is not a whole number of at least ${least}`);
      });

function spaceOf(options: SearchOptions): SearchSpace {
  const { batching, preferredBatchSizes } = options;
  return present({
    instances: wholes('--instances', options.instances, 1),
    maxBatchSize: wholes('--max-batch-sizes', options.maxBatchSizes, 1),
    maxQueueDelayUs: wholes('--queue-delays-us', options.queueDelaysUs, 0),
    threads: wholes('--threads', options.threads, 0),
    format: listed('--formats', exportFormats, options.formats),
    precision: listed('--precisions', exportPrecisions, options.precisions),
    backendAccelerator: listed('--accelerators', accelerators, options.accelerators),
    batchSize: wholes('--batch-sizes', options.batchSizes, 1),
    batching: listed('--batching', batchings, batching),
    preferredBatchSizes: preferredBatchSizes?.map((list) => [
      ...(list === 'none' ? [] : (wholes('--preferred-batch-sizes', list, 1) ?? [])),
    ]),
  });
}

/** The one of `--p99` to `--p50` that was given. */
function targetOf(options: SearchOptions) {
  const given = ([99, 95, 90, 50] as const).flatMap((percentile) => {
    const text = options[`p${percentile}`];
    return text === undefined ? [] : [{ percentile, text }];
  });
  const [target, other] = given;
  if (target === undefined) return {};
  if (other !== undefined) {
    throw invalidInput(`--p${other.percentile}`, 'A search has one latency target', 'Give one of them.');
  }
  const latencyUs = Math.round(readDuration(`--p${target.percentile}`, target.text, 'us', 'ms'));
  if (latencyUs > 0) return { percentile: target.percentile, latencyUs };
  throw invalidInput(`--p${target.percentile}`, `"${target.text}" is not a latency`, 'For example 20ms.');
}

/** A rate or a trace is sent in an open loop, whatever a file says. */
function loadOf(
  { load, rate, replay }: SearchOptions,
  ofFile: 'open' | 'closed' | undefined,
): 'open' | 'closed' {
  if (load !== undefined) return readOneOf('--load', loads, load);
  return rate === undefined && replay === undefined ? (ofFile ?? 'open') : 'open';
}

interface AskedSearch {
  readonly plan: SearchPlan;
  readonly analyzer: AnalyzerConfig | null;
}

/** Options take the place of what the file of `--from-analyzer` says. */
async function planOf(
  core: Core,
  { of }: SearchSubject,
  read: AnalyzerSource['read'],
  options: SearchOptions,
): Promise<AskedSearch> {
  const { name, part, batchSize, concurrency, errorPercentage } = options;
  const target = targetOf(options);
  const analyzer = await read(of);
  const { request } = analyzer ?? {};
  const plan = await core.handlers['searches.plan']({
    ...request,
    ...of,
    space: { ...request?.space, ...spaceOf(options) },
    load: loadOf(options, request?.load),
    ...target,
    ...goalOf(options),
    ...(await replayOf(core, options)),
    ...(await searchAt(core, options)),
    budgetS: readDuration('--budget', options.budget ?? usualBudget, 's'),
    ...present({
      ...{ name, part },
      batchSize: wholes('--batch-size', batchSize, 1)?.[0],
      concurrency: wholes('--concurrency', concurrency, 1),
      errorPercentage:
        errorPercentage === undefined ? undefined : readNumber('--error-percentage', errorPercentage),
    }),
  });
  return { plan, analyzer };
}

function planLines({ search, notes, asks, spec, candidates }: SearchPlan): readonly string[] {
  const { budgetS, load, lookMs } = search;
  const kind =
    load.kind === 'open' ? `requests ${timesText(search)}` : `concurrency ${load.concurrency.join(', ')}`;
  return [
    `Search ${spec.name}: ${candidates.length} configurations of ${search.runId ?? spec.strategy.trials[0]?.choice.preset ?? ''}`,
    ...[...notes, ...(asks?.facts ?? [])].map((note) => `  ${note}`),
    `  Load: ${load.kind}, ${kind}, batch size ${load.batchSize}`,
    `  At most ${durationText(budgetS)} of load: ${lookMs / 1000} s for each at first, ${confirmSeconds(search)} s for the last comparison`,
    ...candidates.map((one, at) => `  ${at + 1}  ${one}`),
  ];
}

const loadText = (load: Look['load']): string =>
  'concurrency' in load ? `concurrency ${load.concurrency}` : `${formatRate(load.requestRate)} requests/s`;

function entryText(search: SearchStrategy, entry: StudyEntry, seconds: number): string | null {
  if (entry.type === 'candidate-failed') {
    return `  configuration ${entry.candidate}: not measured: ${entry.error.message}`;
  }
  if (entry.type !== 'look') return null;
  const { candidate, phase, load, inferencesPerSecond, latencyUs } = entry.look;
  const spent = `${Math.round(seconds)} of ${search.budgetS} s`;
  const figures = `${formatRate(inferencesPerSecond)} inferences/s, p${search.target.percentile} ${formatMs(latencyUs)} ms`;
  return `  ${spent}  ${phaseText[phase]}: configuration ${candidate} at ${loadText(load)}: ${figures}`;
}

/** The config.pbtxt of the best configuration and of the present one; null where it cannot be written, as without its run. */
export const configsOf = (core: Core, name: string): Promise<WinnerConfigs | null> =>
  core.handlers['searches.configs']({ name }).catch(() => null);

function changeLines(configs: WinnerConfigs | null): readonly string[] {
  const lines = configs === null ? [] : diffLines(configs.present, configs.winner);
  return lines.length === 0 ? [] : ['', 'Changes of config.pbtxt:', ...lines.map(diffText), ''];
}

/** The answer first, then the record. */
export function answerLines(
  search: SearchStrategy,
  searched: Searched,
  configs: WinnerConfigs | null,
): readonly string[] {
  const answer = searchAnswer(search, searched);
  const { rows, seconds, isCutShort } = answer;
  const winner = searchWinner({ searched }, search);
  const columns = searchColumns(search);
  const present = presentText(search, answer);
  return [
    '',
    `${answer.sentence}.`,
    ...(present === null ? [] : [`${present}.`]),
    ...(isCutShort
      ? ['The budget ended before every configuration was judged. Give more time with --budget.']
      : []),
    ...(answer.isConfirmed || answer.winner === null
      ? []
      : [
          'The best configuration was not measured at full length at its reported load. Give more time with --budget.',
        ]),
    '',
    formatTable(
      columns.map(titleWithUnit),
      rows.map((row) => columns.map((column) => cellText(column, row))),
    ),
    `${Math.round(seconds)} s of load.`,
    ...placeLines(answer).map((line) => `${line}.`),
    ...untriedLines(search, answer).map((line) => `${line}.`),
    ...changeLines(configs),
    ...(winner === null ? [] : [`To run it: ${shellLine(winner.argv)}`]),
  ];
}

/** A partial answer is not `done`: not every configuration was judged, or the best one was not confirmed. */
export function codeOfAnswer({
  winner,
  isConfirmed,
  isCutShort,
}: Pick<SearchAnswer, 'winner' | 'isConfirmed' | 'isCutShort'>): number {
  if (winner === null) return exitCodes.noAnswer;
  return isConfirmed && !isCutShort ? exitCodes.done : exitCodes.paused;
}

/** Works on a search to its end or a stop, with its progress. @returns the exit code */
export async function workOnSearch(
  core: Core,
  { spec, search }: Pick<SearchPlan, 'spec' | 'search'>,
  output: Output,
  resume: boolean,
): Promise<number> {
  const { searched, isCancelled } = await workOnOwn(core, { spec, resume }, output, (entry, { seconds }) =>
    entryText(search, entry, seconds),
  );
  const answer = searchAnswer(search, searched);
  // With the run that it made.
  const done = searchOf(await core.handlers['searches.get']({ name: spec.name })) ?? search;
  const configs = await configsOf(core, spec.name);
  for (const line of answerLines(done, searched, configs)) output.say(line);
  const reports = await sayReports(core, spec.name, output);
  if (output.json) output.document({ name: spec.name, search: done, answer, configs, reports });
  return isCancelled ? exitCodes.cancelled : codeOfAnswer(answer);
}

/** `search`: which configuration takes the most load within a latency target. */
export function addSearch(program: Verb): void {
  const verb = program
    .command('search')
    .description('Find the configuration of a model that sustains the highest load within a latency target')
    .argument(
      '[subject]',
      'run (id or a unique prefix of it, name, latest), preset, your own model, or file with a specification or with several models; default: the model of --from-analyzer',
    )
    .option(
      '--load <kind>',
      'open (default): the highest rate of requests; closed: the highest throughput at a concurrency',
    )
    .option('--p99 <time>', 'largest p99 latency, e.g. 20ms; default: the budget of the run')
    .option('--p95 <time>', 'largest p95 latency in place of a p99')
    .option('--p90 <time>', 'largest p90 latency in place of a p99')
    .option('--p50 <time>', 'largest median latency in place of a p99');
  addAtOptions(addReplayOptions(addGoalOptions(verb)))
    .option('--budget <time>', `maximum time under load, e.g. 10m; default: ${usualBudget}`)
    .option('--part <model>', 'with a run of an ensemble: the composing model to search')
    .option('--instances <list>', 'model instances to try')
    .option('--max-batch-sizes <list>', 'maximum batch sizes to try')
    .option('--batching <list>', 'batching to try: disabled, static, dynamic')
    .option('--queue-delays-us <list>', 'maximum queue delays to try, microseconds')
    .option('--preferred-batch-sizes <list...>', 'preferred batch sizes to try; each a list, or "none"')
    .option('--threads <list>', 'threads per instance to try (CPU); 0: the runtime’s choice')
    .option('--formats <list>', `formats to try: ${exportFormats.join(', ')}; each is prepared first`)
    .option('--precisions <list>', `precisions to try: ${exportPrecisions.join(', ')}; default on GPUs: both`)
    .option('--accelerators <list>', `backend accelerators to try: ${accelerators.join(', ')}`)
    .option('--concurrency <list>', 'with --load closed: concurrencies to try')
    .option('--batch-size <n>', 'batch size of each request; default: that of the run’s online levels')
    .option('--batch-sizes <list>', 'batch sizes of requests to try')
    .option('--error-percentage <n>', 'maximum share of failed requests, in percent')
    .option('--from-analyzer <file>', 'values, load and target of a configuration of Model Analyzer (YAML)')
    .option(
      '--analyzer-model <name>',
      'model of that file; default: the one with the name of the run’s model',
    )
    .option('--name <name>', 'name of the study; default: search-<date>-<time>')
    .option('--set <KEY=VALUE>', 'with a model or a specification: a field of run.yaml; repeatable', collect)
    .option('--shape <name=dims>', 'with your own model file: sample shape of an input; repeatable', collect)
    .option('--trust', 'trust the code of your own model, and approve the files that a specification names')
    .option('--dry-run', 'show what would be compared; nothing is started')
    .work(async ({ core, output, exit }, text: string | undefined, options: SearchOptions) => {
      const several = await jointFile(core, text, options);
      if (several !== null) {
        exit(await startJoint(core, several, options, output));
        return;
      }
      const { path, read } = await analyzerSource(core, options, text !== undefined);
      const subject = await readSubject(core, path ?? text ?? '', options);
      const { plan, analyzer } = await planOf(core, subject, read, options);
      for (const line of analyzer === null ? [] : analyzerLines(analyzer)) output.say(line);
      for (const line of planLines(plan)) output.say(line);
      if (options.dryRun === true) {
        if (output.json) output.document(analyzer === null ? plan : { ...plan, analyzer });
        return;
      }
      if (!(await agreedToLoad(output, 'search', plan.asks, options.yes))) {
        output.say('Nothing was loaded.');
        return;
      }
      await subject.approve();
      await approveReplay(core, plan.search);
      await approveHost(core, options.host);
      exit(await workOnSearch(core, plan, output, false));
    });
}
