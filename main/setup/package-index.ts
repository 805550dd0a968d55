import { readFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';

/** By name with dashes. */
export type PipSettings = ReadonlyMap<string, string>;

/** Sections for `pip install`; later ones win. */
const sections = ['global', 'install'];

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
      // Continuation line.
      settings.set(last, `${settings.get(last) ?? ''} ${line.trim()}`.trim());
    }
  }
  return new Map(sections.flatMap((name) => [...(bySection.get(name) ?? [])]));
}

/** PIP_INDEX_URL is `index-url`. */
function pipEnvironment(env: NodeJS.ProcessEnv): PipSettings {
  return new Map(
    Object.entries(env).flatMap(([name, value]) =>
      name.startsWith('PIP_') && value !== undefined && value !== ''
        ? [[name.slice('PIP_'.length).toLowerCase().replaceAll('_', '-'), value] as const]
        : [],
    ),
  );
}

/** uv's variable, its list separator, and user variables that take precedence. */
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

/** Variables that could redirect uv, pip or packages to another Python or project. */
const dropped = [
  'PYTHONPATH',
  'PYTHONHOME',
  'PYTHONSTARTUP',
  'VIRTUAL_ENV',
  'CONDA_PREFIX',
  'CONDA_DEFAULT_ENV',
];

/**
 * uv variables that users may set: index and network options. Others could change what or how is installed
 * (UV_LINK_MODE=symlink links into a cache that is removed).
 */
const keptOfUv = [
  /^UV_(?:DEFAULT_INDEX|INDEX|INDEX_URL|EXTRA_INDEX_URL|INDEX_STRATEGY|NO_INDEX|FIND_LINKS|CONSTRAINT)$/,
  /^UV_INDEX_\w+_(?:USERNAME|PASSWORD)$/,
  /^UV_(?:KEYRING_PROVIDER|CREDENTIALS_DIR|GITHUB_TOKEN)$/,
  /^UV_(?:INSECURE_HOST|SYSTEM_CERTS|NATIVE_TLS)$/,
  /^UV_(?:ASTRAL_MIRROR_URL|PYTHON_INSTALL_MIRROR|PYTHON_DOWNLOADS_JSON_URL)$/,
  /^UV_(?:HTTP_TIMEOUT|REQUEST_TIMEOUT|HTTP_CONNECT_TIMEOUT|HTTP_RETRIES|CONCURRENT_DOWNLOADS)$/,
];

/** Removes variables that redirect Python. */
export function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isKept = (name: string): boolean =>
    name.startsWith('UV_') ? keptOfUv.some((pattern) => pattern.test(name)) : !dropped.includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)));
}

/** Translates pip's indexes, certificates and proxy for uv, unless set. @param configs lowest precedence first */
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
  // pip picks the best version of all indexes; uv's default uses the first index with the package.
  if (!isSet('UV_INDEX_STRATEGY')) made['UV_INDEX_STRATEGY'] = 'unsafe-best-match';
  // For company CAs in the system store.
  if (!isSet('UV_SYSTEM_CERTS')) made['UV_SYSTEM_CERTS'] = '1';
  // Fails quickly without a network.
  if (!isSet('UV_HTTP_RETRIES')) made['UV_HTTP_RETRIES'] = '2';
  // uv would also read uv.toml and pyproject.toml of parent folders, user and system.
  const own = { UV_NO_CONFIG: '1', UV_PYTHON_DOWNLOADS: 'manual' };
  return { ...made, ...own, UV_NO_PROGRESS: '1', NO_COLOR: '1' };
}

/** pip's configuration files on Linux and macOS, lowest precedence first. */
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

/** Skips unreadable files. */
export async function readPipConfigs(
  env: NodeJS.ProcessEnv,
  prefixes: readonly string[],
): Promise<readonly PipSettings[]> {
  const texts = await Promise.all(
    pipConfigPaths(env, prefixes).map((path) => readFile(path, 'utf8').catch(() => null)),
  );
  return texts.filter((text) => text !== null).map(parsePipConfig);
}
