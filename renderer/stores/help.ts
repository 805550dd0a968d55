import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { stored } from './stored';

/** A place in the documentation. */
export interface PagePlace {
  /** Folder and name of an article: "guide/monitor". */
  readonly page: string;
  /** Heading to begin at; null: the top. */
  readonly heading: string | null;
}

/** Pixels. */
export const helpWidths = { least: 320, first: 440, most: 900 } as const;

/** The documentation beside the page. */
export interface Help {
  /** A new object with each followed link; null: closed. */
  readonly place: PagePlace | null;
  /** Where Back leads, the latest last. */
  readonly before: readonly PagePlace[];
  readonly width: number;
  readonly open: (place: PagePlace) => void;
  readonly back: () => void;
  readonly close: () => void;
  readonly resize: (width: number) => void;
}

const key = 'workbench.help-width';
const widthSchema = z.number().min(helpWidths.least).max(helpWidths.most);

export function createHelp(storage: Storage): StoreApi<Help> {
  return createStore<Help>()((set, get) => ({
    place: null,
    before: [],
    width: stored(storage, key, widthSchema) ?? helpWidths.first,
    open: (place) => {
      const { place: last, before } = get();
      set({ place: { ...place }, before: last === null ? [] : [...before, last] });
    },
    back: () => {
      const { before } = get();
      const last = before.at(-1);
      if (last !== undefined) set({ place: { ...last }, before: before.slice(0, -1) });
    },
    close: () => set({ place: null, before: [] }),
    resize: (asked) => {
      const width = Math.round(Math.min(helpWidths.most, Math.max(helpWidths.least, asked)));
      storage.setItem(key, JSON.stringify(width));
      set({ width });
    },
  }));
}
