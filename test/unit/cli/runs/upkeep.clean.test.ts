import { link, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { planLines } from '../../../../main/cli/runs/upkeep';
import type { Core } from '../../../../main/core';
import { programWith } from '../../../support/cli-program';
import { rejection } from '../../../support/rejection';
import { createTestCore } from '../../../support/test-core';

let home: string;
let core: Core;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-clean-'));
  core = await createTestCore(home);
  await mkdir(join(home, 'cache', 'key'), { recursive: true });
  await writeFile(join(home, 'cache', 'key', 'model.onnx'), 'x'.repeat(2048));
  await mkdir(join(home, 'trash', '20261125-a'), { recursive: true });
  await writeFile(join(home, 'trash', '20261125-a', 'run.yaml'), 'x'.repeat(100));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await core.close();
  await rm(home, { recursive: true, force: true });
});

async function clean(...words: string[]): Promise<string> {
  const chunks: string[] = [];
  for (const to of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[to], 'write').mockImplementation((chunk) => {
      chunks.push(String(chunk));
      return true;
    });
  }
  try {
    await programWith({ core: () => Promise.resolve(core) }).parseAsync(['clean', ...words], {
      from: 'user',
    });
  } finally {
    vi.restoreAllMocks();
  }
  return chunks.join('');
}

const left = async () => ({
  cache: await readdir(join(home, 'cache')).catch(() => []),
  trash: await readdir(join(home, 'trash')),
});
const everything = { cache: ['key'], trash: ['20261125-a'] };

describe('clean', () => {
  it('shows what would be removed and how much it is, and removes nothing', async () => {
    expect(await clean('--cache', '--trash', '--dry-run')).toBe(
      'Cache of exported models: 2.0 KiB\nTrash: 1 run, 100 bytes; they cannot be restored\n' +
        'Processes, containers and shared memory left behind by crashed sessions\nFrees 2.1 KiB\n',
    );
    expect(await left()).toEqual(everything);
    expect(JSON.parse(await clean('--trash', '--dry-run', '--json'))).toEqual({
      ...{ cache: null, trash: { runIds: ['20261125-a'], bytes: 100 }, runs: [], bytes: 100 },
    });
  });

  it('refuses where nobody can be asked, and removes nothing', async () => {
    expect(await rejection(clean())).toMatchObject({
      code: 'input-invalid',
      remedy: expect.stringContaining('--yes') as unknown,
    });
    expect(await left()).toEqual(everything);
  });

  it('empties the cache and leaves the trash, unless that is asked for', async () => {
    expect(await clean('--yes')).toContain('2.0 KiB freed');
    expect(await left()).toEqual({ ...everything, cache: [] });
    expect(await clean('--trash', '-y')).toContain('20261125-a deleted from the trash');
    expect((await left()).trash).toEqual([]);
  });

  it('frees of what the cache shares with a run nothing, and says so before and after', async () => {
    const run = join(home, 'runs', '20261125-b');
    await mkdir(run, { recursive: true });
    await link(join(home, 'cache', 'key', 'model.onnx'), join(run, 'model.onnx'));
    const said = await clean('--cache', '--yes');
    expect(said).toContain('Cache of exported models: 0 bytes; another 2.0 KiB is shared with runs');
    expect(said).toContain('0 bytes freed');
    expect((await left()).cache).toEqual([]);
  });

  it('says of single runs that they are gone for good', () => {
    expect(
      planLines({ cache: null, trash: null, runs: [{ runId: 'a', bytes: 2 ** 20 }], bytes: 2 ** 20 })[0],
    ).toBe('Run a: 1.0 MiB; it cannot be restored');
  });
});
