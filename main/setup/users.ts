import { readdir, readFile, readlink } from 'node:fs/promises';
import { join, sep } from 'node:path';

interface FolderUser {
  readonly pid: number;
  readonly name: string;
}

/** The processes of this machine whose program is in the folder; empty where the system has no /proc. */
export async function processesIn(folder: string): Promise<readonly FolderUser[]> {
  const names = await readdir('/proc').catch(() => []);
  const isInside = (path: string) => path.startsWith(`${folder}${sep}`);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const at = join('/proc', name);
        const [program = ''] = (await readFile(join(at, 'cmdline'), 'utf8').catch(() => '')).split('\0');
        const binary = await readlink(join(at, 'exe')).catch(() => '');
        if (!isInside(program) && !isInside(binary)) return null;
        const title = await readFile(join(at, 'comm'), 'utf8').catch(() => '');
        return { pid: Number(name), name: title.trim() };
      }),
  );
  return found.filter((user) => user !== null);
}
