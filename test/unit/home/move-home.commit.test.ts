import { mkdir, mkdtemp, open, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { HomeMoveWork } from '../../../main/contract/settings/storage';
import { finishMove } from '../../../main/home/finish-move';
import { createHomeMove } from '../../../main/home/move-home';
import * as files from '../../../main/platform/files';
import { defaultHome } from '../../../main/platform/layout';

const fail = vi.hoisted(() => ({ at: 'nothing' }));
vi.mock(import('../../../main/platform/files'), async (original) => {
  const real = await original();
  return {
    ...real,
    writeFileAtomic: async (path: string, ...rest: [string | Uint8Array, number?]) => {
      const isPointer = path.endsWith('home.json');
      if (isPointer && fail.at === 'write') throw new Error('no space left');
      await real.writeFileAtomic(path, ...rest);
      if (isPointer && fail.at === 'sync') throw new Error('the folder cannot be synced');
    },
  };
});

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
  fail.at = 'nothing';
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

it('keeps the new home where the pointer names it, though writing it ended with an error', async () => {
  const to = join(root, 'disk');
  fail.at = 'sync';
  expect(await move(to)).toMatchObject({ status: 'done' });
  expect(defaultHome(env)).toBe(to);
  fail.at = 'nothing';
  await finishMove(to, env);
  expect(await readFile(join(to, 'runs', 'a', 'journal.jsonl'), 'utf8')).toBe('one\n');
});

it('empties the new folder where the pointer was not written', async () => {
  const to = join(root, 'disk');
  fail.at = 'write';
  expect(await move(to)).toMatchObject({ status: 'failed' });
  expect(defaultHome(env)).toBe(home);
  expect(await files.listFiles(to)).toEqual([]);
  expect(await readFile(join(home, 'runs', 'a', 'journal.jsonl'), 'utf8')).toBe('one\n');
});

it('puts every copied file on disk', async () => {
  const to = join(root, 'disk');
  const probe = await open(join(home, 'settings.json'));
  const handles = Object.getPrototypeOf(probe) as typeof probe;
  await probe.close();
  const synced: number[] = [];
  const sync: (this: typeof probe) => Promise<void> = Reflect.get(handles, 'sync');
  vi.spyOn(handles, 'sync').mockImplementation(async function (this: typeof probe) {
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
