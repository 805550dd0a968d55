import { readdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileLimits } from '../contract/reader-limits';
import { readBoundedFile } from '../platform/plain-entry';
import { libraryOf, versionsIn } from './pinned';

async function linesOf(path: string): Promise<readonly string[]> {
  const read = await readBoundedFile(path, fileLimits.configPbtxt.bytes, { links: 'follow' });
  return 'text' in read ? read.text.split(/\r?\n/).map((line) => line.trim()) : [];
}

/** Folders that the .pth files of a folder of packages add; lines of code are left out. */
async function addedFolders(packages: string): Promise<readonly string[]> {
  const names = (await readdir(packages).catch(() => [])).filter((name) => name.endsWith('.pth')).sort();
  const lines = (await Promise.all(names.map((name) => linesOf(join(packages, name))))).flat();
  return lines
    .filter((line) => line !== '' && !line.startsWith('#') && !/^import\s/.test(line))
    .map((line) => (isAbsolute(line) ? line : resolve(packages, line)));
}

/** Of the Python that the environment was made with, where it has the packages of that, too. */
async function systemFolders(venv: string, library: string): Promise<readonly string[]> {
  const settings = new Map(
    (await linesOf(join(venv, 'pyvenv.cfg'))).map((line) => {
      const [name = '', value = ''] = line.split('=', 2);
      return [name.trim().toLowerCase(), value.trim()] as const;
    }),
  );
  const home = settings.get('home');
  if (home === undefined || settings.get('include-system-site-packages')?.toLowerCase() !== 'true') return [];
  const lib = join(dirname(home), 'lib');
  return [join(lib, library, 'site-packages'), join(lib, 'python3', 'dist-packages')];
}

/** Versions of the packages that Python imports in an environment: its own first. Nothing is executed. */
export async function visibleVersions(venv: string): Promise<ReadonlyMap<string, string>> {
  const library = await libraryOf(venv);
  if (library === undefined) return new Map();
  const own = join(venv, 'lib', library, 'site-packages');
  const folders = [own, ...(await addedFolders(own)), ...(await systemFolders(venv, library))];
  const versions = await Promise.all(folders.map(versionsIn));
  return new Map(versions.toReversed().flatMap((found) => [...found]));
}
