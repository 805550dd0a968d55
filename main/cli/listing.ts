import type { Command } from 'commander';
import type { RunSummary } from '../contract/api';
import { WorkbenchError } from '../contract/errors';
import { stateWords } from '../contract/flag-text';
import { jobLine, jobPlace } from '../contract/job/run-job';
import { baselineGpu, otherwiseText } from '../contract/measured/baseline';
import { cellText, titleWithUnit } from '../contract/measured/column';
import { batchSize, latencies, loadOf, ownLoad, p99, throughput } from '../contract/measured/columns';
import { crossCheckOf } from '../contract/measured/cross-check';
import type { LoadPoint } from '../contract/measured/results';
import { bestAnswer, budgetText, historyOf } from '../contract/measured/verdict';
import { formatDuration, formatMs, formatRate, missing } from '../contract/numbers';
import { originMark, originText } from '../contract/run/run-content';
import { damageText, scenarios, shortWaitText, waitRemedy, waitText } from '../contract/run/run-events';
import { runSummarySchema } from '../contract/run/run-outcome';
import type { RunState } from '../contract/run/run-state';
import { hasSpec, measuredOnText } from '../contract/run/server-load';
import { instancesText } from '../contract/run/serving';
import { changesText } from '../contract/run/spec-tools';
import { estimateTimeLeft, timeLeftText } from '../contract/run/time-left';
import { loadToolText, skipWords, stepTitle } from '../contract/words';
import type { Core } from '../core';
import { type CliContext, formatError, formatTable, jsonHelp, type JsonOption, type Output } from './output';
import { crossCheckLines } from './perf/perf-print';
import { readBudgetMs, readNumber, readOneOf, resolveRunId, runArgument } from './read-values';
import { runDocument } from './run-progress';

/** Newest first: where each was measured, and what its answer is. */
function printHistory(output: Output, runs: readonly RunSummary[], runId: string): void {
  const found = historyOf(runs, runId);
  if (found.length === 0) {
    throw new WorkbenchError('input-invalid', 'This run has no history', {
      where: runId,
      remedy: 'Name a run of this workbench that was not imported; "runs" lists them.',
    });
  }
  if (output.json) {
    output.document({ runId, runs: found });
    return;
  }
  const [first] = found;
  output.say(
    `${first?.preset ?? ''} ${first?.format ?? ''} ${first?.precision ?? ''} (${first?.profile ?? ''})`,
  );
  const rows = found.map(({ runId: id, createdAt, machine, server, chosen, status }) => [
    `${id}${id === runId ? ' *' : ''}`,
    createdAt,
    status,
    machine === '' ? missing : machine,
    server === '' ? missing : server,
    chosen === null
      ? missing
      : `${formatRate(chosen.inferencesPerSecond)}${chosen.steady ? '' : ' (not steady)'}`,
    formatMs(chosen?.p99Us),
  ]);
  const header = ['run', 'created', 'status', 'GPU or CPU', 'server', throughput.title, titleWithUnit(p99)];
  output.say(formatTable(header, rows));
}

const statuses = [...runSummarySchema.shape.status.options, 'waiting'] as const;

interface RunsOptions extends JsonOption {
  readonly history?: string;
  readonly status?: string;
  readonly preset?: string;
  readonly limit?: string;
}

const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

/** Of a run that a job works on, where that is. */
function statusText({ status, waitsFor, job }: RunSummary): string {
  if (waitsFor?.reason === 'job') return lowered(shortWaitText(waitsFor));
  if (waitsFor !== null) return 'waiting';
  const place = jobPlace({ status, job });
  return place === null ? status : `${status} ${lowered(place)}`;
}

/** The runs that the options ask for, in the order of the list. Throws input-invalid. */
export function chosenRuns(runs: readonly RunSummary[], options: RunsOptions): readonly RunSummary[] {
  const { preset } = options;
  const wanted = (options.status ?? '')
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => readOneOf('--status', statuses, part));
  const limit = options.limit === undefined ? runs.length : readNumber('--limit', options.limit);
  if (!Number.isInteger(limit) || limit < 0) {
    throw new WorkbenchError('input-invalid', `"${String(options.limit)}" is not a number of runs`, {
      where: '--limit',
    });
  }
  return runs
    .filter((run) => preset === undefined || run.preset === preset)
    .filter(
      ({ status, waitsFor }) =>
        wanted.length === 0 || wanted.includes(status) || (waitsFor !== null && wanted.includes('waiting')),
    )
    .slice(0, limit);
}

function addRuns(program: Command, context: CliContext): void {
  program
    .command('runs')
    .description('List runs, newest first')
    .option('--status <list>', `only runs in these states: ${statuses.join(', ')}`)
    .option('--preset <id>', 'only runs of this preset')
    .option('--limit <n>', 'at most this many, the newest')
    .option('--history <run>', 'list the runs of the same model, format and precision as this run')
    .option('--json', jsonHelp)
    .action(async (options: RunsOptions) => {
      const output = context.output(options);
      const core = await context.core();
      const { runs: all, unreadable } = await core.listRuns();
      const runs = chosenRuns(all, options);
      if (options.history !== undefined) {
        printHistory(output, all, await resolveRunId(core, options.history));
        return;
      }
      if (output.json) {
        output.document({ runs, unreadable });
        return;
      }
      if (all.length > 0 && runs.length === 0) output.say('No runs match.');
      else if (runs.length === 0) output.say('No runs yet. Start one: run resnet50 --profile quick');
      else {
        const rows = runs.map((run) => [
          run.runId,
          statusText(run),
          run.best === null
            ? missing
            : `${formatRate(run.best.inferencesPerSecond)}${run.best.steady ? '' : ' (not steady)'}`,
          formatMs(run.best?.p99Us),
          run.accuracyPassed === null ? missing : run.accuracyPassed ? 'passed' : 'not passed',
          run.name ?? '',
          run.tags.join(', '),
          originMark[run.origin] ?? '',
        ]);
        const header = [
          'run',
          'status',
          `best ${throughput.title}`,
          titleWithUnit(p99),
          'accuracy',
          'name',
          'tags',
        ];
        const anyMark = runs.some(({ origin }) => originMark[origin] !== null);
        const shown = anyMark ? rows : rows.map((row) => row.slice(0, header.length));
        output.say(formatTable(anyMark ? [...header, 'origin'] : header, shown));
      }
      for (const { runId, damagedLines } of runs) {
        const damage = damageText(damagedLines);
        if (damage !== null) output.say(`${runId}: ${damage}`);
      }
      for (const run of unreadable) output.say(`${run.runId}: cannot be read: ${run.reason}`);
    });
}

/** What a run is and says of itself, up to its measurements. */
function summaryLines(state: RunState): readonly string[] {
  const { origin, imported, onServer, waitsFor } = state;
  const left = estimateTimeLeft(state, Date.now());
  const indented = [
    originText[origin],
    damageText(state.damagedLines),
    ...(imported === null
      ? []
      : [`imported from ${imported.fileName}: not measured here`, ...imported.notes]),
    onServer === null ? null : measuredOnText(onServer),
    hasSpec(state) ? `Model instances: ${instancesText(state.spec)}` : null,
    ...state.specChanges.map(({ at, changed }) => `Specification changed at ${at}: ${changesText(changed)}`),
    waitsFor === null ? null : `${waitText(waitsFor)} ${waitRemedy(waitsFor)}`,
    jobLine(state),
    state.job === null ? null : `Output of the job: ${state.job.log}`,
    left === null ? null : `${timeLeftText(left)}: ${left.basis}`,
    ...state.steps.map(({ id, status, skippedBecause, durationUs }) => {
      const time = durationUs === null || durationUs === 0 ? '' : ` (${formatDuration(durationUs)})`;
      return `${stepTitle[id]}: ${skippedBecause === null ? status : skipWords[skippedBecause]}${time}`;
    }),
    bestAnswer(state),
    budgetText(state),
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

/** For a run that is held against published figures. */
async function otherwiseLine(core: Core, state: RunState): Promise<string | null> {
  const { spec, environment } = state;
  const gpu = baselineGpu(
    spec,
    environment.gpus.map(({ name }) => name),
  );
  if (gpu === null || !hasSpec(state)) return null;
  return otherwiseText(await core.handlers['presets.differences']({ spec, gpu }));
}

function addShow(program: Command, context: CliContext): void {
  program
    .command('show')
    .description('Show a run: steps, accuracy and measured levels')
    .argument('<run>', runArgument)
    .option(
      '--p99-budget-ms <ms>',
      'also show the best level within this p99 latency, in milliseconds',
      readBudgetMs,
    )
    .option('--json', jsonHelp)
    .action(async (given: string, options: JsonOption & { readonly p99BudgetMs?: number }) => {
      const output = context.output(options);
      const { p99BudgetMs } = options;
      const core = await context.core();
      const runId = await resolveRunId(core, given);
      const { state: loaded, dir } = await core.getRun(runId);
      const state = p99BudgetMs === undefined ? loaded : { ...loaded, p99BudgetMs };
      if (output.json) {
        output.document(runDocument(state, dir));
        return;
      }
      output.say(
        `${state.name === null ? '' : `${state.name}, `}${runId}: ${state.status}${state.unverified ? ', unverified' : ''}`,
      );
      output.say(`  in ${dir}`);
      for (const line of summaryLines(state)) output.say(line);
      const otherwise = await otherwiseLine(await context.core(), state);
      if (otherwise !== null) output.say(`  ${otherwise}`);
      const document = runDocument(state, dir);
      for (const scenario of scenarios) {
        if (document[scenario].length === 0) continue;
        output.say('');
        output.say(scenario);
        output.say(pointsTable(document[scenario]));
        for (const line of crossCheckLines(crossCheckOf(state, scenario) ?? [])) output.say(line);
      }
      if (state.error !== null) output.say(formatError(state.error));
    });
}

/** The verbs that only look. */
export function addListing(program: Command, context: CliContext): void {
  addRuns(program, context);
  addShow(program, context);
}
