import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CoreEvent } from '../../../main/contract/api';
import { dataSourceSchema, type DownloadSource } from '../../../main/contract/data-source';
import { createDataCalls } from '../../../main/data/data-calls';
import { type LoadedPreset, readPresets } from '../../../main/presets/presets';
import { takeFileLease } from '../../../main/store/file-lease';
import { createLocalPython } from '../../../main/toolkit/local-python';
import { createToolkit } from '../../../main/toolkit/toolkit';
import { type FileServer, startFileServer } from '../../support/file-server';

const resources = join(process.cwd(), 'resources');
const presets = readPresets(resources);
const resnet50 = presets.get('resnet50') as LoadedPreset;
const content = Buffer.from('weights of a network');

let dir: string;
let server: FileServer;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'data-'));
  server = await startFileServer(content);
});
afterEach(async () => {
  await server.close();
  await rm(dir, { recursive: true });
});

const plainFile = (part: Partial<DownloadSource> = {}): DownloadSource => ({
  allowed: 'download',
  id: 'weights',
  title: 'Weights',
  page: 'https://example.com/',
  licence: null,
  bytes: content.length,
  checksum: { algorithm: 'sha256', value: createHash('sha256').update(content).digest('hex') },
  address: server.address,
  path: 'weights.pth',
  ...part,
});

/** Calls with one downloadable checkpoint. No Python is installed in it. */
function createCalls(source: DownloadSource = plainFile()) {
  const events: CoreEvent[] = [];
  const { preset } = resnet50;
  const loaded = { ...resnet50, preset: { ...preset, origin: { ...preset.origin, checkpoints: [source] } } };
  const calls = createDataCalls({
    root: join(dir, 'data'),
    presets: () => new Map([['resnet50', loaded]]),
    toolkit: createToolkit(createLocalPython({ python: join(dir, 'no-python'), resources, env: {} })),
    emit: (event) => events.push(event),
  });
  const end = (more: { readonly to?: string; readonly from?: string } = {}) =>
    calls.ended(calls.fetch({ preset: 'resnet50', source: 'weights', ...more }));
  return { calls, events, end };
}

describe('the data calls', () => {
  it('fetches a file into the home, tells how it goes, and knows it afterwards', async () => {
    const { calls, events, end } = createCalls();
    const before = (await calls.list('resnet50')).at(-1);
    expect(before).toMatchObject({ kind: 'checkpoint', path: null, partBytes: 0 });
    const work = await end();
    const path = join(dir, 'data', 'resnet50', 'weights', 'weights.pth');
    expect(work).toMatchObject({ status: 'done', fraction: 1, path, error: null });
    expect((await readFile(path)).equals(content)).toBe(true);
    expect(await readdir(join(dir, 'data', 'resnet50'))).toEqual(['weights']);
    expect(events.at(-1)).toEqual({ type: 'data-work', work });
    expect((await calls.list('resnet50')).at(-1)?.path).toBe(path);
    expect(await end()).toMatchObject({ status: 'done', path });
    expect(server.asked).toHaveLength(1);
  });

  it('works once on a source, however often it is asked for', async () => {
    const { calls } = createCalls();
    const ask = () => calls.fetch({ preset: 'resnet50', source: 'weights' });
    const first = ask();
    expect(ask()).toBe(first);
    expect(await calls.handlers['data.works'](undefined)).toHaveLength(1);
    await calls.ended(first);
  });

  it('is cancelled, tells what came, and goes on', async () => {
    server.faults = [{ stallAfter: 5 }, {}];
    const { calls } = createCalls();
    const workId = calls.fetch({ preset: 'resnet50', source: 'weights' });
    while (((await calls.list('resnet50')).at(-1)?.partBytes ?? 0) < 5) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await calls.handlers['data.cancel']({ workId });
    expect(await calls.ended(workId)).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } });
    expect((await calls.list('resnet50')).at(-1)?.partBytes).toBe(5);
    await calls.ended(calls.fetch({ preset: 'resnet50', source: 'weights' }));
    expect(server.asked.at(-1)).toBe('bytes=5-');
  });

  it('puts it into a folder of the person', async () => {
    const to = join(dir, 'mine');
    expect(await createCalls().end({ to })).toMatchObject({
      status: 'done',
      path: join(to, 'weights', 'weights.pth'),
    });
  });

  it('takes a file fetched by hand and leaves it where it is', async () => {
    const from = join(dir, 'by-hand');
    await writeFile(from, content);
    const { end } = createCalls();
    expect(await end({ from })).toMatchObject({ status: 'done' });
    expect((await readFile(from)).equals(content)).toBe(true);
    expect(server.asked).toEqual([]);
  });

  it('refuses one that is another', async () => {
    const from = join(dir, 'by-hand');
    await writeFile(from, 'weights of a hacker!');
    const { end } = createCalls();
    expect(await end({ from })).toMatchObject({ status: 'failed', error: { code: 'download-invalid' } });
    expect(await end({ from: join(dir, 'none') })).toMatchObject({ error: { code: 'input-invalid' } });
    expect((await readFile(from, 'utf8')).length).toBe(20);
  });

  it('leaves it to another workbench that is at it', async () => {
    const work = join(dir, 'data', 'resnet50', 'weights.download');
    await mkdir(work, { recursive: true });
    const lease = await takeFileLease(join(work, 'lease.json'));
    expect(await createCalls().end()).toMatchObject({ status: 'failed', error: { code: 'run-busy' } });
    await lease.release?.();
    expect(await createCalls().end()).toMatchObject({ status: 'done' });
  });

  it('keeps a whole archive when what comes after it fails', async () => {
    const { end } = createCalls(plainFile({ archive: 'zip' }));
    expect(await end()).toMatchObject({ status: 'failed', error: { code: 'toolchain-missing' } });
    expect(await end()).toMatchObject({ status: 'failed', error: { code: 'toolchain-missing' } });
    expect(server.asked).toHaveLength(1);
  });

  it('refuses what is fetched by hand with its steps, and what nobody knows', async () => {
    const { calls } = createCalls();
    const fetch = calls.handlers['data.fetch'];
    await expect(fetch({ preset: 'resnet50', source: 'imagenet-val' })).rejects.toMatchObject({
      code: 'input-invalid',
      remedy: expect.stringContaining('image-net.org') as string,
    });
    await expect(fetch({ preset: 'resnet50', source: 'cats' })).rejects.toMatchObject({
      code: 'input-invalid',
      remedy: 'Available: imagenet-val, weights.',
    });
    await expect(fetch({ preset: 'cats', source: 'weights' })).rejects.toMatchObject({
      code: 'preset-unknown',
    });
  });

  it('cancels what is under way when it closes', async () => {
    server.faults = [{ stallAfter: 5 }];
    const { calls } = createCalls();
    const workId = calls.fetch({ preset: 'resnet50', source: 'weights' });
    await calls.close();
    expect(await calls.ended(workId)).toMatchObject({ status: 'cancelled' });
  });
});

describe('the origins that the presets name', () => {
  it('are one for every published data set, each with a way to it', () => {
    const ids = [...presets.values()].map(({ preset: { id, origin } }) => [
      id,
      (origin.datasets ?? []).map((source) => `${source.id} ${source.allowed}`),
    ]);
    expect(Object.fromEntries(ids)).toEqual({
      fastpitch: ['ljspeech download'],
      nnunet: ['brain-tumour download'],
      resnet50: ['imagenet-val by-hand'],
      tft: ['electricity download', 'traffic download'],
      'wide-and-deep': ['outbrain by-hand'],
    });
  });

  it.each([...presets])('of %s have ids of their own and prepare only what they can', async (_id, loaded) => {
    const { origin } = loaded.preset;
    const sources = [...(origin.datasets ?? []), ...(origin.checkpoints ?? [])];
    expect(new Set(sources.map(({ id }) => id)).size).toBe(sources.length);
    const prepared = sources.some((source) => source.allowed === 'download' && source.prepare === true);
    expect((await readdir(loaded.dir)).includes('prepare_dataset.py')).toBe(prepared);
  });

  it.each([
    ['an address that is not https', { address: 'http://example.com/a' }],
    ['a path that leads out', { path: '../a' }],
    ['a path that is absolute', { path: '/a' }],
    ['half a checksum', { checksum: { algorithm: 'md5', value: 'abc' } }],
    ['a plain file without a name', { path: undefined }],
    ['a size of nothing', { bytes: 0 }],
    ['an id that is a path', { id: '../weights' }],
  ])('are refused with %s', (_name, part) => {
    const good = { ...plainFile(), address: 'https://example.com/a' };
    expect(dataSourceSchema.safeParse(good).success).toBe(true);
    expect(dataSourceSchema.safeParse({ ...good, ...part }).success).toBe(false);
  });
});
