import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';

/** Where a folder of an outsider is changed, and what outside it may be led to. */
export interface TwistPlace {
  readonly dir: string;
  readonly outside: string;
  readonly random: () => number;
}

export const pickOf = <Item>(random: () => number, items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

/** Files and folders below, links not followed. */
async function entriesBelow(
  dir: string,
): Promise<readonly { readonly path: string; readonly isFolder: boolean }[]> {
  const found = [];
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    found.push({ path, isFolder: entry.isDirectory() });
    if (entry.isDirectory()) found.push(...(await entriesBelow(path)));
  }
  return found;
}

async function someEntry(place: TwistPlace, folder: boolean): Promise<string> {
  const all = (await entriesBelow(place.dir)).filter(({ isFolder }) => isFolder === folder);
  return all.length === 0 ? join(place.dir, 'added') : pickOf(place.random, all).path;
}

/** Puts something else where a file of the folder is. */
async function inPlaceOfFile(place: TwistPlace, make: (path: string) => Promise<unknown>): Promise<void> {
  const path = await someEntry(place, false);
  await rm(path, { force: true });
  await make(path);
}

/** Does something to a plain file of the folder; nothing where none is left. */
async function onPlainFile(place: TwistPlace, act: (path: string) => Promise<unknown>): Promise<void> {
  const path = await someEntry(place, false);
  const found = await lstat(path).catch(() => null);
  if (found?.isFile() === true) await act(path);
}

/** A socket without a listener. */
async function makeSocket(path: string): Promise<void> {
  const short = join(dirname(path), 's');
  const server = createServer().listen(short);
  await once(server, 'listening');
  await rename(short, path);
  server.close();
  await once(server, 'close');
}

const makeNode = (path: string, ...kind: readonly string[]): Promise<void> => {
  execFileSync('mknod', ['--', path, ...kind]);
  return Promise.resolve();
};

const oddNames = [
  'line\nbreak',
  '\u202egnp.exe',
  '-rf',
  '--help',
  '\u001b[31mred\u001b]0;PWNED\u0007',
  'n'.repeat(250),
  ' ',
  '$(touch pwned)',
  '`id`',
  '__proto__',
  'con:aux?*|',
  '..hidden',
];

const targetsOutside = [
  'secret.txt',
  'secret.onnx',
  'model.py',
  'config.pbtxt',
  'saved_model.pb',
  'journal.jsonl',
];

/** What an outsider does to a folder. Each is made where it is possible; devices need root. */
export const twists: Readonly<Record<string, (place: TwistPlace) => Promise<unknown>>> = {
  'file that is a link outside': (place) =>
    inPlaceOfFile(place, (path) => symlink(join(place.outside, pickOf(place.random, targetsOutside)), path)),
  'file that is a link to a file of the system': (place) =>
    inPlaceOfFile(place, (path) =>
      symlink(pickOf(place.random, ['/etc/passwd', '/dev/zero', '/proc/self/environ']), path),
    ),
  'folder that is a link outside': async (place) => {
    const path = await someEntry(place, true);
    await rm(path, { recursive: true, force: true });
    await symlink(join(place.outside, 'folder'), path);
  },
  'link to itself': (place) => inPlaceOfFile(place, (path) => symlink(basename(path), path)),
  'link to the folder above': ({ dir }) => symlink('..', join(dir, 'loop')),
  'link to a name that is gone': (place) => inPlaceOfFile(place, (path) => symlink('gone', path)),
  FIFO: (place) => inPlaceOfFile(place, (path) => makeNode(path, 'p')),
  socket: (place) => inPlaceOfFile(place, makeSocket),
  device: (place) => inPlaceOfFile(place, (path) => makeNode(path, 'c', '1', '5')),
  'folder in place of a file': (place) => inPlaceOfFile(place, (path) => mkdir(path)),
  'odd names': async ({ dir, random }) => {
    for (let count = 0; count < 4; count += 1) await writeFile(join(dir, pickOf(random, oddNames)), 'x\n');
    // No text in any encoding.
    await writeFile(Buffer.concat([Buffer.from(join(dir, 'odd-')), Buffer.from([0xff, 0xfe])]), 'x');
  },
  'hard links': (place) => onPlainFile(place, (path) => link(path, join(place.dir, 'hard'))),
  'file that nobody may read': (place) => onPlainFile(place, (path) => chmod(path, 0)),
  'file with the bits of another user': (place) => onPlainFile(place, (path) => chmod(path, 0o6755)),
  'sparse file of 3 GiB': (place) => onPlainFile(place, (path) => truncate(path, 3 * 2 ** 30)),
  'empty file': (place) => inPlaceOfFile(place, (path) => writeFile(path, '')),
  'file of noise': (place) =>
    inPlaceOfFile(place, (path) =>
      writeFile(path, Buffer.from(Array.from({ length: 5000 }, () => Math.floor(place.random() * 256)))),
    ),
  'Python bytecode': async ({ dir }) => {
    await mkdir(join(dir, '__pycache__'), { recursive: true });
    for (const name of ['model.cpython-310.pyc', 'metrics.cpython-312.pyc'])
      await writeFile(join(dir, '__pycache__', name), Buffer.alloc(64, 1));
    for (const name of ['sitecustomize.py', 'conftest.py', 'setup.py', 'torch.py', 'numpy.py'])
      await writeFile(join(dir, name), 'raise SystemExit("executed")\n');
  },
  'git with hooks': async ({ dir }) => {
    await mkdir(join(dir, '.git', 'hooks'), { recursive: true });
    await writeFile(
      join(dir, '.git', 'config'),
      '[core]\n\tfsmonitor = "touch pwned"\n\tpager = touch pwned\n',
    );
    for (const name of ['post-checkout', 'pre-commit'])
      await writeFile(join(dir, '.git', 'hooks', name), '#!/bin/sh\ntouch pwned\n', { mode: 0o755 });
  },
  'files of tools': async ({ dir }) => {
    await writeFile(join(dir, 'package.json'), '{"main":"x.cjs","scripts":{"preinstall":"touch pwned"}}');
    await writeFile(join(dir, '.npmrc'), 'node-options=--require ./x.cjs\n');
    await writeFile(join(dir, '.env'), 'LD_PRELOAD=./x.so\nNODE_OPTIONS=--require=./x.cjs\n');
    await writeFile(join(dir, 'x.cjs'), 'require("fs").writeFileSync("pwned", "")\n');
  },
  '2,000 files': async ({ dir }) => {
    await mkdir(join(dir, 'many'), { recursive: true });
    for (let at = 0; at < 2000; at += 1) await writeFile(join(dir, 'many', `f${at}`), '');
  },
  'folders 200 deep': ({ dir }) => mkdir(join(dir, ...Array<string>(200).fill('d')), { recursive: true }),
};
