import { existsSync, readFileSync } from 'node:fs';
import {
  appendFile,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import type { HomeMoveWork } from '../../../main/contract/settings/storage';
import {
  createHomeMove,
  finishMove,
  type HomeMove,
  type HomeMoveOptions,
} from '../../../main/home/move-home';
import { defaultHome, homePointerFile, readHomePointer } from '../../../main/platform/layout';
import { rejection } from '../../support/rejection';

let root: string;
let home: string;
let env: NodeJS.ProcessEnv;
const works: HomeMoveWork[] = [];

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'twb-move-')));
  env = { XDG_DATA_HOME: join(root, 'data'), XDG_CONFIG_HOME: join(root, 'config') };
  home = join(root, 'data', 'triton-workbench');
  works.length = 0;
  const run = join(home, 'runs', 'a');
  await mkdir(run, { recursive: true });
  await writeFile(join(run, 'journal.jsonl'), 'one\n');
  await writeFile(join(run, 'tool.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await mkdir(join(home, 'cache', 'key'), { recursive: true });
  await link(join(run, 'journal.jsonl'), join(home, 'cache', 'key', 'journal.jsonl'));
  await symlink(join(home, 'runs', 'a'), join(home, 'runs', 'latest'));
  await mkdir(join(home, 'window', 'Cache'), { recursive: true });
  await writeFile(join(home, 'window', 'window-state.json'), '{}');
  await mkdir(join(home, 'python', 'bin'), { recursive: true });
  await writeFile(join(home, 'settings.json'), '{}');
  await mkdir(join(home, 'logs'));
  await writeFile(join(home, 'logs', 'application.log'), 'started\n');
  const old = new Date('2026-01-01T00:00:00Z');
  await utimes(join(run, 'journal.jsonl'), old, old);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const moveOf = (more: Partial<HomeMoveOptions> = {}): HomeMove =>
  createHomeMove({
    home,
    env,
    now: () => new Date(),
    requireIdle: () => Promise.resolve(),
    onWork: (work) => works.push(work),
    users: () => Promise.resolve([]),
    ...more,
  });

async function ended(): Promise<HomeMoveWork | undefined> {
  const isOver = () => ['done', 'failed', 'cancelled'].includes(works.at(-1)?.status ?? '');
  while (!isOver()) await new Promise((done) => setTimeout(done, 5));
  return works.at(-1);
}

describe('a move', () => {
  it('copies data with modes, times and links, and then names the new home', async () => {
    const to = join(root, 'disk', 'workbench');
    const move = moveOf();
    expect(await move.plan(to)).toMatchObject({ from: home, to, setUpAgain: ['python'] });
    expect(existsSync(to)).toBe(false);
    await move.start(to);
    expect(await ended()).toMatchObject({ status: 'done', to });
    expect(defaultHome(env)).toBe(to);
    expect((await readdir(to)).sort()).toEqual(['cache', 'runs', 'settings.json', 'window']);
    expect(await readdir(join(to, 'window'))).toEqual(['window-state.json']);
    const journal = await stat(join(to, 'runs', 'a', 'journal.jsonl'));
    expect(journal.mtime.toISOString()).toBe('2026-01-01T00:00:00.000Z');
    expect(journal.ino).toBe((await stat(join(to, 'cache', 'key', 'journal.jsonl'))).ino);
    expect((await stat(join(to, 'runs', 'a', 'tool.sh'))).mode & 0o777).toBe(0o755);
    expect(await readlink(join(to, 'runs', 'latest'))).toBe(join(to, 'runs', 'a'));
    expect(await readFile(join(home, 'runs', 'a', 'journal.jsonl'), 'utf8')).toBe('one\n');
  });

  it('is finished by the next start: a link stands for the old home', async () => {
    const to = join(root, 'disk');
    await moveOf().start(to);
    await ended();
    await finishMove(to, env);
    expect(readHomePointer(env)).toMatchObject({ previous: home });
    // The tools are removed once the new home has its own.
    await mkdir(join(to, 'python'));
    await finishMove(to, env);
    expect((await lstat(home)).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(home, 'runs', 'a', 'journal.jsonl'), 'utf8')).toBe('one\n');
    expect(readHomePointer(env)).toEqual({ home: to });
  });

  it('leaves what changed after it, and what is not of a home', async () => {
    const to = join(root, 'disk');
    await moveOf().start(to);
    await ended();
    await new Promise((done) => setTimeout(done, 20));
    await appendFile(join(home, 'runs', 'a', 'tool.sh'), 'late\n');
    await writeFile(join(home, 'own-notes.txt'), 'mine');
    await finishMove(to, env);
    expect(await readdir(join(home, 'runs', 'a'))).toEqual(['tool.sh']);
    expect(await readFile(join(home, 'own-notes.txt'), 'utf8')).toBe('mine');
    expect((await lstat(home)).isDirectory()).toBe(true);
  });

  it('goes back to where the link is', async () => {
    const to = join(root, 'disk');
    await moveOf().start(to);
    await ended();
    await mkdir(join(to, 'python'));
    await finishMove(to, env);
    works.length = 0;
    await moveOf({ home: to }).start(home);
    expect(await ended()).toMatchObject({ status: 'done', to: home });
    expect(defaultHome(env)).toBe(home);
    expect((await lstat(home)).isDirectory()).toBe(true);
  });
});

it('takes what the set-up fetches and leaves with the old home, and moves a settings file that was set aside', async () => {
  const to = join(root, 'disk');
  const aside = 'settings-unreadable-2026-11-25T12-00-00-000Z.json';
  await mkdir(join(home, 'uv', 'cache'), { recursive: true });
  await mkdir(join(home, 'triton.new'));
  for (const name of [aside, 'setup.lease', 'tensorflow.lease', 'settings.json.lease'])
    await writeFile(join(home, name), 'x');
  await moveOf().start(to);
  expect(await ended()).toMatchObject({ status: 'done' });
  expect((await readdir(to)).sort()).toEqual(['cache', 'runs', aside, 'settings.json', 'window']);
  await mkdir(join(to, 'python'));
  await finishMove(to, env);
  expect((await lstat(home)).isSymbolicLink()).toBe(true);
});

it('leaves a link where the old home was one', async () => {
  const place = join(root, 'place');
  await rename(home, place);
  await symlink(place, home);
  const to = join(root, 'disk');
  await moveOf().start(to);
  await ended();
  await mkdir(join(to, 'python'));
  await finishMove(to, env);
  expect(await readlink(home)).toBe(to);
  expect(existsSync(place)).toBe(false);
});

it('leaves what the new home does not have, and never follows a link to it', async () => {
  const to = join(root, 'disk');
  await moveOf().start(to);
  await ended();
  await rm(join(to, 'runs'), { recursive: true });
  await finishMove(to, env);
  expect(await readFile(join(home, 'runs', 'a', 'journal.jsonl'), 'utf8')).toBe('one\n');
  expect(existsSync(join(home, 'settings.json'))).toBe(false);
  // Cut off between the link and the pointer.
  await rm(home, { recursive: true });
  await symlink(to, home);
  await finishMove(to, env);
  expect(await readFile(join(to, 'settings.json'), 'utf8')).toBe('{}');
  expect(readHomePointer(env)).toEqual({ home: to });
});

it('removes nothing while another process uses the old home', async () => {
  const to = join(root, 'disk');
  await moveOf().start(to);
  await ended();
  await finishMove(to, env, () => Promise.resolve([4711]));
  expect(existsSync(join(home, 'settings.json'))).toBe(true);
  expect(readHomePointer(env)).toMatchObject({ previous: home });
});

it('removes what the new home has changed since the move', async () => {
  const to = join(root, 'disk');
  await moveOf().start(to);
  await ended();
  await new Promise((done) => setTimeout(done, 20));
  await writeFile(join(to, 'settings.json'), '{"window.theme": "dark"}');
  await finishMove(to, env);
  expect(existsSync(join(home, 'settings.json'))).toBe(false);
});

it('loses nothing that changes between the verification and the switch', async () => {
  const to = join(root, 'disk');
  const asked = { times: 0 };
  const late = moveOf({
    requireIdle: async () => {
      asked.times += 1;
      if (asked.times < 2) return;
      await writeFile(join(home, 'settings.json'), '{"window.theme": "dark"}');
      await appendFile(join(home, 'runs', 'a', 'tool.sh'), 'late\n');
    },
  });
  await late.start(to);
  expect(await ended()).toMatchObject({ status: 'failed' });
  expect(defaultHome(env)).toBe(home);
  expect(await readFile(join(home, 'settings.json'), 'utf8')).toContain('dark');
  expect(await readFile(join(home, 'runs', 'a', 'tool.sh'), 'utf8')).toContain('late');
  expect(await readdir(to)).toEqual([]);
});

describe('a move that does not come to its end', () => {
  it('changes nothing when it is cancelled', async () => {
    const to = join(root, 'disk');
    const move = moveOf();
    await move.start(to);
    await move.cancel();
    expect(works.at(-1)?.status).toBe('cancelled');
    expect(existsSync(homePointerFile(env))).toBe(false);
    expect(await readdir(to)).toEqual([]);
    expect(existsSync(join(home, 'runs', 'a', 'journal.jsonl'))).toBe(true);
  });

  it('fails where the home changes meanwhile, and where work begins', async () => {
    const to = join(root, 'disk');
    const move = moveOf({
      onWork: (work) => {
        works.push(work);
        if (work.status === 'verifying') void appendFile(join(home, 'runs', 'a', 'tool.sh'), 'x');
      },
    });
    await move.start(to);
    expect(await ended()).toMatchObject({ status: 'failed' });
    expect(defaultHome(env)).toBe(home);
    works.length = 0;
    const asked = { times: 0 };
    const busy = moveOf({
      requireIdle: () => {
        asked.times += 1;
        return asked.times < 2
          ? Promise.resolve()
          : Promise.reject(new WorkbenchError('run-busy', 'Work is under way'));
      },
    });
    await busy.start(to);
    expect(await ended()).toMatchObject({ status: 'failed', problem: 'Work is under way' });
    expect(defaultHome(env)).toBe(home);
  });

  it('can be begun again over what a crash left', async () => {
    const to = join(root, 'disk');
    await mkdir(join(to, 'runs', 'half'), { recursive: true });
    await writeFile(join(to, '.triton-workbench-move'), `${home}\n`);
    await moveOf().start(to);
    expect(await ended()).toMatchObject({ status: 'done' });
    expect(await readdir(join(to, 'runs'))).toEqual(['a', 'latest']);
  });
});

it('writes a relative link out of the home as an absolute one', async () => {
  const to = join(root, 'deep', 'er', 'disk');
  await writeFile(join(root, 'outside'), 'mine');
  await symlink('../../../outside', join(home, 'runs', 'out'));
  await symlink('a/tool.sh', join(home, 'runs', 'in'));
  await moveOf().start(to);
  await ended();
  expect(await readlink(join(to, 'runs', 'in'))).toBe('a/tool.sh');
  expect(await readFile(join(to, 'runs', 'out'), 'utf8')).toBe('mine');
});

describe('a move is refused', () => {
  it('into itself through a link', async () => {
    await symlink(join(home, 'runs'), join(root, 'elsewhere'));
    const error = await rejection(moveOf().plan(join(root, 'elsewhere', 'new')));
    expect(error.message).toContain('into itself');
  });

  it('into itself, above itself, into a folder with content, and by a relative path', async () => {
    await mkdir(join(root, 'taken'));
    await writeFile(join(root, 'taken', 'a'), '');
    for (const to of [join(home, 'inner'), root, join(root, 'taken')]) {
      expect(await rejection(moveOf().plan(to)), to).toMatchObject({ code: 'input-invalid' });
    }
  });

  it('while another process uses the home, and where the variable sets it', async () => {
    const to = join(root, 'disk');
    const used = moveOf({ users: () => Promise.resolve([4711]) });
    expect(await rejection(used.plan(to))).toMatchObject({
      code: 'run-busy',
      message: 'Process 4711 uses the workbench home',
    });
    const elsewhere = moveOf({
      home: join(root, 'own'),
      env: { ...env, TRITON_WORKBENCH_HOME: join(root, 'own') },
    });
    expect(await rejection(elsewhere.plan(to))).toMatchObject({ where: 'TRITON_WORKBENCH_HOME' });
  });
});

it('a pointer to a folder that is missing is refused, not replaced by an empty home', async () => {
  await mkdir(join(root, 'config', 'triton-workbench'), { recursive: true });
  await writeFile(homePointerFile(env), JSON.stringify({ home: join(root, 'unmounted') }));
  expect(() => defaultHome(env)).toThrow('does not exist');
  await writeFile(homePointerFile(env), 'no json');
  expect(() => defaultHome(env)).toThrow('damaged');
  // Root reads every file; a folder nobody can.
  await rm(homePointerFile(env));
  await mkdir(homePointerFile(env));
  expect(() => defaultHome(env)).toThrow('cannot be read');
  const { defaultHome: ofScripts } = (await import(resolve('scripts/lib/layout.mjs'))) as {
    defaultHome: (env: NodeJS.ProcessEnv) => string;
  };
  expect(() => ofScripts(env)).toThrow('cannot be read');
});
