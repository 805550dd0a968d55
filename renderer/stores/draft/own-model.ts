import { createStore, type StoreApi } from 'zustand/vanilla';
import { toWire, type WireError } from '../../../main/contract/errors';
import type { OpenedModel } from '../../../main/contract/run/own-model';
import { parseShape, sampleDims } from '../../../main/contract/run/shape-text';
import type { Client } from '../../client';
import type { DraftState } from './draft-state';

export interface OwnModel {
  readonly path: string | null;
  /** Of a repository: models that are loaded with it. */
  readonly beside: readonly string[];
  readonly opened: OpenedModel | null;
  readonly error: WireError | null;
  readonly busy: boolean;
  /** Shapes that were typed, by input: "1, 3, 224, 224". */
  readonly shapes: Readonly<Record<string, string>>;
  readonly shapeProblems: Readonly<Record<string, string>>;
  /**
   * Reads the path; true: the draft has taken it, as nothing has to be trusted or answered first.
   * @param asNew into a new draft; so with `trust` and `retry`
   */
  readonly open: (path: string, asNew?: boolean, beside?: readonly string[]) => Promise<boolean>;
  /** As `open`, of what another call read. */
  readonly take: (opened: OpenedModel, asNew?: boolean) => boolean;
  readonly setShape: (name: string, text: string) => void;
  readonly trust: (asNew?: boolean) => Promise<boolean>;
  readonly retry: (asNew?: boolean) => Promise<boolean>;
}

interface GivenTensors {
  readonly shapes: Record<string, number[]>;
  readonly datatypes: Record<string, string>;
  readonly problems: Record<string, string>;
}

function shapeOf(input: string, text: string) {
  const written = parseShape(text);
  if (written === null) return `Write the sizes with commas, for example 1, 3, 224, 224.`;
  if (written.name !== null && written.name !== input) return `The name is ${input}, not ${written.name}.`;
  const dims = sampleDims(written);
  if (dims !== null) return { dims, datatype: written.datatype };
  return 'Give a number for each dimension. Only the batch, which is first, may be -1 or a name.';
}

function readShapes({ shapes: texts, opened }: Pick<OwnModel, 'shapes' | 'opened'>): GivenTensors {
  const given: GivenTensors = { shapes: {}, datatypes: {}, problems: {} };
  for (const { name, shape } of opened?.asked ?? []) {
    const text = texts[name] ?? shape?.join(',') ?? '';
    const read = shapeOf(name, text);
    if (typeof read === 'string') given.problems[name] = read;
    else {
      given.shapes[name] = read.dims;
      if (read.datatype !== null) given.datatypes[name] = read.datatype;
    }
  }
  return given;
}

export function createOwnModel(client: Client, draft: StoreApi<DraftState>): StoreApi<OwnModel> {
  return createStore<OwnModel>()((set, get) => {
    const take = (opened: OpenedModel, asNew: boolean): boolean => {
      set({ opened, busy: false });
      const { choice, preset, trusted } = opened;
      if (choice === null || preset === null || !trusted) return false;
      draft.getState().chooseModel(choice, preset, asNew);
      return true;
    };
    const call = async (name: 'models.open' | 'models.trust', asNew = false): Promise<boolean> => {
      const { path, beside } = get();
      if (path === null) return false;
      const { shapes, datatypes, problems: shapeProblems } = readShapes(get());
      set({ error: null, shapeProblems });
      if (Object.keys(shapeProblems).length > 0) return false;
      set({ busy: true });
      try {
        const given = { path, shapes, datatypes, with: [...beside], rewrite: false };
        const opened = await client.call(name, given);
        // Another path was chosen meanwhile.
        if (get().path !== path || get().beside !== beside) return false;
        return take(opened, asNew);
      } catch (error) {
        if (get().path === path && get().beside === beside) set({ error: toWire(error), busy: false });
        return false;
      }
    };
    return {
      path: null,
      beside: [],
      opened: null,
      error: null,
      busy: false,
      shapes: {},
      shapeProblems: {},
      open: (path, asNew, beside = []) => {
        set({ path, beside, opened: null, shapes: {}, shapeProblems: {} });
        return call('models.open', asNew);
      },
      take: (opened, asNew = false) => {
        set({ path: opened.path, beside: [], shapes: {}, shapeProblems: {}, error: null });
        return take(opened, asNew);
      },
      setShape: (name, text) => {
        const shapeProblems = Object.entries(get().shapeProblems).filter(([input]) => input !== name);
        set({ shapes: { ...get().shapes, [name]: text }, shapeProblems: Object.fromEntries(shapeProblems) });
      },
      trust: (asNew) => call('models.trust', asNew),
      retry: (asNew) => call('models.open', asNew),
    };
  });
}
