import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Choice } from '../../main/contract/run/spec-tools';
import type { Tree } from '../../main/contract/trees';

/** The Triton that is to be measured and how, as far as it is known. */
export interface MeasureTarget {
  readonly url?: string;
  readonly caFile?: string;
  /** Host that sees the address; absent or '': this machine. */
  readonly host?: string;
  readonly model?: string;
  /** Fields of the load, as a part of a specification. */
  readonly fields?: Tree;
  readonly p99BudgetMs?: number;
}

/** What needs nothing to be shown: palette, shortcuts, the question for a host, and what the Help menu opens. */
export type OverlayPage =
  | 'palette'
  | 'shortcuts'
  | 'add-host'
  | 'save-comparison'
  | 'report'
  | 'documentation'
  | 'changelog'
  | 'about';

export interface Overlay {
  /** What lies over the page: the command palette, the list of shortcuts, a question, or nothing. */
  readonly shown: OverlayPage | 'rename' | 'measure' | 'vary' | null;
  /** The run whose name is asked for; null: none. */
  readonly renamed: string | null;
  /** null: nothing is asked about it. */
  readonly measured: MeasureTarget | null;
  /** The choice that several runs are made of; null: none. */
  readonly varied: Choice | null;
  readonly show: (what: OverlayPage) => void;
  readonly rename: (runId: string) => void;
  readonly measure: (target: MeasureTarget) => void;
  readonly vary: (choice: Choice) => void;
  readonly close: () => void;
}

const nothing = { shown: null, renamed: null, measured: null, varied: null } as const;

export function createOverlay(): StoreApi<Overlay> {
  return createStore<Overlay>()((set) => ({
    ...nothing,
    show: (what) => set({ ...nothing, shown: what }),
    rename: (runId) => set({ ...nothing, shown: 'rename', renamed: runId }),
    measure: (target) => set({ ...nothing, shown: 'measure', measured: target }),
    vary: (choice) => set({ ...nothing, shown: 'vary', varied: choice }),
    close: () => set(nothing),
  }));
}
