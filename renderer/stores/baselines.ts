import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import {
  type Baseline,
  baselinesOf,
  defaultBaseline,
  type PublishedResults,
} from '../../main/contract/measured/baseline';
import { specOf } from '../../main/contract/run/run-source';
import type { PublishedGpu } from '../../main/contract/run/run-spec';
import type { DeployedRun, RunState } from '../../main/contract/run/run-state';
import type { Client } from '../client';
import { stored } from './stored';

export interface Baselines {
  /** By preset; null: nothing is published; absent: not known yet. */
  readonly published: Readonly<Record<string, PublishedResults | null>>;
  /** Key of the baseline of each run; '' where it is off. */
  readonly picks: Readonly<Record<string, string>>;
  readonly load: (preset: string) => Promise<void>;
  readonly pick: (runId: string, key: string) => void;
  readonly differences: Readonly<Record<string, readonly string[]>>;
  readonly loadDifferences: (run: ComparedRun, gpu: PublishedGpu) => Promise<void>;
}

type ComparedRun = Pick<DeployedRun, 'runId' | 'source'>;

export const differencesKey = ({ runId, source }: ComparedRun, gpu: PublishedGpu): string =>
  `${runId} ${source.specHash} ${gpu}`;

const storageKey = 'workbench.baselines';
const most = 500;
const picksSchema = z.record(z.string(), z.string().max(100));

export function createBaselines(client: Client, storage: Storage): StoreApi<Baselines> {
  return createStore<Baselines>()((set, get) => {
    const asked = new Set<string>();
    return {
      published: {},
      differences: {},
      async loadDifferences(run, gpu) {
        const key = differencesKey(run, gpu);
        if (asked.has(key)) return;
        asked.add(key);
        try {
          const found = await client.call('presets.differences', { spec: run.source.spec, gpu });
          set({ differences: { ...get().differences, [key]: found } });
        } catch {
          asked.delete(key);
        }
      },
      picks: stored(storage, storageKey, picksSchema) ?? {},
      async load(preset) {
        if (asked.has(preset)) return;
        asked.add(preset);
        try {
          const published = await client.call('presets.published', { preset });
          set({ published: { ...get().published, [preset]: published } });
        } catch {
          // Without them the charts show what was measured.
          asked.delete(preset);
        }
      },
      pick(runId, key) {
        const others = Object.entries(get().picks).filter(([id]) => id !== runId);
        const picks = Object.fromEntries([...others, [runId, key] as const].slice(-most));
        storage.setItem(storageKey, JSON.stringify(picks));
        set({ picks });
      },
    };
  });
}

export interface ShownBaseline {
  readonly all: readonly Baseline[];
  readonly shown: Baseline | null;
}

export function shownBaseline(
  { published, picks }: Pick<Baselines, 'published' | 'picks'>,
  run: Pick<RunState, 'runId' | 'source' | 'environment'>,
): ShownBaseline {
  const { runId, environment } = run;
  const spec = specOf(run);
  // Nobody knows what a running Triton serves under this name.
  if (spec === null) return { all: [], shown: null };
  const all = baselinesOf(published[spec.model.preset] ?? null, spec);
  const key = picks[runId];
  if (key !== undefined) return { all, shown: all.find((baseline) => baseline.key === key) ?? null };
  const names = environment.gpus.map(({ name }) => name);
  return { all, shown: defaultBaseline(all, spec, names) };
}
