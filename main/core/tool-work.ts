import type { CoreEvent } from '../contract/api';
import { toWire } from '../contract/errors';
import type { ComponentId, SetupAction, SetupWork } from '../contract/setup';
import type { Setup, WorkListener } from '../setup/setup';

const keptLines = 200;

/** One piece of work of the set-up at a time, with its state told by events. */
export interface ToolWork {
  current(): SetupWork | null;
  /** Begins, unless something is under way. */
  start(action: SetupAction, ids: readonly ComponentId[]): void;
  cancel(): void;
  /** The work under way at its end, or the last one; null where nothing was started. */
  ended(): Promise<SetupWork | null>;
}

export function createToolWork(setup: Setup, emit: (event: CoreEvent) => void): ToolWork {
  const state: { work: SetupWork | null; stop: AbortController; ended: Promise<void> } = {
    work: null,
    stop: new AbortController(),
    ended: Promise.resolve(),
  };
  const keep = (change: Partial<SetupWork>): void => {
    if (state.work === null) return;
    state.work = { ...state.work, ...change };
    emit({ type: 'setup-work', work: state.work });
  };
  const listenerOf = (signal: AbortSignal): WorkListener => {
    const lines: string[] = [];
    return {
      signal,
      onComponent: (component) => {
        keep({ component, fraction: null, text: 'Starting' });
      },
      onProgress: (fraction, text) => {
        keep({ fraction, text });
      },
      onStderrLine: (line) => {
        lines.push(line);
        keep({ lines: lines.slice(-keptLines) });
      },
    };
  };
  const work = async (action: SetupAction, ids: readonly ComponentId[], listener: WorkListener) => {
    if (action === 'remove') await setup.remove(ids, listener);
    else await setup.install(ids, { repair: action === 'repair' }, listener);
  };
  return {
    current: () => state.work,
    start: (action, ids) => {
      if (state.work?.status === 'running') return;
      state.stop = new AbortController();
      state.work = {
        ...{ action, status: 'running', components: ids, component: null },
        ...{ fraction: null, text: 'Starting', lines: [], error: null },
      };
      keep({});
      state.ended = work(action, ids, listenerOf(state.stop.signal)).then(
        () => {
          keep({ status: 'done', component: null, fraction: 1, text: 'Done' });
        },
        (cause: unknown) => {
          const error = toWire(cause);
          if (error.code === 'cancelled') keep({ status: 'cancelled', text: 'Cancelled' });
          else keep({ status: 'failed', text: error.message, error });
        },
      );
    },
    cancel: () => {
      state.stop.abort();
    },
    ended: async () => {
      await state.ended;
      return state.work;
    },
  };
}
