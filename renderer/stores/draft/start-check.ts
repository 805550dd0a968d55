import { createStore, type StoreApi } from 'zustand/vanilla';
import type { MachineStatus } from '../../../main/contract/machine';
import { isElsewhere } from '../../../main/contract/run/engine-kinds';
import type { RunSpec } from '../../../main/contract/run/run-spec';
import type { StartProblem } from '../../../main/contract/run/spec-tools';
import { ofScenarios } from '../../../main/contract/run/sweep';
import type { Client } from '../../client';
import { createLatest } from '../latest';
import type { Resource } from '../resource';
import type { DraftState } from './draft-state';

/** After the last change: a remote server is asked over the network. */
const checkDelayMs = 500;

export interface StartCheck {
  readonly problems: readonly StartProblem[];
  readonly again: () => Promise<void>;
}

/** Nothing else makes the core check again. */
function checkedPart(spec: RunSpec): string {
  const { engine, format, precision, configure, model, performance } = spec;
  const loadTools = ofScenarios(performance).map(({ loadTool }) => loadTool);
  return JSON.stringify(
    isElsewhere(engine)
      ? { engine, format, precision, configure, model, loadTools }
      : { engine, format, loadTools },
  );
}

/** What `runs.start` would refuse the draft for; checked when the draft or the machine changes. */
export function createStartCheck(
  client: Client,
  draft: StoreApi<DraftState>,
  machine: StoreApi<Resource<MachineStatus>>,
): StoreApi<StartCheck> {
  return createStore<StartCheck>()((set, get) => {
    let checked: string | null = null;
    const specNow = (): RunSpec | null => draft.getState().preview?.spec ?? null;
    const latest = createLatest(
      checkDelayMs,
      async (): Promise<readonly StartProblem[]> => {
        const spec = specNow();
        // A core that does not answer is told by the preview; the start itself is refused by the core anyway.
        return spec === null ? [] : client.call('runs.check', { spec }).catch(() => []);
      },
      (problems) => set({ problems }),
    );
    draft.subscribe(({ preview }, before) => {
      if (preview === before.preview) return;
      const spec = preview?.spec ?? null;
      const part = spec === null ? null : checkedPart(spec);
      if (part === checked) return;
      checked = part;
      // Problems of another engine or address do not apply to this one.
      const kept = get().problems.filter(
        ({ field }) => field === 'engine.kind' && spec?.engine.kind === before.preview?.spec?.engine.kind,
      );
      set({ problems: kept });
      if (spec !== null) latest.soon();
    });
    machine.subscribe(({ value }, before) => {
      if (value !== before.value && specNow() !== null) latest.soon();
    });
    return { problems: [], again: () => latest.now() };
  });
}
