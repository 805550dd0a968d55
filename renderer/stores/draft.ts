import type { StoreApi } from 'zustand/vanilla';
import { createStore } from 'zustand/vanilla';
import { z } from 'zod';
import type { WireError } from '../../main/contract/errors';
import { toWire } from '../../main/contract/errors';
import type { RunSpec } from '../../main/contract/run-spec';
import type { Client } from '../client';

const valueSchema = z.union([z.string(), z.number(), z.boolean(), z.array(z.number()), z.array(z.string())]);
export type DraftValue = z.infer<typeof valueSchema>;

const draftSchema = z.object({ preset: z.string(), values: z.record(z.string(), valueSchema) });
type StoredDraft = z.infer<typeof draftSchema>;

export interface Draft {
  readonly preset: string;
  /** Only what was changed, by dotted field of the run specification; the rest is the preset's. */
  readonly values: Readonly<Record<string, DraftValue>>;
  /** Texts that cannot be read as a value yet, by field. */
  readonly problems: Readonly<Record<string, string>>;
  /** The last specification that the choices lead to; null before the first. */
  readonly spec: RunSpec | null;
  /** Why the present choices lead to none. */
  readonly error: WireError | null;
  readonly change: (field: string, value: DraftValue) => void;
  readonly reset: (field: string) => void;
  readonly resetAll: () => void;
  readonly setProblem: (field: string, problem: string | null) => void;
  readonly resolve: () => Promise<void>;
}

const key = 'workbench.draft';
const emptyDraft: StoredDraft = { preset: 'resnet50', values: {} };

function storedDraft(storage: Storage): StoredDraft {
  try {
    return draftSchema.parse(JSON.parse(storage.getItem(key) ?? ''));
  } catch {
    return emptyDraft;
  }
}

const without = <Value>(
  record: Readonly<Record<string, Value>>,
  field: string,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== field));

/** `{a: {b: value}}` from `{'a.b': value}`. */
export function overridesOf(values: Readonly<Record<string, DraftValue>>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(values)) {
    const path = field.split('.');
    let place = root;
    for (const name of path.slice(0, -1)) {
      const inner = (place[name] ?? {}) as Record<string, unknown>;
      place[name] = inner;
      place = inner;
    }
    place[path.at(-1) ?? field] = value;
  }
  return root;
}

/** The values without those of an engine: another kind has other fields. */
const withoutEngine = (values: Draft['values']): Draft['values'] =>
  Object.fromEntries(Object.entries(values).filter(([field]) => !field.startsWith('engine.')));

/** The deployment that is being put together; survives the window. */
export function createDraft(client: Client, storage: Storage): StoreApi<Draft> {
  return createStore<Draft>()((set, get) => {
    let asked = 0;
    const resolve = async (): Promise<void> => {
      asked += 1;
      const own = asked;
      try {
        const spec = await client.call('presets.resolve', {
          preset: get().preset,
          overrides: overridesOf(get().values),
        });
        if (own === asked) set({ spec, error: null });
      } catch (error) {
        if (own === asked) set({ error: toWire(error) });
      }
    };
    const setValues = (values: Draft['values']): void => {
      storage.setItem(key, JSON.stringify({ preset: get().preset, values }));
      set({ values });
      void resolve();
    };
    return {
      ...storedDraft(storage),
      problems: {},
      spec: null,
      error: null,
      change: (field, value) => {
        set({ problems: without(get().problems, field) });
        const values = field === 'engine.kind' ? withoutEngine(get().values) : get().values;
        setValues({ ...values, [field]: value });
      },
      reset: (field) => {
        set({ problems: without(get().problems, field) });
        const { values } = get();
        setValues(field === 'engine.kind' ? withoutEngine(values) : without(values, field));
      },
      resetAll: () => {
        set({ problems: {} });
        setValues({});
      },
      setProblem: (field, problem) => {
        set({
          problems:
            problem === null ? without(get().problems, field) : { ...get().problems, [field]: problem },
        });
      },
      resolve,
    };
  });
}
