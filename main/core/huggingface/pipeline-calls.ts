import type { Handlers } from '../../contract/api';
import { fromWire } from '../../contract/errors';
import { type OpenedModel, openModelSchema } from '../../contract/run/own-model';
import { mergeTrees } from '../../contract/trees';
import type { CoreParts } from '../core-parts';
import { writePipeline, type WrittenPipeline } from './write-pipeline';

type Parts = Parameters<typeof writePipeline>[0] & Pick<CoreParts, 'data'>;

/** The written pipeline as a model whose reference and load are part of the choice. */
async function openPipeline({ own }: Parts, written: WrittenPipeline): Promise<OpenedModel> {
  const opened = await own.handlers['models.open'](openModelSchema.parse({ path: written.path }));
  const { choice, notes } = opened;
  if (choice === null) return opened;
  const overrides = { ...mergeTrees(choice.overrides, written.overrides) };
  return { ...opened, choice: { ...choice, overrides }, notes: [...written.notes, ...notes] };
}

/** Pipelines for a window, where writing one is shown and cancelled as a download is. */
export const createPipelineCalls = (parts: Parts): Pick<Handlers, 'models.asPipeline'> => ({
  'models.asPipeline': async (request) => {
    const { path } = request;
    const made: { written?: WrittenPipeline } = {};
    const quiet = () => undefined;
    const title = path.slice(path.lastIndexOf('/') + 1);
    const facts = { preset: '', source: path, title, kind: 'pipeline', path: null } as const;
    const key = JSON.stringify(['pipeline', request]);
    const id = parts.data.start(key, facts, async ({ signal, change }) => {
      const onProgress = (text: string) => {
        change({ text });
      };
      made.written = await writePipeline(parts, { ...request, onProgress, signal });
      return { text: 'Written', path: made.written.path };
    });
    const { status, error } = await parts.data.ended(id);
    if (status === 'cancelled') return null;
    if (error !== null) throw fromWire(error);
    // Where another call began the work, it is there by now.
    const written = made.written ?? (await writePipeline(parts, { ...request, onProgress: quiet }));
    return openPipeline(parts, written);
  },
});
