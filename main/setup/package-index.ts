import { readFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';

/** Settings of pip, by name with dashes. */
export type PipSettings = ReadonlyMap<string, string>;

/** Sections that pip reads for `pip install`, the last one first in rank. */
const sections = ['global', 'install'];

/** The settings of one pip.conf. Pure. */
export function parsePipConfig(text: string): PipSettings {
  const bySection = new Map<string, Map<string, string>>();
  let section = '';
  let last: string | null = null;
  for (const line of text.split(/\r?\n/)) {
    const settings = bySection.get(section) ?? new Map<string, string>();
    bySection.set(section, settings);
    const head = /^\[([^\]]+)\]\s*$/.exec(line);
    const pair = /^([A-Za-z][\w-]*)\s*[=:]\s*(.*)$/.exec(line);
    if (/^\s*(?:[#;]|$)/.test(line)) continue;
    if (head !== null) {
      section = head[1]?.trim() ?? '';
      last = null;
    } else if (pair !== null) {
      last = (pair[1] ?? '').toLowerCase().replaceAll('_', '-');
      settings.set(last, (pair[2] ?? '').trim());
    } else if (last !== null && /^\s/.test(line)) {
      // A value that continues on the next line.
      settings.set(last, `${settings.get(last) ?? ''} ${line.trim()}`.trim());
    }
  }
  return new Map(sections.flatMap((name) => [...(bySection.get(name) ?? [])]));
}

/** What pip takes from its environment: PIP_INDEX_URL is `index-url`. Pure. */
function pipEnvironment(env: NodeJS.ProcessEnv): PipSettings {
  return new Map(
    Object.entries(env).flatMap(([name, value]) =>
      name.startsWith('PIP_') && value !== undefined && value !== ''
        ? [[name.slice('PIP_'.length).toLowerCase().replaceAll('_', '-'), value] as const]
        : [],
    ),
  );
}

/** What uv calls it, how a list is joined there, and which variables of the person come first. */
const carried: readonly (readonly [pip: string, uv: string, join: string, before: readonly string[]])[] = [
  ['index-url', 'UV_DEFAULT_INDEX', ' ', ['UV_INDEX_URL']],
  ['extra-index-url', 'UV_INDEX', ' ', ['UV_EXTRA_INDEX_URL']],
  ['find-links', 'UV_FIND_LINKS', ',', []],
  ['trusted-host', 'UV_INSECURE_HOST', ' ', []],
  ['constraint', 'UV_CONSTRAINT', ' ', []],
  ['cert', 'SSL_CERT_FILE', ' ', []],
  ['client-cert', 'SSL_CLIENT_CERT', ' ', []],
  ['proxy', 'HTTPS_PROXY', ' ', ['https_proxy', 'ALL_PROXY', 'all_proxy']],
  ['proxy', 'HTTP_PROXY', ' ', ['http_proxy', 'ALL_PROXY', 'all_proxy']],
  ['timeout', 'UV_HTTP_TIMEOUT', ' ', []],
  ['default-timeout', 'UV_HTTP_TIMEOUT', ' ', []],
];

/** Each could make uv, pip or what they install work for another Python or project. */
const dropped = [
  'PYTHONPATH',
  'PYTHONHOME',
  'PYTHONSTARTUP',
  'VIRTUAL_ENV',
  'CONDA_PREFIX',
  'CONDA_DEFAULT_ENV',
];

/**
 * What a person may set for uv: where packages come from and how they are reached. Any other variable of uv could change
 * what is installed, where, or how (UV_LINK_MODE=symlink makes an environment of links into a cache that is removed).
 */
const keptOfUv = [
  /^UV_(?:DEFAULT_INDEX|INDEX|INDEX_URL|EXTRA_INDEX_URL|INDEX_STRATEGY|NO_INDEX|FIND_LINKS|CONSTRAINT)$/,
  /^UV_INDEX_\w+_(?:USERNAME|PASSWORD)$/,
  /^UV_(?:KEYRING_PROVIDER|CREDENTIALS_DIR|GITHUB_TOKEN)$/,
  /^UV_(?:INSECURE_HOST|SYSTEM_CERTS|NATIVE_TLS)$/,
  /^UV_(?:ASTRAL_MIRROR_URL|PYTHON_INSTALL_MIRROR|PYTHON_DOWNLOADS_JSON_URL)$/,
  /^UV_(?:HTTP_TIMEOUT|REQUEST_TIMEOUT|HTTP_CONNECT_TIMEOUT|HTTP_RETRIES|CONCURRENT_DOWNLOADS)$/,
];

/** The environment without what leads programs of Python elsewhere. Pure. */
export function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isKept = (name: string): boolean =>
    name.startsWith('UV_') ? keptOfUv.some((pattern) => pattern.test(name)) : !dropped.includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)));
}

/**
 * The environment for uv, which does not read the settings of pip: its indexes, certificates and proxy are carried over
 * where the person has not set uv's own. Pure.
 * @param configs settings of pip's files, the weakest first
 */
export function uvEnvironment(env: NodeJS.ProcessEnv, configs: readonly PipSettings[]): NodeJS.ProcessEnv {
  const pip = new Map([...configs.flatMap((config) => [...config]), ...pipEnvironment(env)]);
  const made: NodeJS.ProcessEnv = { ...cleanEnvironment(env) };
  const isSet = (name: string) => (made[name] ?? '') !== '';
  for (const [from, to, join, before] of carried) {
    const value = pip.get(from)?.split(/\s+/).filter(Boolean).join(join) ?? '';
    if (value !== '' && !isSet(to) && !before.some(isSet)) made[to] = value;
  }
  if (/^(?:1|true|yes|on)$/i.test(pip.get('no-index') ?? '')) made['UV_NO_INDEX'] = '1';
  if (pip.has('keyring-provider') && !isSet('UV_KEYRING_PROVIDER'))
    made['UV_KEYRING_PROVIDER'] = 'subprocess';
  // pip takes the best version of all its indexes; uv by default only looks at the first that has the package.
  if (!isSet('UV_INDEX_STRATEGY')) made['UV_INDEX_STRATEGY'] = 'unsafe-best-match';
  // A company's own authority is in the system's store.
  if (!isSet('UV_SYSTEM_CERTS')) made['UV_SYSTEM_CERTS'] = '1';
  // Without a network the answer is to come in seconds.
  if (!isSet('UV_HTTP_RETRIES')) made['UV_HTTP_RETRIES'] = '2';
  // uv otherwise reads uv.toml and pyproject.toml of every folder above its own, and those of user and system.
  const own = { UV_NO_CONFIG: '1', UV_PYTHON_DOWNLOADS: 'manual' };
  return { ...made, ...own, UV_NO_PROGRESS: '1', NO_COLOR: '1' };
}

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
