import { createStore, type StoreApi } from 'zustand/vanilla';
import { toWire, type WireError } from '../../main/contract/errors';
import type { GpuFacts, GpuLoad, GpuReport } from '../../main/contract/machine';
import type { Client } from '../client';

/** Readings kept of each GPU: a minute at one a second. */
export const keptReadings = 60;

export interface GpuReadings {
  readonly report: GpuReport | null;
  readonly error: WireError | null;
  /** Oldest first, by {@link gpuKey}. */
  readonly history: Readonly<Record<string, readonly GpuLoad[]>>;
  readonly load: () => Promise<void>;
}

export const gpuKey = (gpu: GpuFacts): string => gpu.uuid ?? gpu.busId;

export function createGpuReadings(client: Client): StoreApi<GpuReadings> {
  return createStore<GpuReadings>()((set, get) => ({
    report: null,
    error: null,
    history: {},
    async load() {
      try {
        const report = await client.call('machine.gpus');
        const before = get().history;
        const history = Object.fromEntries(
          report.gpus.map((gpu) => {
            const key = gpuKey(gpu);
            return [key, [...(before[key] ?? []), gpu.load].slice(-keptReadings)];
          }),
        );
        set({ report, history, error: null });
      } catch (error) {
        set({ error: toWire(error) });
      }
    },
  }));
}
