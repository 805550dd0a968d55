import type { WireError } from './errors';
import type { ImportSource } from './imported';
import type { AccuracyResult, Environment, LoadPoint } from './results';
import type { JournalEntry, ReportFile, RunOutcome, Scenario, StepId } from './run-events';
import { stepsOf } from './run-events';
import type { RunOrigin } from './run-origin';
import type { LoadTool, RunSpec } from './run-spec';
import type { RunWait } from './run-wait';

export type StepStatus = 'waiting' | 'running' | 'done' | 'skipped' | 'failed' | 'cancelled';

export interface StepState {
  readonly id: StepId;
  readonly status: StepStatus;
  readonly key: string | null;
  readonly attempt: number;
  readonly startedAt: string | null;
  readonly durationUs: number | null;
  readonly skippedBecause: 'unchanged' | 'cached' | 'not-needed' | null;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly warnings: readonly string[];
  readonly commands: readonly { readonly argv: readonly string[]; readonly note: string | undefined }[];
  readonly error: WireError | null;
}

export interface MissingPoint {
  readonly key: string;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly requestRate?: number;
  readonly repeat?: number;
  readonly loadTool?: LoadTool;
  readonly error: WireError;
}

export interface MeasuredPoint {
  readonly key: string;
  readonly point: LoadPoint;
}

export interface ScenarioState {
  /** In the order of measuring; sort by load to show. */
  readonly points: readonly MeasuredPoint[];
  readonly missing: readonly MissingPoint[];
}

/** `interrupted`: the journal ends without an outcome and nobody holds the run; only the store can tell. */
export type RunStatus = 'created' | 'running' | 'interrupted' | RunOutcome;

export interface RunState {
  readonly runId: string;
  readonly seq: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly attempt: number;
  readonly spec: RunSpec;
  readonly specHash: string;
  readonly environment: Environment;
  /** Not measured here: specification and environment are then empty places; null for a run of this workbench. */
  readonly imported: ImportSource | null;
  /** Where it was created; only the store can verify it. */
  readonly origin: RunOrigin;
  readonly status: RunStatus;
  readonly error: WireError | null;
  readonly steps: readonly StepState[];
  readonly accuracy: { readonly key: string; readonly result: AccuracyResult } | null;
  readonly scenarios: Readonly<Record<Scenario, ScenarioState>>;
  readonly reports: readonly ReportFile[];
  /** Measured although the accuracy gate did not pass. */
  readonly unverified: boolean;
  /** Someone chose to go past a failed accuracy gate after the start; the specification still says no. */
  readonly gateOverridden: boolean;
  readonly tags: readonly string[];
  readonly note: string;
  /** The p99 that was set as a budget for this run; milliseconds. */
  readonly p99BudgetMs: number | null;
  /** The budget that stood when the reports were written; theirs is another one once it was changed. */
  readonly reportedBudgetMs: number | null;
  /** What holds the run up at present; null when it does not wait. */
  readonly waitsFor: RunWait | null;
  /** Steps that are to be done again and are not yet: no files of an earlier run stand in for them. */
  readonly forgotten: readonly StepId[];
  /** Numbers (from 1) of damaged lines of the journal: what they recorded may be missing; only the store can tell. */
  readonly damagedLines: readonly number[];
}

const freshStep = (id: StepId): StepState => ({
  id,
  status: 'waiting',
  key: null,
  attempt: 0,
  startedAt: null,
  durationUs: null,
  skippedBecause: null,
  facts: [],
  warnings: [],
  commands: [],
  error: null,
});

/** The state after `run-created`; every journal begins with it. */
function createdState(entry: JournalEntry & { readonly type: 'run-created' }): RunState {
  return {
    runId: entry.runId,
    seq: entry.seq,
    createdAt: entry.at,
    updatedAt: entry.at,
    attempt: 0,
    spec: entry.spec,
    specHash: entry.specHash,
    environment: entry.environment,
    imported: entry.imported ?? null,
    origin: 'own',
    status: 'created',
    error: null,
    steps: entry.imported === undefined ? stepsOf(entry.spec).map(freshStep) : [],
    accuracy: null,
    scenarios: { offline: { points: [], missing: [] }, online: { points: [], missing: [] } },
    reports: [],
    unverified: false,
    gateOverridden: false,
    tags: [],
    note: '',
    p99BudgetMs: null,
    reportedBudgetMs: null,
    waitsFor: null,
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

/** Also what the steps had left in the journal: points of a forgotten sweep are measured again, not used again. */
function withoutSteps(state: RunState, steps: readonly StepId[]): RunState {
  const gone = new Set(steps);
  const empty: ScenarioState = { points: [], missing: [] };
  return {
    ...state,
    steps: state.steps.map((step) => (gone.has(step.id) ? freshStep(step.id) : step)),
    scenarios: {
      offline: gone.has('offline') ? empty : state.scenarios.offline,
      online: gone.has('online') ? empty : state.scenarios.online,
    },
    ...(gone.has('accuracy') ? { accuracy: null, unverified: false, gateOverridden: false } : {}),
    ...(gone.has('report') ? { reports: [] } : {}),
    forgotten: [...new Set([...state.forgotten, ...steps])],
  };
}

/** A step that a pause or a wait fell into goes on afterwards: it neither failed nor was it cancelled. */
const pausedStep = (step: StepState): StepState =>
  step.status === 'running' ? { ...step, status: 'waiting', startedAt: null } : step;

/** The same run while it waits; null: no more. */
export const waiting = (state: RunState, waitsFor: RunWait | null): RunState => ({
  ...state,
  waitsFor,
  steps: waitsFor === null ? state.steps : state.steps.map(pausedStep),
});

/** What was measured under another key is of another model, configuration or input: not of this run any more. */
function withoutOldLevels(state: RunState, id: StepId, key: string): RunState {
  const before = state.steps.find((step) => step.id === id)?.key ?? null;
  if ((id !== 'offline' && id !== 'online') || before === null || before === key) return state;
  return withScenario(state, id, () => ({ points: [], missing: [] }));
}

function applied(state: RunState, entry: JournalEntry): RunState {
  switch (entry.type) {
    case 'run-created':
      return state;
    case 'run-trusted':
      return { ...state, origin: state.origin === 'foreign' ? 'trusted' : state.origin };
    case 'run-started':
      return { ...state, attempt: entry.attempt, status: 'running', error: null, waitsFor: null };
    case 'environment':
      return { ...state, environment: entry.environment };
    case 'run-waiting':
      return waiting(
        state,
        entry.for === null ? null : { reason: entry.reason ?? 'device', what: entry.for },
      );
    case 'annotation':
      return { ...state, tags: entry.tags, note: entry.note };
    case 'p99-budget':
      return { ...state, p99BudgetMs: entry.p99BudgetMs };
    case 'gate-overridden':
      return { ...state, gateOverridden: true };
    case 'steps-forgotten':
      return withoutSteps(state, entry.steps);
    case 'step-started':
      return withStep(withoutOldLevels(state, entry.step, entry.key), entry.step, (step) => ({
        ...freshStep(step.id),
        status: 'running',
        key: entry.key,
        attempt: entry.attempt,
        startedAt: entry.at,
      }));
    case 'command':
      return withStep(state, entry.step, (step) => ({
        ...step,
        commands: [...step.commands, { argv: entry.argv, note: entry.note }],
      }));
    case 'step-skipped':
      return withStep(state, entry.step, (step) => {
        // Files that were reused stay reused in later attempts; a step that this run did itself stays "done": its facts
        // and duration are still the truth.
        const reused = entry.reason === 'cached' || step.skippedBecause === 'cached';
        const done = entry.reason === 'unchanged' && !reused;
        return {
          ...step,
          status: done ? 'done' : 'skipped',
          key: entry.key,
          skippedBecause: entry.reason === 'unchanged' && reused ? 'cached' : entry.reason,
          error: null,
        };
      });
    case 'step-finished':
      return {
        ...withStep(state, entry.step, (step) => ({
          ...step,
          status: 'done',
          key: entry.key,
          durationUs: entry.durationUs,
          facts: entry.facts,
          warnings: entry.warnings,
        })),
        forgotten: state.forgotten.filter((id) => id !== entry.step),
      };
    case 'step-failed':
      return withStep(state, entry.step, (step) => ({
        ...step,
        status: 'failed',
        durationUs: entry.durationUs,
        error: entry.error,
      }));
    case 'step-cancelled':
      return withStep(state, entry.step, (step) => ({
        ...step,
        status: 'cancelled',
        durationUs: entry.durationUs,
      }));
    case 'measurement':
      return withScenario(state, entry.scenario, (value) => ({
        points: [
          ...value.points.filter((measured) => measured.key !== entry.key),
          { key: entry.key, point: entry.point },
        ],
        missing: value.missing.filter((missing) => missing.key !== entry.key),
      }));
    case 'measurement-missing':
      return withScenario(state, entry.scenario, (value) => ({
        points: value.points,
        missing: [
          ...value.missing.filter((missing) => missing.key !== entry.key),
          {
            key: entry.key,
            batchSize: entry.batchSize,
            concurrency: entry.concurrency,
            ...(entry.requestRate === undefined ? {} : { requestRate: entry.requestRate }),
            ...(entry.repeat === undefined ? {} : { repeat: entry.repeat }),
            ...(entry.loadTool === undefined ? {} : { loadTool: entry.loadTool }),
            error: entry.error,
          },
        ],
      }));
    case 'accuracy':
      return {
        ...state,
        accuracy: { key: entry.key, result: entry.result },
        unverified: !entry.result.passed,
      };
    case 'report':
      return { ...state, reports: entry.files, reportedBudgetMs: state.p99BudgetMs };
    case 'run-finished':
      return {
        ...state,
        status: entry.outcome,
        error: entry.error ?? null,
        waitsFor: null,
        steps: entry.outcome === 'paused' ? state.steps.map(pausedStep) : state.steps,
      };
  }
}

/**
 * The one reducer over the journal, for core, window and reports.
 * Entries at or below the state's `seq` are ignored, so a reload or a replay changes nothing.
 * @param state null before the first entry, which must be `run-created`.
 */
export function reduceRun(state: RunState | null, entry: JournalEntry): RunState | null {
  if (state === null) return entry.type === 'run-created' ? createdState(entry) : null;
  if (entry.seq <= state.seq) return state;
  return { ...applied(state, entry), seq: entry.seq, updatedAt: entry.at };
}
