import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compareVersions } from '../machine/releases';

/** PEP 503 normalization. */
const plain = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '_');

const line = /^([\w.-]+)(?:\[[^\]]*\])?==([^\s;]+)\s*(?:;\s*python_version\s*(>=|<|==)\s*"([\d.]+)")?/;

/** Pinned versions for this Python ("3.11.7"). */
export function pinnedVersions(requirements: string, python: string): ReadonlyMap<string, string> {
  const minor = python.split('.').slice(0, 2).join('.');
  const pinned = new Map<string, string>();
  for (const text of requirements.split('\n')) {
    const [, name, version, operator, than] = line.exec(text) ?? [];
    if (name === undefined || version === undefined) continue;
    const order = than === undefined ? 0 : compareVersions(minor, than);
    const applies = operator === '<' ? order < 0 : operator === '==' ? order === 0 : order >= 0;
    if (than === undefined || applies) pinned.set(name, version);
  }
  return pinned;
}

/** "python3.11"; undefined without an environment. */
export async function libraryOf(venv: string): Promise<string | undefined> {
  const names = await readdir(join(venv, 'lib')).catch(() => []);
  return names.find((name) => /^python3\.\d+$/.test(name));
}

/** Of a folder of packages. */
export async function versionsIn(packages: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(packages).catch(() => []);
  return new Map(
    entries.flatMap((entry): [string, string][] => {
      const [, name, version] = /^(.+)-([^-]+)\.dist-info$/.exec(entry) ?? [];
      return name === undefined || version === undefined ? [] : [[plain(name), version]];
    }),
  );
}

/** Empty without an environment. */
export async function installedVersions(venv: string): Promise<ReadonlyMap<string, string>> {
  const library = await libraryOf(venv);
  return library === undefined ? new Map() : versionsIn(join(venv, 'lib', library, 'site-packages'));
}

/** "torch 2.12.0 (this version uses 2.13.0)" per different or missing package. */
export async function pinDifferences(
  venv: string,
  requirements: string,
  python: string,
): Promise<readonly string[]> {
  const [pinned, installed] = [
    pinnedVersions(await readFile(requirements, 'utf8'), python),
    await installedVersions(venv),
  ];
  return [...pinned].flatMap(([name, wanted]) => {
    const has = installed.get(plain(name));
    // "+cpu" is a build of the same version.
    if (has?.replace(/\+.*$/, '') === wanted) return [];
    return [has === undefined ? `${name} is missing` : `${name} ${has} (this version uses ${wanted})`];
  });
}
