import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../main/contract/api';
import { toWire, type WireError } from '../../main/contract/errors';
import type { JournalEntry, RunLive, Scenario, StepId } from '../../main/contract/run/run-events';
import { reduceRun, type RunState, waiting } from '../../main/contract/run/run-state';
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

function withWindow(level: LiveLevel | null, event: WindowNews): LiveLevel {
  const same =
    level?.scenario === event.scenario &&
    level.batchSize === event.batchSize &&
    level.concurrency === event.concurrency &&
    level.requestRate === event.requestRate &&
    event.index > 0;
  const { scenario, batchSize, concurrency, requestRate, inferencesPerSecond, p99Us, scheduledP99Us } = event;
  // The list grows in place, so that a window more does not copy thousands; a new level object tells that it has.
  const windows = same ? (level.windows as LiveWindow[]) : [];
  windows.push({
    inferencesPerSecond,
    p99Us,
    ...(scheduledP99Us === undefined ? {} : { scheduledP99Us }),
  });
  return { scenario, batchSize, concurrency, requestRate, windows };
}

const endsLive = new Set<JournalEntry['type']>([
  'step-started',
  'step-finished',
  'step-failed',
  'step-cancelled',
  'run-finished',
  'run-started',
]);
const endsLevel = new Set<JournalEntry['type']>([...endsLive, 'measurement', 'measurement-missing']);

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
      if (endsLevel.has(entry.type)) set({ level: null });
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
      progress: null,
      level: null,
      stopping: {},
      async open(runId) {
        if (get().runId !== runId) {
          early = [];
          fetching = null;
          set({ runId, state: null, error: null, progress: null, level: null });
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
          if (state !== null) set({ state: waiting(state, event.wait), progress: null, level: null });
        } else if (event.type === 'progress' && event.runId === runId) {
          set({ progress: { step: event.step, fraction: event.fraction, text: event.text } });
        } else if (event.type === 'window' && event.runId === runId) {
          set({ level: withWindow(get().level, event) });
        }
      },
    };
  });
}
