import { beyondTitle, errorText } from '../contract/error-text';
import { shellLine } from '../contract/flag-text';
import { meanBatch } from '../contract/measured/columns';
import { formatCount, formatDuration, formatScale } from '../contract/numbers';
import { remedyOf } from '../contract/remedy';
import { damageText, newerText, scenarios, skippedText } from '../contract/run/run-events';
import type { Tone } from '../contract/run/run-outcome';
import { importedFileOf } from '../contract/run/run-source';
import { type PerformanceSpec, type Protocol, protocols } from '../contract/run/run-spec';
import type { RunState, StepState } from '../contract/run/run-state';
import { ofScenario, ofScenarios, plannedSweep } from '../contract/run/sweep';
import { skipWords, stepTitle } from '../contract/words';
import type { NamedText, ReportCommand, ReportProblem, ReportStep } from './report';

/** The error of the run, or of its first failed step. */
function errorProblem({ steps, error: ofRun }: RunState): ReportProblem | null {
  const failed = steps.find((step) => step.error !== null);
  const error = ofRun ?? failed?.error ?? null;
  if (error === null) return null;
  const { title } = errorText[error.code];
  const where = [failed === undefined ? null : `Step “${stepTitle[failed.id]}”`, error.where ?? null];
  return {
    tone: 'bad',
    title,
    text: [beyondTitle(error), ...where.filter((part) => part !== null)].join(' · '),
    remedy: remedyOf(error),
    details: error.details ?? null,
  };
}

function damageProblem({ damagedLines }: RunState): ReportProblem | null {
  const { title, remedy } = errorText['journal-corrupt'];
  const text = damageText(damagedLines);
  return text === null ? null : { tone: 'bad', title, text, remedy, details: null };
}

function newerProblem({ newerLines }: RunState): ReportProblem | null {
  const { title, remedy } = errorText['journal-newer'];
  const text = newerText(newerLines);
  return text === null ? null : { tone: 'warning', title, text, remedy, details: null };
}

/** Worst first. */
export function reportProblems(state: RunState): readonly ReportProblem[] {
  const gate = state.accuracy?.result;
  const gateProblem: ReportProblem | null =
    gate === undefined || gate.passed
      ? null
      : {
          tone: 'bad',
          title: 'Accuracy gate not passed',
          text: gate.reasons.join('; '),
          remedy: null,
          details: null,
        };
  const ofRun = [
    ...(importedFileOf(state)?.notes ?? []).map((text) => ({ title: 'Imported', text })),
    ...(state.preflight?.skipped === true
      ? [{ title: stepTitle.images, text: skippedText(state.preflight) }]
      : []),
    ...(gate?.warnings ?? []).map((text) => ({ title: 'Accuracy', text })),
  ];
  const known = new Set(ofRun.map(({ text }) => text));
  // The accuracy step repeats the warnings of its gate. Two sweeps can have the same one, each of its own levels.
  const ofSteps = state.steps.flatMap((step) =>
    [...new Set(step.warnings)]
      .filter((text) => !known.has(text))
      .map((text) => ({ title: stepTitle[step.id], text })),
  );
  return [
    ...[errorProblem(state), damageProblem(state), gateProblem, newerProblem(state)].filter(
      (problem) => problem !== null,
    ),
    ...[...ofRun, ...ofSteps].map((warning) => ({
      tone: 'warning' as const,
      ...warning,
      remedy: null,
      details: null,
    })),
  ];
}

const statusWords: Readonly<Record<StepState['status'], { readonly label: string; readonly tone: Tone }>> = {
  waiting: { label: 'not reached', tone: 'neutral' },
  running: { label: 'in progress', tone: 'neutral' },
  done: { label: 'done', tone: 'good' },
  skipped: { label: 'skipped', tone: 'neutral' },
  failed: { label: 'failed', tone: 'bad' },
  cancelled: { label: 'cancelled', tone: 'warning' },
};

/** Without the step that writes the report. */
export function reportSteps(state: RunState): readonly ReportStep[] {
  return state.steps
    .filter(({ id }) => id !== 'report')
    .map((step) => {
      const { label, tone } = statusWords[step.status];
      return {
        id: step.id,
        title: stepTitle[step.id],
        status: step.skippedBecause === null ? label : skipWords[step.skippedBecause],
        tone,
        duration: formatDuration(step.durationUs),
        facts: step.facts,
        warnings: step.warnings,
      };
    });
}

/** Commands in order, exactly as run. */
export function reportCommands(state: RunState): readonly ReportCommand[] {
  return state.steps.flatMap((step) =>
    step.commands.map(({ argv, note }) => ({
      step: stepTitle[step.id],
      note: note ?? null,
      argv,
      line: shellLine(argv),
    })),
  );
}

const clientColumnsOf: Readonly<Record<Protocol, string>> = {
  grpc: 'Over gRPC they are the time to build the request message and to take the response message apart; the wire is in Network + server.',
  http: 'Over HTTP they are the time from the first to the last body byte sent, and from the first to the last body byte received.',
};

/** Client columns depend on the protocol's timestamps. */
function clientColumns(performance: PerformanceSpec): string {
  const used = new Set(ofScenarios(performance).map(({ protocol }) => protocol));
  return protocols
    .filter((protocol) => used.has(protocol))
    .map((protocol) => clientColumnsOf[protocol])
    .join(' ');
}

/** "500", or "100 (offline) or 500 (online)". */
function requestCounts(performance: PerformanceSpec): string {
  const counts = scenarios.map((scenario) => ofScenario(performance, scenario).measurementRequestCount);
  const [first = 0] = counts;
  if (counts.every((count) => count === first)) return formatCount(first);
  return counts.map((count, index) => `${formatCount(count)} (${scenarios[index] ?? ''})`).join(' or ');
}

const noneDropped = 'A level is never dropped: one without a result is shown with the reason.';

/** perf_analyzer has no warm-up by time. */
function warmupText({ warmupMs, warmupRequestCount, loadTool }: PerformanceSpec): string {
  if (warmupRequestCount > 0) return `after ${formatCount(warmupRequestCount)} requests that are not counted`;
  return warmupMs > 0 && loadTool === 'native'
    ? `after a warm-up of ${formatCount(warmupMs)} ms that is not counted`
    : 'without a warm-up';
}

const exactRequests = (performance: PerformanceSpec): string =>
  `A level is measured by exactly ${formatCount(performance.requestCount)} requests, ${warmupText(performance)}. ` +
  `Its stability is not judged by windows. ${noneDropped}`;

/** Of online levels with a trace or stages, before the rule of all others. */
function replayedTrace({ replay, stages, warmupMs }: PerformanceSpec): string {
  if ((replay ?? stages) === undefined) return '';
  const warmup =
    warmupMs > 0 ? `after a warm-up of ${formatCount(warmupMs)} ms that is not counted` : 'without a warm-up';
  const what =
    replay === undefined
      ? 'The requests of the stages are sent at the rates of the stages'
      : 'The requests of the trace are sent at their recorded times';
  return (
    `${what}, ${warmup}. ` +
    'The stability of such a level is not judged by windows. All other levels are measured as follows. '
  );
}

function stability(performance: PerformanceSpec): string {
  if (performance.requestCount > 0) return exactRequests(performance);
  const window =
    performance.measurementMode === 'time_windows'
      ? `windows of ${formatCount(performance.measurementIntervalMs)} ms`
      : `windows of at least ${requestCounts(performance)} requests`;
  return (
    `A level is measured in ${window}. It is steady when, over the last three windows, throughput and mean latency each ` +
    `stay within ${formatScale(performance.stabilityPercentage)} % of their smallest value, and its result merges those three. ` +
    `After ${formatCount(performance.maxTrials)} windows it is reported as is and marked not steady. ` +
    noneDropped
  );
}

const percentilesNote: NamedText = {
  name: 'Percentiles',
  value:
    'p50, p90, p95 and p99 are nearest ranks without interpolation: of n sorted latencies, the one at index floor(p/100 · (n − 1) + 0.5).',
};

export function importedNotes(): readonly NamedText[] {
  return [
    {
      name: 'Throughput',
      value:
        'Inferences/s counts batch items, not requests; of a profile export: answered requests times batch size, divided by the time of the windows.',
    },
    percentilesNote,
    {
      name: 'Steady levels',
      value:
        'perf_analyzer writes only levels that it found steady by its own setting, which the file does not contain.',
    },
    { name: '–', value: 'The file does not contain this value.' },
  ];
}

const partsNote =
  'Of one measurement: Student’s t times the spread of the parts of the level. It is not divided by their number, because changes in the speed of a machine last longer than a level and do not average out within it.';

function scheduleNotes(performance: PerformanceSpec): readonly NamedText[] {
  if (plannedSweep(performance, 'online') !== 'requestRate') return [];
  return [
    {
      name: 'Latency from schedule',
      value:
        'From the time at which a request was due, sent or not, so that it includes waits for a slow server (no coordinated omission). Latency from send omits that wait, as does every tool that does not keep a schedule. A budget applies to the p99 from schedule if there is one.',
    },
  ];
}

export function reportNotes(performance: PerformanceSpec): readonly NamedText[] {
  return [
    {
      name: 'Throughput',
      value:
        'Inferences/s counts batch items, not requests: answered requests times batch size, divided by the time of the windows.',
    },
    {
      name: 'Latency',
      value:
        'Measured by the client from just before a request is handed over until its answer is complete. avg is the mean of those measurements, not the sum of the components. All times are milliseconds.',
    },
    ...scheduleNotes(performance),
    percentilesNote,
    { name: 'Client send, Client receive', value: clientColumns(performance) },
    {
      name: 'Server columns',
      value:
        "Server queue and Compute input, infer and output are means from Triton's own statistics over the same windows. Network + server is what remains of the mean latency: the network and the server's own handling.",
    },
    { name: 'Steady levels', value: `${replayedTrace(performance)}${stability(performance)}` },
    {
      name: meanBatch.title,
      value:
        'Items in one execution inside the server: inference count divided by execution count. Above the request’s own batch size, dynamic batching is at work.',
    },
    {
      name: '± 95 %',
      value:
        performance.repeats > 1
          ? `Half-width of the 95 % interval of throughput and latencies, from the repeats of the level. With fewer than three repeats: the widest of theirs for the throughput, and none for latencies. ${partsNote}`
          : `Half-width of the 95 % interval of the throughput, or of a latency. ${partsNote} A latency has none if too few requests ended in a part: ten for avg, p50 and p90, 20 for p95, 100 for p99.`,
    },
  ];
}
