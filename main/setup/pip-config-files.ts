import { readFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { parsePipConfig, type PipSettings } from './package-index';

/** Where pip looks for its configuration on Linux and macOS, the weakest first. Pure. */
export function pipConfigPaths(env: NodeJS.ProcessEnv, prefixes: readonly string[]): readonly string[] {
  const own = env['PIP_CONFIG_FILE'] ?? '';
  if (own === devNull) return [];
  const home = env['HOME'] ?? '';
  const xdg = env['XDG_CONFIG_HOME'] ?? '';
  const system = (env['XDG_CONFIG_DIRS'] ?? '').split(':').filter(Boolean);
  return [
    ...(system.length === 0 ? ['/etc/xdg'] : system.reverse()).map((folder) =>
      join(folder, 'pip', 'pip.conf'),
    ),
    '/etc/pip.conf',
    ...(home === '' ? [] : [join(home, '.pip', 'pip.conf')]),
    ...(home === '' && xdg === '' ? [] : [join(xdg === '' ? join(home, '.config') : xdg, 'pip', 'pip.conf')]),
    ...prefixes.map((prefix) => join(prefix, 'pip.conf')),
    ...(own === '' ? [] : [own]),
  ];
}

/** The settings in pip's files; those that cannot be read are left out. */
export async function readPipConfigs(
  env: NodeJS.ProcessEnv,
  prefixes: readonly string[],
): Promise<readonly PipSettings[]> {
  const texts = await Promise.all(
    pipConfigPaths(env, prefixes).map((path) => readFile(path, 'utf8').catch(() => null)),
  );
  return texts.filter((text) => text !== null).map(parsePipConfig);
}
