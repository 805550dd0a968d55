import { z } from 'zod';
import type { Handlers } from '../../contract/api';
import type { DataWork } from '../../contract/data-source';
import { WorkbenchError } from '../../contract/errors';
import {
  commitPattern,
  type hubFetchSchema,
  type HubModel,
  type HubReference,
  hubText,
  parseHubReference,
} from '../../contract/own/hub';
import { silentListener, type Toolkit, type ToolkitArgument } from '../../toolkit/toolkit';
import type { ModelReaders } from '../model-readers';
import { chooseHubFiles, type HubFile } from './hub-files';
import { createKeptModels, type KeptModel, type KeptModels } from './hub-kept';

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

type Finding = Pick<HubOptions, 'toolkit' | 'readers' | 'give'> & { readonly kept: KeptModels };

/** What the hub has; its configuration is checked. Throws input-invalid, download-failed, model-folder-invalid. */
async function askHub(
  { toolkit, readers }: Finding,
  { id, revision }: HubReference,
  { signal, onProgress }: LookHow,
): Promise<Found> {
  const listener = {
    ...silentListener(signal ?? new AbortController().signal),
    progress: (_fraction: number | null, text: string) => onProgress?.(text),
  };
  const args = [['--id', id] as const, ['--revision', revision] as const];
  const found = await toolkit.call({ verb: 'hub-files', args }, filesSchema, listener);
  if (found.folder !== null) await readers.huggingFaceConfig({ path: found.folder });
  const chosen = chooseHubFiles(found.id, found.files);
  const commit = { id: found.id, revision: found.revision };
  const model: HubModel = {
    ...{ ...commit, reference: hubText(commit), license: found.license, path: null, note: null },
    ...{ files: chosen.length, bytes: sumOf(chosen) },
    missingBytes: sumOf(chosen.filter(({ cached }) => !cached)),
  };
  return { model, chosen };
}

/** A commit that is kept needs no network; of a branch the hub is asked where it leads. */
async function findModel(finding: Finding, asked: HubReference, how: LookHow): Promise<Found> {
  const { kept, give } = finding;
  const taken = (model: KeptModel, note: string | null): Found => {
    give(model.folder);
    return { model: keptModel(model, note), chosen: [] };
  };
  const reference = hubText(asked);
  const before = await kept.find(reference);
  if (before !== null && commitPattern.test(asked.revision)) return taken(before, null);
  try {
    const found = await askHub(finding, asked, how);
    const same = await kept.find(found.model.reference);
    if (same === null) return found;
    if (!same.asked.includes(reference)) await kept.add({ ...same, asked: [reference] });
    return taken(same, null);
  } catch (error) {
    if (before === null || !(error instanceof WorkbenchError) || error.code !== 'download-failed')
      throw error;
    const { revision, at } = before;
    const note = `${error.message}. Commit ${revision} of ${at.slice(0, 10)} is in the cache and is used.`;
    return taken(before, note);
  }
}

const fileArgument = ({ path, bytes, sha256, blob }: HubFile): ToolkitArgument => [
  '--file',
  JSON.stringify({ path, bytes, sha256, blob }),
];

const fetchedSchema = z.object({ folder: z.string() });

/** Models of the Hugging Face hub, through huggingface_hub, into its cache. */
export function createHub({ toolkit, readers, keptFile, start, give, now }: HubOptions): Hub {
  const kept = createKeptModels(keptFile);
  const finding = { toolkit, readers, give, kept };
  const download = async (ask: HubFetch, { signal, change }: StartedWork): Promise<Partial<DataWork>> => {
    const progress = (fraction: number | null, text: string) => {
      change({ fraction, text });
    };
    const named = parseHubReference(ask.reference);
    const pinned = { ...named, revision: ask.revision };
    const onProgress = (text: string) => {
      progress(null, text);
    };
    const { model, chosen } = await findModel(finding, pinned, { signal, onProgress });
    if (model.path !== null) return { text: 'In the cache', path: model.path };
    const { id, revision, license, reference } = model;
    const args: readonly ToolkitArgument[] = [
      ['--id', id],
      ['--revision', revision],
      ...chosen.map(fileArgument),
    ];
    const listener = { ...silentListener(signal), progress };
    const { folder } = await toolkit.call({ verb: 'hub-fetch', args }, fetchedSchema, listener);
    await kept.add({
      ...{ id, revision, license, folder },
      asked: [...new Set([reference, hubText(pinned), hubText(named)])],
      files: chosen.map(({ path, bytes }) => ({ path, bytes })),
      at: now().toISOString(),
    });
    give(folder);
    return { text: 'Ready', path: folder };
  };
  const look: Hub['look'] = async (reference, how = {}) =>
    (await findModel(finding, parseHubReference(reference), how)).model;
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
