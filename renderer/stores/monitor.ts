import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../main/contract/api';
import { toWire, type WireError } from '../../main/contract/errors';
import {
  type Alert,
  modelKey,
  type MonitorSample,
  type MonitorState,
} from '../../main/contract/monitor/monitor';
import { MonitorHistory } from '../../main/contract/monitor/monitor-history';
import type { Client } from '../client';
import { createNewest } from './latest';
import { createPacedShow } from './paced-show';

/** Lengths of the window that can be chosen, minutes: 1 min to 24 h. */
export const windowMinutes = [1, 5, 15, 60, 360, 1440] as const;

export interface Monitor {
  readonly state: MonitorState | null;
  readonly error: WireError | null;
  /** The newest sample, with verdicts that came after it. */
  readonly sample: MonitorSample | null;
  readonly alerts: readonly Alert[];
  /** Mutated in place; `version` changes with it. */
  readonly history: MonitorHistory;
  readonly version: number;
  readonly minutes: number;
  /** Time at which the charts are paused, milliseconds; null while they move. */
  readonly pausedMs: number | null;
  /** Model whose charts are shown; null: the first. */
  readonly selected: string | null;
  readonly load: () => Promise<void>;
  readonly show: (minutes: number) => void;
  readonly pause: (paused: boolean) => void;
  readonly select: (key: string) => void;
  readonly onEvent: (event: WindowEvent) => void;
}

export function createMonitorStore(client: Client): StoreApi<Monitor> {
  const history = new MonitorHistory();
  return createStore<Monitor>()((set, get) => {
    const shown = createPacedShow(({ sample, alerts }) =>
      set({ sample, alerts, version: get().version + 1 }),
    );
    let loading: Promise<void> | null = null;
    const newest = createNewest();
    const fetchOnce = async (): Promise<void> => {
      try {
        const state = await client.call('monitor.state');
        const image = await client.call('monitor.history');
        if (newest.isOutdated()) return;
        // An answer that ends before events received meanwhile would lose those.
        if (image === null || (history.span()?.toMs ?? 0) <= image.latest.atMs) {
          history.restore(image);
          set({ sample: image?.latest ?? null });
        }
        set({ state, alerts: state.alerts, error: null, version: get().version + 1 });
      } catch (error) {
        set({ error: toWire(error) });
      }
    };
    return {
      state: null,
      error: null,
      sample: null,
      alerts: [],
      history,
      version: 0,
      minutes: 5,
      pausedMs: null,
      selected: null,
      load: () =>
        (loading ??= newest.ask(fetchOnce).finally(() => {
          loading = null;
        })),
      show(minutes) {
        set({ minutes });
      },
      pause(paused) {
        set({ pausedMs: paused ? (history.span()?.toMs ?? Date.now()) : null });
      },
      select(key) {
        set({ selected: key });
      },
      onEvent(event) {
        if (event.type === 'monitor-changed' || event.type === 'monitor-cleared') newest.outdate();
        if (event.type === 'monitor-changed')
          set({ state: event.state, alerts: event.state.alerts, error: null });
        if (event.type === 'monitor-cleared') {
          shown.forget();
          history.clear();
          set({ sample: null, alerts: [], pausedMs: null, selected: null, version: get().version + 1 });
        }
        if (event.type === 'monitor-sample') {
          history.add(event.sample);
          shown.take(event);
        }
        if (event.type === 'monitor-verdict') shown.now();
        const { sample } = get();
        if (event.type === 'monitor-verdict' && sample !== null) {
          const key = modelKey(event.model);
          const models = sample.models.map((model) =>
            modelKey(model) === key
              ? { ...model, state: event.model.state, reason: event.model.reason }
              : model,
          );
          set({ sample: { ...sample, models } });
        }
      },
    };
  });
}
