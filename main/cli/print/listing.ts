import type { RunSummary } from '../../contract/api';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import { stateWords } from '../../contract/flag-text';
import { jobLine, jobPlace } from '../../contract/job/run-job';
import { baselineGpu, otherwiseText } from '../../contract/measured/baseline';
import { cellText, titleWithUnit } from '../../contract/measured/column';
import { batchSize, latencies, loadOf, ownLoad, p99, throughput } from '../../contract/measured/columns';
import { comparedLines } from '../../contract/measured/compared-batches';
import type { LoadPoint } from '../../contract/measured/results';
import { formatDuration, formatMs, formatRate, missing } from '../../contract/numbers';
import { originMark, originText } from '../../contract/run/run-content';
import { damageText, scenarios, shortWaitText, waitRemedy, waitText } from '../../contract/run/run-events';
import { accuracyText, runSummarySchema, verificationOf } from '../../contract/run/run-outcome';
import { bySource, specOf } from '../../contract/run/run-source';
import type { RunState } from '../../contract/run/run-state';
import type { PastRun } from '../../contract/run/run-step';
import { measuredOnText } from '../../contract/run/server-load';
import { changesText } from '../../contract/run/spec-tools';
import { loadToolText, skipWords, stepTitle } from '../../contract/words';
import type { ReadingCore } from '../../core/reading-core';
import { answerLines } from '../../domain/measured/again';
import { crossCheckOf } from '../../domain/measured/cross-check';
import { shortLimitsLines } from '../../domain/measured/limits/limits';
import { historyOf } from '../../domain/measured/verdict';
import { modelRecordRows } from '../../domain/run/model-record-text';
import { servedByText } from '../../domain/run/served-by';
import { instancesText } from '../../domain/run/serving';
import { estimateTimeLeft, timeLeftText } from '../../domain/run/time-left';
import { levelsOf, runDocument } from '../json/run-document';
import { formatError, formatTable } from '../output';
import { crossCheckLines } from '../perf/perf-print';
import { readBudgetMs, readNumber, readOneOf, resolveRunId, runArgument } from '../read-values';
import type { Answer, Verb } from '../verb';
import { localTime } from './local-time';
import { paintState } from './terminal';

function historyAnswer(runs: readonly RunSummary[], runId: string): Answer {
  const found = historyOf(runs, runId);
  if (found.length === 0) {
    throw new WorkbenchError('input-invalid', 'This run has no history', {
      where: runId,
      remedy: 'Name a run of this workbench that was not imported; "runs" lists them.',
    });
  }
  const [first] = found;
  const model = `${first?.preset ?? ''} ${first?.format ?? ''} ${first?.precision ?? ''} (${first?.profile ?? ''})`;
  const rows = found.map(({ runId: id, createdAt, machine, server, chosen, answer, status }) => [
    `${id}${id === runId ? ' *' : ''}`,
    localTime(createdAt),
    paintState(status),
    machine === '' ? missing : machine,
    server === '' ? missing : server,
    rateText({ chosen, answer }),
    formatMs(chosen?.p99Us),
  ]);
  const header = ['run', 'created', 'status', 'GPU or CPU', 'server', throughput.title, titleWithUnit(p99)];
  return { document: { runId, runs: found }, lines: () => [model, formatTable(header, rows)] };
}

const statuses = [...runSummarySchema.shape.status.options, 'waiting'] as const;

interface RunsOptions {
  readonly history?: string;
  readonly status?: string;
  readonly preset?: string;
  readonly limit?: string;
}

const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

function statusText({ status, waitsFor, job }: RunSummary): string {
  if (waitsFor?.reason === 'job') return lowered(shortWaitText(waitsFor));
  if (waitsFor !== null) return 'waiting';
  const place = jobPlace({ status, job });
  return place === null ? status : `${status} ${lowered(place)}`;
}

/** Filters and limits in list order. Throws input-invalid. */
export function chosenRuns(runs: readonly RunSummary[], options: RunsOptions): readonly RunSummary[] {
  const { preset } = options;
  const wanted = (options.status ?? '')
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => readOneOf('--status', statuses, part));
  const limit = options.limit === undefined ? runs.length : readNumber('--limit', options.limit);
  if (!Number.isInteger(limit) || limit < 0) {
    throw invalidInput('--limit', `"${String(options.limit)}" is not a number of runs`);
  }
  return runs
    .filter((run) => preset === undefined || run.preset === preset)
    .filter(
      ({ status, waitsFor }) =>
        wanted.length === 0 || wanted.includes(status) || (waitsFor !== null && wanted.includes('waiting')),
    )
    .slice(0, limit);
}

function addRuns(program: Verb): void {
  program
    .command('runs')
    .description('List runs, newest first')
    .option('--status <list>', `only runs in these states: ${statuses.join(', ')}`)
    .option('--preset <id>', 'only runs of this preset')
    .option('--limit <n>', 'at most this many, the newest')
    .option('--history <run>', 'list the runs of the same model, format and precision as this run')
    .reading(async ({ core }, options: RunsOptions) => {
      const { runs: all, unreadable } = await core.handlers['runs.all'](undefined);
      const runs = chosenRuns(all, options);
      if (options.history !== undefined) {
        return historyAnswer(all, await resolveRunId(core, options.history));
      }
      const none = all.length > 0 ? 'No runs match.' : 'No runs yet. Start one: run resnet50 --profile quick';
      return {
        document: { runs, unreadable },
        lines: () => [
          runs.length === 0 ? none : runsTable(runs),
          ...runs.flatMap(({ runId, damagedLines }) => {
            const damage = damageText(damagedLines);
            return damage === null ? [] : `${runId}: ${damage}`;
          }),
          ...unreadable.map(({ runId, reason }) => `${runId}: cannot be read: ${reason}`),
        ],
      };
    });
}

/** The chosen throughput and its caveats: "1,906 (3 faster not steady)". */
function rateText({ chosen, answer }: Pick<RunSummary, 'chosen' | 'answer'>): string {
  const mark = answer === null || answer.mark === null ? '' : ` (${answer.mark})`;
  return `${chosen === null ? missing : formatRate(chosen.inferencesPerSecond)}${mark}`;
}

/** The Origin column appears only if some run came from elsewhere. */
function runsTable(runs: readonly RunSummary[]): string {
  const header = [
    'run',
    'status',
    `best ${throughput.title}`,
    titleWithUnit(p99),
    'accuracy',
    'name',
    'tags',
  ];
  const anyStudy = runs.some(({ matrix }) => matrix !== undefined);
  const anyMark = runs.some(({ origin }) => originMark[origin] !== null);
  const rows = runs.map((run) => [
    run.runId,
    paintState(statusText(run)),
    rateText(run),
    formatMs(run.chosen?.p99Us),
    accuracyText(run.accuracy),
    run.name ?? '',
    run.tags.join(', '),
    ...(anyStudy ? [run.matrix?.name ?? ''] : []),
    ...(anyMark ? [originMark[run.origin] ?? ''] : []),
  ]);
  return formatTable([...header, ...(anyStudy ? ['study'] : []), ...(anyMark ? ['origin'] : [])], rows);
}

function summaryLines(state: RunState, past: readonly PastRun[]): readonly string[] {
  const { origin, source, waitsFor } = state;
  const left = estimateTimeLeft(state, Date.now(), past);
  const indented = [
    originText[origin],
    damageText(state.damagedLines),
    ...bySource(source, {
      imported: ({ fileName, notes }) => [`imported from ${fileName}: not measured here`, ...notes],
      server: (load) => [measuredOnText(load)],
      deployed: (spec) => [`Model instances: ${instancesText(spec)}`],
    }),
    state.matrix === null ? null : `Run of the study ${state.matrix.name}`,
    ...state.specChanges.map(
      ({ at, changed }) => `Specification changed at ${localTime(at)}: ${changesText(changed)}`,
    ),
    waitsFor === null ? null : `${waitText(waitsFor)} ${waitRemedy(waitsFor)}`,
    jobLine(state),
    state.job === null ? null : `Output of the job: ${state.job.log}`,
    left === null ? null : `${timeLeftText(left)}: ${left.basis}`,
    ...state.steps.map(({ id, status, skippedBecause, durationUs }) => {
      const time = durationUs === null || durationUs === 0 ? '' : ` (${formatDuration(durationUs)})`;
      return `${stepTitle[id]}: ${skippedBecause === null ? status : skipWords[skippedBecause]}${time}`;
    }),
    ...answerLines(state),
  ];
  return indented.filter((line) => line !== null).map((line) => `  ${line}`);
}

function pointsTable(points: readonly LoadPoint[]): string {
  const repeated = points.some((point) => point.repeat !== undefined);
  const open = points.some((point) => point.requestRate !== undefined);
  const columns = [throughput, ...latencies];
  const rows = points.map((point) => [
    ...(repeated ? [String(point.repeat ?? 1), loadToolText(point)] : []),
    ...[batchSize, ownLoad(point), ...columns].map((column) => cellText(column, point)),
    stateWords(point),
  ]);
  const header = [
    ...(repeated ? ['Repeat', 'Load tool'] : []),
    ...[batchSize, loadOf(open ? 'requestRate' : 'concurrency'), ...columns].map(titleWithUnit),
    'State',
  ];
  return formatTable(header, rows);
}

/** Warns if the run differs from the conditions of the published figures. */
async function otherwiseLine(core: ReadingCore, state: RunState): Promise<string | null> {
  const spec = specOf(state);
  const names = state.environment.gpus.map(({ name }) => name);
  const gpu = spec === null ? null : baselineGpu(spec, names);
  if (spec === null || gpu === null) return null;
  return otherwiseText(await core.handlers['presets.differences']({ spec, gpu }));
}

function addShow(program: Verb): void {
  program
    .command('show')
    .description('Show a run: steps, accuracy and measured levels')
    .argument('<run>', runArgument)
    .option(
      '--p99-budget-ms <ms>',
      'also show the best level within this p99 latency, in milliseconds',
      readBudgetMs,
    )
    .reading(async ({ core }, given: string, { p99BudgetMs }: { readonly p99BudgetMs?: number }) => {
      const runId = await resolveRunId(core, given);
      const { state: loaded, dir } = await core.handlers['runs.show']({ runId });
      const state = p99BudgetMs === undefined ? loaded : { ...loaded, p99BudgetMs };
      const served = servedByText(state);
      const otherwise = await otherwiseLine(core, state);
      const past = state.status === 'running' ? await core.handlers['runs.past']({ runId }) : [];
      const measured = scenarios.filter((scenario) => state.scenarios[scenario].points.length > 0);
      return {
        document: () => runDocument(state, dir),
        lines: () => [
          `${state.name === null ? '' : `${state.name}, `}${runId}: ${paintState(state.status)}`,
          `  in ${dir}`,
          `  accuracy ${verificationOf(state).label}`,
          ...comparedLines(state.accuracy?.result.batches).map((line) => `  ${line}`),
          ...(served === null ? [] : [`  served by ${served}`]),
          ...modelRecordRows(state.modelRecord).map(({ name, value }) => `  ${name}: ${value}`),
          ...summaryLines(state, past),
          ...(otherwise === null ? [] : [`  ${otherwise}`]),
          ...shortLimitsLines(state).map((line) => `  ${line}`),
          ...measured.flatMap((scenario) => [
            '',
            scenario,
            pointsTable(levelsOf(state, scenario)),
            ...crossCheckLines(crossCheckOf(state, scenario) ?? []),
          ]),
          ...(state.error === null ? [] : [formatError(state.error)]),
        ],
      };
    });
}

export function addListing(program: Verb): void {
  addRuns(program);
  addShow(program);
}
