import { mkdir, mkdtemp, open, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { HomeMoveWork } from '../../../main/contract/settings/storage';
import { createHomeMove, finishMove } from '../../../main/home/move-home';
import { listFiles } from '../../../main/platform/files';
import { defaultHome } from '../../../main/platform/layout';

let root: string;
let home: string;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'twb-move-')));
  env = { XDG_DATA_HOME: join(root, 'data'), XDG_CONFIG_HOME: join(root, 'config') };
  home = join(root, 'data', 'triton-workbench');
  await mkdir(join(home, 'runs', 'a'), { recursive: true });
  await writeFile(join(home, 'runs', 'a', 'journal.jsonl'), 'one\n');
  await writeFile(join(home, 'settings.json'), '{}');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(root, { recursive: true, force: true });
});

async function move(to: string): Promise<HomeMoveWork> {
  let resolve: (work: HomeMoveWork) => void = () => undefined;
  const ended = new Promise<HomeMoveWork>((done) => {
    resolve = done;
  });
  const work = createHomeMove({
    home,
    env,
    now: () => new Date(),
    requireIdle: () => Promise.resolve(),
    onWork: (one) => {
      if (['done', 'failed', 'cancelled'].includes(one.status)) resolve(one);
    },
    users: () => Promise.resolve([]),
  });
  await work.start(to);
  return ended;
}

/** What open files have in common, to look at what is put on disk. */
async function fileHandles() {
  const probe = await open(join(home, 'settings.json'));
  const handles = Object.getPrototypeOf(probe) as typeof probe;
  await probe.close();
  const sync: (this: typeof probe) => Promise<void> = Reflect.get(handles, 'sync');
  return { handles, sync };
}

it('keeps the new home where the pointer names it, though writing it ended with an error', async () => {
  const to = join(root, 'disk');
  const config = join(root, 'config', 'triton-workbench');
  await mkdir(config, { recursive: true });
  const { ino } = await stat(config);
  const { handles, sync } = await fileHandles();
  let failed = 0;
  // Injects a fault: the folder of the pointer cannot be put on disk, after the pointer is in its place.
  vi.spyOn(handles, 'sync').mockImplementation(async function (this: typeof handles) {
    if ((await this.stat()).ino !== ino) return sync.call(this);
    failed += 1;
    throw new Error('the folder cannot be synced');
  });
  expect(await move(to)).toMatchObject({ status: 'done' });
  expect(failed).toBeGreaterThan(0);
  expect(defaultHome(env)).toBe(to);
  vi.restoreAllMocks();
  await finishMove(to, env);
  expect(await readFile(join(to, 'runs', 'a', 'journal.jsonl'), 'utf8')).toBe('one\n');
});

it('empties the new folder where the pointer was not written', async () => {
  const to = join(root, 'disk');
  // No folder can be made below a file.
  await writeFile(join(root, 'config'), '');
  expect(await move(to)).toMatchObject({ status: 'failed' });
  expect(defaultHome(env)).toBe(home);
  expect(await listFiles(to)).toEqual([]);
  expect(await readFile(join(home, 'runs', 'a', 'journal.jsonl'), 'utf8')).toBe('one\n');
});

it('puts every copied file on disk', async () => {
  const to = join(root, 'disk');
  const { handles, sync } = await fileHandles();
  const synced: number[] = [];
  vi.spyOn(handles, 'sync').mockImplementation(async function (this: typeof handles) {
    const found = await this.stat();
    if (found.isFile()) synced.push(found.ino);
    return sync.call(this);
  });
  await move(to);
  for (const path of ['settings.json', join('runs', 'a', 'journal.jsonl')]) {
    const copy = await open(join(to, path));
    expect(synced, path).toContain((await copy.stat()).ino);
    await copy.close();
  }
});
