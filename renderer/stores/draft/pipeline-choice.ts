import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../../main/contract/api';
import type { DataWork } from '../../../main/contract/data-source';
import { toWire, type WireError } from '../../../main/contract/errors';
import type { OwnSamples } from '../../../main/contract/run/own-model';
import type { Client } from '../../client';
import type { OwnModel } from './own-model';

/** A Hugging Face folder on its way to a pipeline, which then is the model of the draft. */
export interface PipelineChoice {
  /** Folder that is being written, or was last; null: none. */
  readonly path: string | null;
  /** What the writing says of itself; null: it has not begun. */
  readonly work: DataWork | null;
  readonly busy: boolean;
  readonly error: WireError | null;
  /** Resolves when it ended; true: the draft has the pipeline. */
  readonly write: (path: string, shapes?: Record<string, number[]>, own?: OwnSamples) => Promise<boolean>;
  readonly cancel: () => Promise<void>;
  readonly onEvent: (event: WindowEvent) => void;
}

export function createPipelineChoice(client: Client, own: StoreApi<OwnModel>): StoreApi<PipelineChoice> {
  return createStore<PipelineChoice>()((set, get) => ({
    path: null,
    work: null,
    busy: false,
    error: null,
    async write(path, shapes = {}, samples = {}) {
      set({ path, work: null, busy: true, error: null });
      try {
        const opened = await client.call('models.asPipeline', { path, shapes, ...samples });
        return opened !== null && own.getState().take(opened);
      } catch (error) {
        set({ error: toWire(error) });
        return false;
      } finally {
        set({ busy: false, work: null });
      }
    },
    async cancel() {
      const { work } = get();
      if (work !== null) await client.call('data.cancel', { workId: work.id });
    },
    onEvent(event) {
      if (event.type !== 'data-work' || event.work.kind !== 'pipeline') return;
      const { busy, path } = get();
      if (busy && event.work.source === path) set({ work: event.work });
    },
  }));
}
