import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../main/contract/api';
import { toWire, type WireError } from '../../main/contract/errors';
import type { JournalEntry, RunLive, Scenario, StepId } from '../../main/contract/run/run-events';
import { reduceRun, type RunState, waiting } from '../../main/contract/run/run-state';
import { loadKey, type LoadLevel } from '../../main/contract/run/sweep';
import type { Client } from '../client';
import { createNewest } from './latest';

export interface StepProgress {
  readonly step: StepId;
  readonly fraction: number | null;
  readonly text: string;
}

type WindowNews = Extract<RunLive, { type: 'window' }>;
/** p99 is null where the tool does not say it yet. */
export type LiveWindow = Pick<WindowNews, 'inferencesPerSecond' | 'p99Us' | 'scheduledP99Us'>;

/** The level that is being measured, with the windows that have ended. */
export interface LiveLevel {
  readonly scenario: Scenario;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly requestRate?: number | undefined;
  readonly windows: readonly LiveWindow[];
}

export interface OpenRun {
  readonly runId: string | null;
  readonly state: RunState | null;
  readonly error: WireError | null;
  readonly progress: StepProgress | null;
  readonly level: LiveLevel | null;
  /** Other levels of the sweep with windows and without a result: in turns none has one before the last round. */
  readonly landing: readonly LiveLevel[];
  readonly stopping: Readonly<Record<string, 'pause' | 'cancel'>>;
  readonly open: (runId: string) => Promise<void>;
  readonly onEvent: (event: WindowEvent) => void;
}

/** A cancel outranks the pause before it. */
function withStopping(
  stopping: OpenRun['stopping'],
  event: Extract<WindowEvent, { type: 'stopping' | 'journal' }>,
): OpenRun['stopping'] {
  const { runId } = event;
  if (event.type === 'stopping') {
    return stopping[runId] === 'cancel' ? stopping : { ...stopping, [runId]: event.how };
  }
  const over = event.entry.type === 'run-finished' || event.entry.type === 'run-started';
  if (!over || stopping[runId] === undefined) return stopping;
  return Object.fromEntries(Object.entries(stopping).filter(([id]) => id !== runId));
}

const isOf =
  (scenario: Scenario, load: LoadLevel) =>
  (level: LiveLevel): boolean =>
    level.scenario === scenario && loadKey(level) === loadKey(load);

function withWindow(
  { level, landing }: Pick<OpenRun, 'level' | 'landing'>,
  event: WindowNews,
): Pick<OpenRun, 'level' | 'landing'> {
  const isEvents = isOf(event.scenario, event);
  const own = level !== null && isEvents(level);
  const known = own ? level : landing.find(isEvents);
  // A level that is tried again counts its windows from the first; one whose turn it is again continues.
  const kept = known !== undefined && (!own || event.index > 0) ? known.windows : [];
  const others = landing.filter((one) => !isEvents(one));
  const { scenario, batchSize, concurrency, requestRate, inferencesPerSecond, p99Us, scheduledP99Us } = event;
  // The list grows in place, so that a window more does not copy thousands; a new level object tells that it has.
  const windows = kept as LiveWindow[];
  windows.push({
    inferencesPerSecond,
    p99Us,
    ...(scheduledP99Us === undefined ? {} : { scheduledP99Us }),
  });
  return {
    level: { scenario, batchSize, concurrency, requestRate, windows },
    landing: level === null || own ? others : [...others, level],
  };
}

const nothingLive = { progress: null, level: null, landing: [] } as const;

const endsLive = new Set<JournalEntry['type']>([
  'step-started',
  'step-finished',
  'step-failed',
  'step-cancelled',
  'run-finished',
  'run-started',
]);

/** The level that has a result no longer lands; with a step all end. */
function landed(entry: JournalEntry, landing: OpenRun['landing']): Pick<OpenRun, 'level' | 'landing'> | null {
  if (endsLive.has(entry.type)) return { level: null, landing: [] };
  if (entry.type !== 'measurement' && entry.type !== 'measurement-missing') return null;
  const isMeasured = isOf(entry.scenario, entry.type === 'measurement' ? entry.point : entry);
  return { level: null, landing: landing.filter((level) => !isMeasured(level)) };
}

/**
 * The run that is shown. State comes from the core once and then from journal entries through the one reducer;
 * entries that arrive before the state are kept, and a gap in their numbers fetches the state anew.
 */
export function createOpenRun(client: Client): StoreApi<OpenRun> {
  return createStore<OpenRun>()((set, get) => {
    let early: JournalEntry[] = [];
    let fetching: Promise<void> | null = null;
    const newest = createNewest();

    const fetchState = async (runId: string): Promise<void> => {
      try {
        const fetched = await client.call('runs.get', { runId });
        if (get().runId !== runId) return;
        const entries = early;
        early = [];
        set({ state: entries.reduce<RunState | null>(reduceRun, fetched), error: null });
      } catch (error) {
        if (get().runId === runId) set({ error: toWire(error) });
      }
    };
    const refresh = (runId: string): Promise<void> => {
      const own = (fetching ??= newest
        .ask(
          () => fetchState(runId),
          () => get().runId === runId,
        )
        .finally(() => {
          if (fetching === own) fetching = null;
        }));
      return own;
    };

    const onEntry = (entry: JournalEntry): void => {
      const { state, runId } = get();
      if (endsLive.has(entry.type)) set({ progress: null });
      const left = landed(entry, get().landing);
      if (left !== null) set(left);
      if (state === null || fetching !== null || entry.seq > state.seq + 1) {
        early.push(entry);
        if (fetching === null && runId !== null) void refresh(runId);
      } else {
        set({ state: reduceRun(state, entry) });
      }
    };

    return {
      runId: null,
      state: null,
      error: null,
      ...nothingLive,
      stopping: {},
      async open(runId) {
        if (get().runId !== runId) {
          early = [];
          fetching = null;
          set({ ...nothingLive, runId, state: null, error: null });
        }
        await refresh(runId);
      },
      onEvent(event) {
        const { runId } = get();
        if (event.type === 'runs-changed') {
          // The end of a run of another process shows in its lease only.
          newest.outdate();
          if (runId !== null) void refresh(runId);
          return;
        }
        if (event.type === 'journal' || event.type === 'stopping') {
          const stopping = withStopping(get().stopping, event);
          if (stopping !== get().stopping) set({ stopping });
        }
        if (event.type === 'journal' && event.runId === runId) {
          onEntry(event.entry);
        } else if (event.type === 'held-up' && event.runId === runId) {
          const { state } = get();
          if (state !== null) set({ ...nothingLive, state: waiting(state, event.wait) });
        } else if (event.type === 'progress' && event.runId === runId) {
          set({ progress: { step: event.step, fraction: event.fraction, text: event.text } });
        } else if (event.type === 'window' && event.runId === runId) {
          set(withWindow(get(), event));
        }
      },
    };
  });
}
