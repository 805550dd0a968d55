import { z } from 'zod';
import type { Handlers } from '../../contract/api';
import { WorkbenchError } from '../../contract/errors';
import { commitPattern, type hubFetchSchema, type HubModel, hubText, parseHubReference } from '../../contract/own/hub';
import type { DataWork } from '../../contract/data-source';
import { silentListener, type Toolkit, type ToolkitArgument } from '../../toolkit/toolkit';
import type { ModelReaders } from '../model-readers';
import { chooseHubFiles, type HubFile } from './hub-files';
import { createKeptModels, type KeptModel } from './hub-kept';

const filesSchema = z.object({
  id: z.string(),
  revision: z.string().regex(commitPattern),
  license: z.string().nullable(),
  /** Of the snapshot, once config.json is there. */
  folder: z.string().nullable(),
  files: z.array(
    z.object({
      path: z.string(),
      bytes: z.int().min(0),
      sha256: z.string().nullable(),
      blob: z.string().nullable(),
      cached: z.boolean(),
    }),
  ),
});

const sumOf = (files: readonly { readonly bytes: number }[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

interface Found {
  readonly model: HubModel;
  readonly chosen: readonly HubFile[];
}

function keptModel({ id, revision, files, license, folder }: KeptModel, note: string | null): HubModel {
  return {
    ...{ id, revision, reference: hubText({ id, revision }), license, path: folder, note },
    ...{ files: files.length, bytes: sumOf(files), missingBytes: 0 },
  };
}

type HubFetch = z.infer<typeof hubFetchSchema>;

interface StartedWork {
  readonly signal: AbortSignal;
  readonly change: (part: Partial<DataWork>) => void;
}

interface HubOptions {
  /** With huggingface_hub; installed on first use. */
  readonly toolkit: Toolkit;
  readonly readers: Pick<ModelReaders, 'huggingFaceConfig'>;
  /** `hub.json` of the home. */
  readonly keptFile: string;
  /** Begins a download that others see and cancel. @returns its id */
  readonly start: (
    key: string,
    facts: Pick<DataWork, 'preset' | 'source' | 'title' | 'kind' | 'path'>,
    run: (work: StartedWork) => Promise<Partial<DataWork>>,
  ) => string;
  /** The person asked for the model, so that its folder may be read. */
  readonly give: (path: string) => void;
  readonly now: () => Date;
}

interface LookHow {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((text: string) => void) | undefined;
}

export interface Hub {
  readonly handlers: Pick<Handlers, 'models.hub' | 'models.fetch'>;
  /** As `models.hub`. */
  look(reference: string, how?: LookHow): Promise<HubModel>;
}

/** Models of the Hugging Face hub, through huggingface_hub, into its cache. */
export function createHub({ toolkit, readers, keptFile, start, give, now }: HubOptions): Hub {
  const kept = createKeptModels(keptFile);
  const taken = (model: KeptModel, note: string | null): HubModel => {
    give(model.folder);
    return keptModel(model, note);
  };
  const asked = async (reference: string, { signal, onProgress }: LookHow): Promise<Found> => {
    const { id, revision } = parseHubReference(reference);
    const listener = {
      ...silentListener(signal ?? new AbortController().signal),
      progress: (_fraction: number | null, text: string) => onProgress?.(text),
    };
    const args = [['--id', id] as const, ['--revision', revision] as const];
    const found = await toolkit.call({ verb: 'hub-files', args }, filesSchema, listener);
    if (found.folder !== null) await readers.huggingFaceConfig({ path: found.folder });
    const chosen = chooseHubFiles(found.id, found.files);
    const commit = { id: found.id, revision: found.revision };
    return {
      chosen,
      model: {
        ...commit,
        reference: hubText(commit),
        files: chosen.length,
        bytes: sumOf(chosen),
        missingBytes: sumOf(chosen.filter(({ cached }) => !cached)),
        license: found.license,
        path: null,
        note: null,
      },
    };
  };
  /** A commit that is kept needs no network; of a branch the hub is asked where it leads. */
  const find = async (given: string, how: LookHow = {}): Promise<Found> => {
    const reference = hubText(parseHubReference(given));
    const before = await kept.find(reference);
    if (before !== null && commitPattern.test(parseHubReference(reference).revision)) {
      return { model: taken(before, null), chosen: [] };
    }
    try {
      const found = await asked(reference, how);
      const same = await kept.find(found.model.reference);
      if (same === null) return found;
      if (!same.asked.includes(reference)) await kept.add({ ...same, asked: [reference] });
      return { model: taken(same, null), chosen: [] };
    } catch (error) {
      if (before === null || !(error instanceof WorkbenchError) || error.code !== 'download-failed') throw error;
      const note = `${error.message}. Commit ${before.revision} of ${before.at.slice(0, 10)} is in the cache and is used.`;
      return { model: taken(before, note), chosen: [] };
    }
  };
  const download = async (
    { reference, revision: commit }: HubFetch,
    { signal, change }: StartedWork,
  ): Promise<Partial<DataWork>> => {
    const progress = (fraction: number | null, text: string) => change({ fraction, text });
    const pinned = hubText({ ...parseHubReference(reference), revision: commit });
    const { model, chosen } = await find(pinned, { signal, onProgress: (text) => progress(null, text) });
    if (model.path !== null) return { text: 'In the cache', path: model.path };
    const { id, revision, license } = model;
    const files = chosen.map(
      ({ path, bytes, sha256, blob }): ToolkitArgument => [
        '--file',
        JSON.stringify({ path, bytes, sha256, blob }),
      ],
    );
    const args: readonly ToolkitArgument[] = [['--id', id], ['--revision', revision], ...files];
    const result = z.object({ folder: z.string() });
    const listener = { ...silentListener(signal), progress };
    const { folder } = await toolkit.call({ verb: 'hub-fetch', args }, result, listener);
    await kept.add({
      ...{ id, revision, license, folder },
      asked: [...new Set([model.reference, pinned, hubText(parseHubReference(reference))])],
      files: chosen.map(({ path, bytes }) => ({ path, bytes })),
      at: now().toISOString(),
    });
    give(folder);
    return { text: 'Ready', path: folder };
  };
  const look: Hub['look'] = async (reference, how) => (await find(reference, how)).model;
  return {
    look,
    handlers: {
      'models.hub': ({ reference }) => look(reference),
      'models.fetch': (ask) =>
        Promise.resolve().then(() => {
          const { id } = parseHubReference(ask.reference);
          const { revision } = ask;
          const facts = { preset: id, source: revision, title: id, kind: 'model', path: null } as const;
          const key = JSON.stringify(['hub', id, revision]);
          return { workId: start(key, facts, (work) => download(ask, work)) };
        }),
    },
  };
}
