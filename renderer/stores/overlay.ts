import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Choice } from '../../main/contract/run/spec-tools';
import type { SearchRequest } from '../../main/contract/study/search';
import type { Tree } from '../../main/contract/trees';

export interface MeasureTarget {
  readonly url?: string;
  readonly caFile?: string;
  /** Host that connects to the address; absent or '': this machine. */
  readonly host?: string;
  readonly model?: string;
  readonly fields?: Tree;
  readonly p99BudgetMs?: number;
}

/** A run whose model is searched, perhaps like an earlier search, or what is made first. */
export type SearchSubject =
  { readonly runId: string; readonly like?: SearchRequest } | { readonly choice: Choice };

export interface DuelPair {
  readonly first: string;
  readonly second: string;
}

/** What a soak begins with; nothing: it is chosen in its dialog. */
export interface SoakTarget {
  readonly runId?: string;
  readonly deployment?: string;
  /** Of a running Triton. */
  readonly url?: string;
  readonly caFile?: string;
  readonly model?: string;
}

/** What an upgrade begins with; nothing: it is chosen in its dialog. */
export interface UpgradeFrom {
  readonly runId?: string;
  readonly deployment?: string;
}

export type OverlayPage =
  'palette' | 'shortcuts' | 'add-host' | 'save-comparison' | 'report' | 'whats-new' | 'licenses' | 'about';

export interface Overlay {
  /** null: only the page is shown. */
  readonly shown:
    OverlayPage | 'rename' | 'measure' | 'vary' | 'search' | 'together' | 'duel' | 'soak' | 'upgrade' | null;
  readonly renamed: string | null;
  readonly measured: MeasureTarget | null;
  readonly varied: Choice | null;
  readonly searched: SearchSubject | null;
  /** Runs to begin with, whose models are searched together; null: not shown. */
  readonly together: readonly string[] | null;
  /** Two runs that are measured in turns. */
  readonly duel: DuelPair | null;
  readonly soaked: SoakTarget | null;
  readonly upgraded: UpgradeFrom | null;
  readonly show: (what: OverlayPage) => void;
  readonly rename: (runId: string) => void;
  readonly measure: (target: MeasureTarget) => void;
  readonly vary: (choice: Choice) => void;
  readonly search: (subject: SearchSubject) => void;
  readonly searchTogether: (runIds: readonly string[]) => void;
  readonly measureInTurns: (pair: DuelPair) => void;
  readonly soak: (target: SoakTarget) => void;
  readonly tryRelease: (from: UpgradeFrom) => void;
  readonly close: () => void;
}

const nothing = {
  ...{ shown: null, renamed: null, measured: null, varied: null, searched: null },
  ...{ together: null, duel: null, soaked: null, upgraded: null },
} as const;

export function createOverlay(): StoreApi<Overlay> {
  return createStore<Overlay>()((set) => ({
    ...nothing,
    show: (what) => set({ ...nothing, shown: what }),
    rename: (runId) => set({ ...nothing, shown: 'rename', renamed: runId }),
    measure: (target) => set({ ...nothing, shown: 'measure', measured: target }),
    vary: (choice) => set({ ...nothing, shown: 'vary', varied: choice }),
    search: (subject) => set({ ...nothing, shown: 'search', searched: subject }),
    searchTogether: (together) => set({ ...nothing, shown: 'together', together }),
    measureInTurns: (duel) => set({ ...nothing, shown: 'duel', duel }),
    soak: (soaked) => set({ ...nothing, shown: 'soak', soaked }),
    tryRelease: (upgraded) => set({ ...nothing, shown: 'upgrade', upgraded }),
    close: () => set(nothing),
  }));
}
