import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DownloadSource } from '../../main/contract/data-source';
import { createDataCalls } from '../../main/data/data-calls';
import { homeLayout } from '../../main/platform/layout';
import { readPreset } from '../../main/presets/presets';
import { createLocalPython } from '../../main/toolkit/local-python';
import { createToolkit } from '../../main/toolkit/toolkit';
import { type FileServer, startFileServer } from '../support/file-server';
import { createTestHome, repository, type TestHome } from '../support/home';

/** One meter, one value an hour from 1 January 2011 on, of as many days as the splits need. */
function meterFile(): string {
  const lines = ['"";"MT_001"'];
  for (let hour = 0; hour < 1346 * 24; hour += 1) {
    const time = new Date(Date.UTC(2011, 0, 1, hour, 15)).toISOString().slice(0, 19).replace('T', ' ');
    lines.push(`"${time}";${1 + (hour % 24)},5`);
  }
  return `${lines.join('\n')}\n`;
}

let home: TestHome;
let server: FileServer;
beforeAll(async () => {
  home = await createTestHome(['python']);
  const archive = pack();
  archive.entry({ name: 'LD2011_2014.txt' }, meterFile());
  archive.finalize();
  server = await startFileServer(await buffer(archive));
});
afterAll(async () => {
  await server.close();
  await home.remove();
});

async function createCalls(part: Partial<DownloadSource> = {}) {
  const resources = join(repository, 'resources');
  const layout = homeLayout(home.path);
  const tft = await readPreset(join(resources, 'models', 'tft'));
  const published = tft.preset.origin.datasets?.find(({ id }) => id === 'electricity');
  if (published?.allowed !== 'download') throw new Error('electricity is no download');
  const source = {
    ...published,
    archive: 'tar' as const,
    address: server.address,
    bytes: server.content.length,
    checksum: {
      algorithm: 'sha256' as const,
      value: createHash('sha256').update(server.content).digest('hex'),
    },
    ...part,
  };
  const preset = { ...tft.preset, origin: { ...tft.preset.origin, datasets: [source] } };
  return createDataCalls({
    root: layout.data,
    presets: () => new Map([['tft', { ...tft, preset }]]),
    toolkit: createToolkit(createLocalPython({ python: layout.python, resources, env: process.env })),
    emit: () => undefined,
  });
}

describe('a published archive over HTTP', () => {
  it('that holds more than it should leaves nothing of it', async () => {
    const calls = await createCalls({ unpackedBytes: 1000 });
    const work = await calls.ended(calls.fetch({ preset: 'tft', source: 'electricity' }));
    expect(work).toMatchObject({ status: 'failed', error: { code: 'download-invalid' } });
    const left = await readdir(join(home.path, 'data', 'tft', 'electricity.download'));
    expect(left).toEqual([]);
  });

  it('becomes the tables that the loader reads, the connection cut on the way', async () => {
    server.faults = [{ cutAfter: 100_000 }, {}];
    const calls = await createCalls();
    const work = await calls.ended(calls.fetch({ preset: 'tft', source: 'electricity' }));
    expect(work.error).toBeNull();
    expect(work).toMatchObject({ status: 'done', path: join(home.path, 'data', 'tft', 'electricity') });
    const test = (await readFile(join(work.path ?? '', 'test.csv'), 'utf8')).trim().split('\n');
    expect(test[0]).toBe(',categorical_id,day_of_week,days_from_start,hour,hours_from_start,id,power_usage');
    expect(test).toHaveLength(1 + 14 * 24);
    expect(await readdir(join(home.path, 'data', 'tft'))).toEqual(['electricity']);
  });
});
