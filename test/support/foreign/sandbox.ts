import { createHash } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders of a test with outsiders' content: `foreign` may be opened, `outside` may not. */
export interface Sandbox {
  readonly root: string;
  readonly foreign: string;
  readonly outside: string;
  readonly home: string;
  /** Everything outside as it is now: modes, owners, sizes, contents, times of change. */
  outsideNow(): Promise<string>;
  remove(): Promise<void>;
}

const canaries = [
  'secret.txt',
  'secret.onnx',
  'model.py',
  'config.pbtxt',
  'saved_model.pb',
  'journal.jsonl',
  'folder/secret.bin',
  'folder/config.pbtxt',
];

async function stateOf(path: string): Promise<string[]> {
  const found = await lstat(path);
  const { mode, uid, gid, size, nlink, ctimeMs } = found;
  const own = `${path} ${mode} ${uid} ${gid} ${size} ${nlink} ${ctimeMs}`;
  if (!found.isDirectory()) {
    return [
      `${own} ${createHash('sha256')
        .update(await readFile(path))
        .digest('hex')}`,
    ];
  }
  const below = await Promise.all((await readdir(path)).sort().map((name) => stateOf(join(path, name))));
  return [own, ...below.flat()];
}

export async function createSandbox(): Promise<Sandbox> {
  // Short: the path of a socket has at most 107 bytes.
  const root = await mkdtemp(join(tmpdir(), 'fgn-'));
  const [foreign, outside, home] = [join(root, 'in'), join(root, 'out'), join(root, 'home')];
  for (const folder of [foreign, join(outside, 'folder'), join(home, 'runs')])
    await mkdir(folder, { recursive: true });
  for (const name of canaries) await writeFile(join(outside, name), `canary ${name}\n`);
  return {
    ...{ root, foreign, outside, home },
    outsideNow: async () => (await stateOf(outside)).join('\n'),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
