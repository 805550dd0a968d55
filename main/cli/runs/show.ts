import { stateWords } from '../../contract/flag-text';
import { jobLine } from '../../contract/job/run-job';
import { baselineGpu, otherwiseText } from '../../contract/measured/baseline';
import { cellText, titleWithUnit } from '../../contract/measured/column';
import { batchSize, latencies, loadOf, ownLoad, throughput } from '../../contract/measured/columns';
import { comparedLines } from '../../contract/measured/compared-batches';
import type { LoadPoint } from '../../contract/measured/results';
import { formatDuration } from '../../contract/numbers';
import { originText } from '../../contract/run/run-content';
import { leftOutText, scenarios, waitRemedy, waitText } from '../../contract/run/run-events';
import { verificationOf } from '../../contract/run/run-outcome';
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
import { modelRecordRows } from '../../domain/run/model-record-text';
import { servedByText } from '../../domain/run/served-by';
import { instancesText } from '../../domain/run/serving';
import { estimateTimeLeft, timeLeftText } from '../../domain/run/time-left';
import { levelsOf, runDocument } from '../json/run-document';
import { formatTable } from '../output';
import { crossCheckLines } from '../perf/perf-print';
import { localTime } from '../print/local-time';
import { metricLines } from '../print/metric-lines';
import { paintState } from '../print/terminal';
import { plainRunId, readBudgetMs, resolveRunId, runArgument } from '../read-values';
import type { Verb } from '../verb';

function summaryLines(state: RunState, past: readonly PastRun[]): readonly string[] {
  const { origin, source, waitsFor } = state;
  const left = estimateTimeLeft(state, Date.now(), past);
  const indented = [
    originText[origin],
    leftOutText(state),
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

/** Reads one run where the text names it without a list. Of one that cannot be read, the list says why. */
async function shownRun({ handlers }: ReadingCore, given: string) {
  const plain = plainRunId(await handlers['runs.ids'](undefined), given);
  const found = plain === null ? null : await handlers['runs.show']({ runId: plain }).catch(() => null);
  return found ?? handlers['runs.show']({ runId: await resolveRunId({ handlers }, given) });
}

export function addShow(program: Verb): void {
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
      const { state: loaded, dir } = await shownRun(core, given);
      const { runId } = loaded;
      const state = p99BudgetMs === undefined ? loaded : { ...loaded, p99BudgetMs };
      const served = servedByText(state);
      const otherwise = await otherwiseLine(core, state);
      const past = state.status === 'running' ? await core.handlers['runs.past']({ runId }) : [];
      // Loaded here: remedies know every field of the specification.
      const errors =
        state.error === null ? [] : [(await import('../print/format-error')).formatError(state.error)];
      const measured = scenarios.filter((scenario) => state.scenarios[scenario].points.length > 0);
      return {
        document: () => runDocument(state, dir),
        lines: () => [
          `${state.name === null ? '' : `${state.name}, `}${runId}: ${paintState(state.status)}`,
          `  in ${dir}`,
          `  accuracy ${verificationOf(state).label}`,
          ...comparedLines(state.accuracy?.result.batches).map((line) => `  ${line}`),
          ...metricLines(state.accuracy?.result ?? { metrics: [] }).map((line) => `  ${line}`),
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
          ...errors,
        ],
      };
    });
}
