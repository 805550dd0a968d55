import { join } from 'node:path';
import type { CoreEvent, Handlers } from '../contract/api';
import type { DataItem, DataSource, DataWork, SourceKind } from '../contract/data-source';
import { WorkbenchError } from '../contract/errors';
import { exists } from '../platform/files';
import { type WorkReporter, Works } from '../platform/works';
import { type LoadedPreset, type Presets, requirePreset } from '../presets/presets';
import type { Toolkit } from '../toolkit/toolkit';
import { fetchSource, sourcePlaces } from './fetch-source';
import { partBytes } from './save-body';

interface DataCallsOptions {
  /** One folder per preset. */
  readonly root: string;
  readonly presets: Presets;
  readonly toolkit: Toolkit;
  readonly emit: (event: CoreEvent) => void;
}

interface FetchOptions {
  readonly preset: string;
  readonly source: string;
  /** Target folder; absent: the home's. */
  readonly to?: string | undefined;
  readonly from?: string | undefined;
}

export interface DataCalls {
  readonly handlers: Pick<Handlers, Extract<keyof Handlers, `data.${string}`>>;
  /** Throws preset-unknown. */
  list(preset: string): Promise<readonly DataItem[]>;
  /** @returns the id of the new or running work. Throws preset-unknown, input-invalid */
  fetch(options: FetchOptions): string;
  /** Any other download, shown and cancelled as those of presets. @returns as `fetch` */
  start(
    key: string,
    facts: WorkFacts,
    run: (reporter: WorkReporter<WorkFacts>) => Promise<Partial<DataWork>>,
  ): string;
  cancel(workId: string): void;
  /** Newest first, with the last 20 that ended. */
  works(): readonly DataWork[];
  /** Resolves once the work ended, successfully or not. Throws input-invalid for an unknown id. */
  ended(workId: string): Promise<DataWork>;
  close(): Promise<void>;
}

export type WorkFacts = Pick<DataWork, 'preset' | 'source' | 'title' | 'kind' | 'path'>;

const sourcesOf = ({ preset: { origin } }: LoadedPreset) => [
  ...(origin.datasets ?? []).map((source) => ({ kind: 'dataset' as const, source })),
  ...(origin.checkpoints ?? []).map((source) => ({ kind: 'checkpoint' as const, source })),
];

export function createDataCalls(options: DataCallsOptions): DataCalls {
  const works = new Works<WorkFacts>('download', (work) => options.emit({ type: 'data-work', work }));
  const rootOf = (preset: string) => join(options.root, preset);

  const list = async (preset: string): Promise<readonly DataItem[]> => {
    const root = rootOf(preset);
    const items = sourcesOf(requirePreset(options.presets(), preset)).map(async ({ kind, source }) => {
      const { given, file } = sourcePlaces(root, source);
      const path = (await exists(given)) ? given : null;
      const begun = source.allowed === 'download' && path === null ? partBytes(file, source.address) : 0;
      return { kind, source, path, partBytes: await begun };
    });
    return Promise.all(items);
  };

  const found = (preset: string, id: string): { kind: SourceKind; source: DataSource } => {
    const sources = sourcesOf(requirePreset(options.presets(), preset));
    const one = sources.find(({ source }) => source.id === id);
    if (one !== undefined) return one;
    const known = sources.map(({ source }) => source.id).join(', ');
    throw new WorkbenchError('input-invalid', `The preset ${preset} has no source "${id}"`, {
      remedy: known === '' ? 'The preset has no sources.' : `Available: ${known}.`,
    });
  };

  const fetch = ({ preset, source: id, to, from }: FetchOptions): string => {
    const { kind, source } = found(preset, id);
    if (source.allowed === 'by-hand') {
      throw new WorkbenchError('input-invalid', `${source.title} must be downloaded by hand`, {
        remedy: source.steps
          .map(({ text, copy }) => (copy === undefined ? text : `${text}: ${copy}`))
          .join(' '),
      });
    }
    const root = to ?? rootOf(preset);
    const facts = { preset, source: id, title: source.title, kind, path: null };
    return works.start(JSON.stringify([preset, id, root]), facts, async ({ signal, change }) => {
      const path = await fetchSource({
        source,
        root,
        modelDir: requirePreset(options.presets(), preset).dir,
        toolkit: options.toolkit,
        from,
        signal,
        onProgress: (fraction, text) => change({ fraction, text }),
      });
      return { text: 'Ready', path };
    });
  };
  return {
    list,
    fetch,
    start: (key, facts, run) => works.start(key, facts, run),
    cancel: (workId) => works.cancel(workId),
    works: () => works.list(),
    ended: (workId) => works.ended(workId),
    close: () => works.close(),
    handlers: {
      'data.list': ({ preset }) => list(preset),
      'data.fetch': (request) => Promise.resolve().then(() => ({ workId: fetch(request) })),
      'data.cancel': ({ workId }) => {
        works.cancel(workId);
        return Promise.resolve(null);
      },
      'data.works': () => Promise.resolve(works.list()),
    },
  };
}
