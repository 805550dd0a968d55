import type { WireError } from '../errors';
import type { JobState } from '../job/run-job';
import { noTraces, type RunTraces, withTrace } from '../load/run-traces';
import type { ColdStart, WarmUpTrial } from '../measured/cold-start';
import type { ModelMemory } from '../measured/model-memory';
import type { AccuracyResult, Environment } from '../measured/results';
import type { ModelRecord } from '../own/model-record';
import { type ByType, type OfType, present } from '../trees';
import type { RunOrigin } from './run-content';
import {
  type JournalEntry,
  type MatrixMark,
  type ReportFile,
  type RunOutcome,
  type RunWait,
  type Scenario,
  scenarios,
  type StepId,
  stepsOf,
} from './run-events';
import type { Deployed, RunSource } from './run-source';
import { firstSteps, freshStep, pausedStep, sourceOf, type StepState } from './run-step';
import type { SpecChange } from './spec-tools';
import { type DueAgain, loadKey, type MeasuredPoint, type ScenarioState } from './sweep';

export type { StepState, StepStatus } from './run-step';
export type { MeasuredPoint, MissingPoint, ScenarioState } from './sweep';

/** `interrupted`: the journal has no outcome and nobody holds the run; only the store can tell. */
export type RunStatus = 'created' | 'running' | 'interrupted' | RunOutcome;

export interface RunState {
  readonly runId: string;
  readonly seq: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly attempt: number;
  readonly source: RunSource;
  /** Changes since the run was created; empty without any. */
  readonly specChanges: readonly SpecChange[];
  readonly environment: Environment;
  /** null: not of a matrix. */
  readonly matrix: MatrixMark | null;
  /** Only the store can verify it. */
  readonly origin: RunOrigin;
  readonly status: RunStatus;
  readonly error: WireError | null;
  readonly steps: readonly StepState[];
  readonly accuracy: { readonly key: string; readonly result: AccuracyResult } | null;
  readonly scenarios: Readonly<Record<Scenario, ScenarioState>>;
  /** Measured under an earlier specification or other inputs: not results, but reused where needed again. */
  readonly earlier: Readonly<Record<Scenario, readonly MeasuredPoint[]>>;
  /** To be repeated, and not measured since. */
  readonly again: readonly DueAgain[];
  readonly traces: RunTraces;
  readonly reports: readonly ReportFile[];
  /** What its model takes; null: not measured, or the configuration has changed since. */
  readonly memory: ModelMemory | null;
  /** null: not measured, or by an earlier version. */
  readonly coldStart: ColdStart | null;
  /** What exactly was deployed of a Hugging Face folder; null: another model, not yet, or by an earlier version. */
  readonly modelRecord: ModelRecord | null;
  /** null: not tried, or the configuration has changed since. */
  readonly warmUpTrial: WarmUpTrial | null;
  /** Measured although the accuracy gate failed. */
  readonly unverified: boolean;
  /** A failed gate was overridden after the start; the specification still refuses. */
  readonly gateOverridden: boolean;
  /** Of the last attempt in containers; skipped problems stay marked. null: another engine or an earlier version. */
  readonly preflight: {
    readonly release: string | null;
    readonly skipped: boolean;
    readonly problems: readonly { readonly title: string; readonly finding: string }[];
  } | null;
  readonly name: string | null;
  readonly tags: readonly string[];
  readonly note: string;
  /** Milliseconds. */
  readonly p99BudgetMs: number | null;
  /** Budget when the reports were written, to detect a change. */
  readonly reportedBudgetMs: number | null;
  readonly reportedName: string | null;
  /** null when it does not wait. */
  readonly waitsFor: RunWait | null;
  /** Last job of the run; null: none. */
  readonly job: JobState | null;
  /** Steps to repeat, not done yet: files of earlier runs are not reused for them. */
  readonly forgotten: readonly StepId[];
  /** From 1; their content may be missing. Only the store can tell. */
  readonly damagedLines: readonly number[];
}

export type DeployedRun = Deployed<RunState>;

const nothingMeasured: ScenarioState = { points: [], missing: [] };
const nothingRecorded = { memory: null, coldStart: null, modelRecord: null, warmUpTrial: null } as const;

function createdState(entry: JournalEntry & { readonly type: 'run-created' }): RunState {
  const source = sourceOf(entry);
  return {
    runId: entry.runId,
    seq: entry.seq,
    createdAt: entry.at,
    updatedAt: entry.at,
    attempt: 0,
    source,
    specChanges: [],
    environment: entry.environment,
    matrix: entry.matrix ?? null,
    origin: 'own',
    status: 'created',
    error: null,
    steps: firstSteps(source),
    accuracy: null,
    scenarios: { offline: nothingMeasured, online: nothingMeasured },
    earlier: { offline: [], online: [] },
    again: [],
    traces: noTraces,
    reports: [],
    ...nothingRecorded,
    unverified: false,
    gateOverridden: false,
    preflight: null,
    name: null,
    tags: [],
    note: '',
    p99BudgetMs: null,
    reportedBudgetMs: null,
    reportedName: null,
    waitsFor: null,
    job: null,
    forgotten: [],
    damagedLines: [],
  };
}

function withStep(state: RunState, id: StepId, change: (step: StepState) => StepState): RunState {
  return { ...state, steps: state.steps.map((step) => (step.id === id ? change(step) : step)) };
}

function withScenario(
  state: RunState,
  scenario: Scenario,
  change: (value: ScenarioState) => ScenarioState,
): RunState {
  return { ...state, scenarios: { ...state.scenarios, [scenario]: change(state.scenarios[scenario]) } };
}

const withoutCheck = { accuracy: null, unverified: false, gateOverridden: false } as const;

/** Also drops journaled points, which are then measured again. */
function withoutSteps(state: RunState, steps: readonly StepId[]): RunState {
  const gone = new Set(steps);
  return {
    ...state,
    steps: state.steps.map((step) => (gone.has(step.id) ? freshStep(step.id) : step)),
    scenarios: {
      offline: gone.has('offline') ? nothingMeasured : state.scenarios.offline,
      online: gone.has('online') ? nothingMeasured : state.scenarios.online,
    },
    earlier: {
      offline: gone.has('offline') ? [] : state.earlier.offline,
      online: gone.has('online') ? [] : state.earlier.online,
    },
    again: state.again.filter(({ scenario }) => !gone.has(scenario)),
    ...(gone.has('accuracy') ? withoutCheck : {}),
    ...(gone.has('deploy') ? { coldStart: null } : {}),
    ...(gone.has('report') ? { reports: [] } : {}),
    forgotten: [...new Set([...state.forgotten, ...steps])],
  };
}

export const waiting = (state: RunState, waitsFor: RunWait | null): RunState => ({
  ...state,
  waitsFor,
  steps: waitsFor === null ? state.steps : state.steps.map(pausedStep),
});

/** All measured levels stay known; those with one of these keys are results. */
function withResults(state: RunState, scenario: Scenario, keys: ReadonlySet<string>): RunState {
  const { points, missing } = state.scenarios[scenario];
  const all = [...state.earlier[scenario], ...points];
  const results = {
    points: all.filter(({ key }) => keys.has(key)),
    missing: missing.filter(({ key }) => keys.has(key)),
  };
  return {
    ...withScenario(state, scenario, () => results),
    earlier: { ...state.earlier, [scenario]: all.filter(({ key }) => !keys.has(key)) },
  };
}

/** Measurements under another step key are not results unless their own key is asked for again. */
function withoutOldLevels(state: RunState, id: StepId, key: string): RunState {
  const before = state.steps.find((step) => step.id === id)?.key ?? null;
  if ((id !== 'offline' && id !== 'online') || before === null || before === key) return state;
  return withResults(state, id, new Set());
}

type SpecChanged = JournalEntry & { readonly type: 'spec-changed' };

/** Due steps and the outcome are reset under the new specification. */
function withSpec(state: RunState, { at, spec, specHash, changed, steps: due, kept }: SpecChanged): RunState {
  const again = new Set(due);
  const stepOf = (id: StepId): StepState => {
    const before = state.steps.find((step) => step.id === id) ?? freshStep(id);
    // Keeps the step's key, so that another one invalidates what is kept now.
    return again.has(id) ? { ...freshStep(id), key: before.key } : before;
  };
  const measured = scenarios
    .filter((scenario) => again.has(scenario))
    .reduce((before, scenario) => withResults(before, scenario, new Set(kept)), state);
  return {
    ...measured,
    source: { kind: 'deployed', spec, specHash },
    specChanges: [...state.specChanges, { at, changed }],
    again: [],
    memory: null,
    coldStart: again.has('deploy') ? null : state.coldStart,
    warmUpTrial: null,
    status: 'running',
    error: null,
    steps: stepsOf(spec).map(stepOf),
    ...(again.has('accuracy') ? withoutCheck : {}),
    ...(again.has('report') ? { reports: [] } : {}),
  };
}

const folds: ByType<JournalEntry, RunState, [state: RunState]> = {
  'run-created': (_entry, state) => state,
  'spec-changed': (entry, state) => withSpec(state, entry),
  'levels-kept': (entry, state) =>
    withResults(
      state,
      entry.scenario,
      new Set([...state.scenarios[entry.scenario].points.map(({ key }) => key), ...entry.keys]),
    ),
  'levels-again': ({ levels }, state) => ({
    ...state,
    again: levels.flatMap(({ scenario, times, ...level }) =>
      state.scenarios[scenario].points
        .filter(({ point }) => loadKey(point) === loadKey(level))
        .map(({ key }) => ({ scenario, key, times })),
    ),
  }),
  'run-trusted': (_entry, state) => ({
    ...state,
    origin: state.origin === 'foreign' ? 'trusted' : state.origin,
  }),
  'run-started': (entry, state) => ({
    ...state,
    attempt: entry.attempt,
    status: 'running',
    error: null,
    waitsFor: null,
    job: state.job === null ? null : { ...state.job, node: entry.node ?? state.job.node, end: null },
    // No step of it writes them again.
    reports: state.source.kind === 'server' ? [] : state.reports,
  }),
  // Nobody works on it until the job does; the store adds the scheduler's status.
  'job-submitted': ({ job }, state) => ({
    ...state,
    status: 'running',
    error: null,
    job: { ...job, node: null, end: null },
    steps: state.steps.map(pausedStep),
  }),
  'job-ended': ({ id, end, node }, state) =>
    state.job?.id === id ? { ...state, job: { ...state.job, end, node: node ?? state.job.node } } : state,
  environment: (entry, state) => ({ ...state, environment: entry.environment }),
  'run-waiting': (entry, state) =>
    waiting(state, entry.for === null ? null : { reason: entry.reason ?? 'device', what: entry.for }),
  'run-name': (entry, state) => ({ ...state, name: entry.name }),
  annotation: (entry, state) => ({ ...state, tags: entry.tags, note: entry.note }),
  'p99-budget': (entry, state) => ({ ...state, p99BudgetMs: entry.p99BudgetMs }),
  'model-memory': ({ memory }, state) => ({ ...state, memory }),
  'cold-start': ({ coldStart }, state) => ({ ...state, coldStart }),
  'model-record': ({ record }, state) => ({ ...state, modelRecord: record }),
  'warm-up-trial': ({ trial }, state) => ({ ...state, warmUpTrial: trial }),
  'gate-overridden': (_entry, state) => ({ ...state, gateOverridden: true }),
  preflight: (entry, state) => {
    const { release } = entry;
    const { skipped, problems } =
      state.preflight?.skipped === true && !entry.skipped ? state.preflight : entry;
    return { ...state, preflight: { release, skipped, problems } };
  },
  'steps-forgotten': (entry, state) => withoutSteps(state, entry.steps),
  'step-started': (entry, state) =>
    withStep(withoutOldLevels(state, entry.step, entry.key), entry.step, (step) => ({
      ...freshStep(step.id),
      status: 'running',
      key: entry.key,
      attempt: entry.attempt,
      startedAt: entry.at,
    })),
  command: (entry, state) =>
    withStep(state, entry.step, (step) => ({
      ...step,
      commands: [...step.commands, { argv: entry.argv, note: entry.note }],
    })),
  'step-skipped': (entry, state) =>
    withStep(state, entry.step, (step) => {
      // Reused files stay reused in later attempts; a step that this run did stays "done", with its facts and duration.
      const reused = entry.reason === 'cached' || step.skippedBecause === 'cached';
      const done = entry.reason === 'unchanged' && !reused;
      return {
        ...step,
        status: done ? 'done' : 'skipped',
        key: entry.key,
        skippedBecause: entry.reason === 'unchanged' && reused ? 'cached' : entry.reason,
        error: null,
      };
    }),
  'step-finished': (entry, state) => ({
    ...withStep(state, entry.step, (step) => ({
      ...step,
      status: 'done',
      key: entry.key,
      durationUs: entry.durationUs,
      facts: entry.facts,
      warnings: entry.warnings,
    })),
    forgotten: state.forgotten.filter((id) => id !== entry.step),
  }),
  'step-failed': (entry, state) =>
    withStep(state, entry.step, (step) => ({
      ...step,
      status: 'failed',
      durationUs: entry.durationUs,
      error: entry.error,
    })),
  'step-cancelled': (entry, state) =>
    withStep(state, entry.step, (step) => ({
      ...step,
      status: 'cancelled',
      durationUs: entry.durationUs,
    })),
  measurement: (entry, state) => ({
    ...withScenario(state, entry.scenario, (value) => ({
      points: [
        ...value.points.filter((measured) => measured.key !== entry.key),
        { key: entry.key, point: entry.point },
      ],
      missing: value.missing.filter((missing) => missing.key !== entry.key),
    })),
    again: state.again.filter(({ scenario, key }) => scenario !== entry.scenario || key !== entry.key),
  }),
  'measurement-missing': (entry, state) =>
    withScenario(state, entry.scenario, (value) => ({
      points: value.points,
      missing: [
        ...value.missing.filter((missing) => missing.key !== entry.key),
        {
          key: entry.key,
          batchSize: entry.batchSize,
          concurrency: entry.concurrency,
          ...present({ requestRate: entry.requestRate, repeat: entry.repeat, loadTool: entry.loadTool }),
          error: entry.error,
        },
      ],
    })),
  trace: (entry, state) => ({ ...state, traces: withTrace(state.traces, entry) }),
  accuracy: (entry, state) => ({
    ...state,
    accuracy: { key: entry.key, result: entry.result },
    unverified: !entry.result.passed,
  }),
  report: (entry, state) => ({
    ...state,
    reports: entry.files,
    reportedBudgetMs: state.p99BudgetMs,
    reportedName: state.name,
  }),
  'run-finished': (entry, state) => ({
    ...state,
    status: entry.outcome,
    error: entry.error ?? null,
    waitsFor: null,
    steps: entry.outcome === 'paused' ? state.steps.map(pausedStep) : state.steps,
  }),
};

function applied<Type extends JournalEntry['type']>(
  state: RunState,
  entry: OfType<JournalEntry, Type>,
): RunState {
  return folds[entry.type](entry, state);
}

/**
 * The one reducer over the journal, for core, window and reports. Entries at or below the state's `seq` are ignored, so
 * that a replay changes nothing.
 * @param state null before the first entry, which must be `run-created`
 */
export function reduceRun(state: RunState | null, entry: JournalEntry): RunState | null {
  if (state === null) return entry.type === 'run-created' ? createdState(entry) : null;
  if (entry.seq <= state.seq) return state;
  return { ...applied(state, entry), seq: entry.seq, updatedAt: entry.at };
}
