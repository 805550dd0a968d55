import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import {
  definitionOf,
  rangeOf,
  readSettings,
  type SettingKey,
  type Settings,
  type SettingsState,
  type SettingValue,
} from '../contract/settings/settings';
import { isTree, type Tree } from '../contract/trees';
import { writeFileAtomic } from '../platform/files';
import { fileError, readBoundedFile } from '../platform/plain-entry';
import { privateFile } from '../platform/private-home';
import { withFileTurn } from '../store/file-lease';

/** Triton listens on this machine, which is never reached through a proxy. */
const ownHosts = 'localhost,127.0.0.1,::1';

/**
 * The environment with the settings' proxy for child processes. Upper-case names only: pip and Python read them, while gRPC
 * and libcurl, which carry the load, do not for plain http. A set variable wins.
 */
export function withProxy(
  env: NodeJS.ProcessEnv,
  settings: Pick<Settings, 'network.proxy' | 'network.noProxy'>,
): NodeJS.ProcessEnv {
  const proxy = settings['network.proxy'];
  if (proxy === null) return env;
  const own = settings['network.noProxy'];
  const has = (name: string): boolean => [name, name.toLowerCase()].some((one) => (env[one] ?? '') !== '');
  return {
    ...env,
    ...(has('HTTP_PROXY') ? {} : { HTTP_PROXY: proxy }),
    ...(has('HTTPS_PROXY') ? {} : { HTTPS_PROXY: proxy }),
    ...(has('NO_PROXY') ? {} : { NO_PROXY: own === null ? ownHosts : `${ownHosts},${own}` }),
  };
}

const mostBytes = 256 * 1024;

export interface SettingsStore {
  /** Read from the file each time, which other processes change too. */
  read(): Promise<SettingsState>;
  /** Throws input-invalid for a value out of range, and for an unreadable file, which is never overwritten. */
  set(key: SettingKey, value: SettingValue): Promise<SettingsState>;
  reset(key: SettingKey): Promise<SettingsState>;
  /** Renames an unreadable file. @returns its new path */
  setAside(): Promise<string>;
}

type Content = { readonly tree: Tree } | { readonly broken: string };

async function readContent(file: string): Promise<Content> {
  const found = await readBoundedFile(file, mostBytes, { links: 'follow' });
  if ('problem' in found)
    return found.problem === 'it does not exist' ? { tree: {} } : { broken: found.problem };
  try {
    const tree: unknown = JSON.parse(found.text);
    return isTree(tree) ? { tree } : { broken: 'it is not a JSON object' };
  } catch (error) {
    return { broken: error instanceof Error ? error.message : String(error) };
  }
}

/** Settings of a home in one private file; unknown keys are kept. */
export function createSettingsStore(options: {
  readonly file: string;
  readonly now: () => Date;
  readonly onChange: (state: SettingsState) => void;
}): SettingsStore {
  const { file, now, onChange } = options;
  const turn: { tail: Promise<unknown> } = { tail: Promise.resolve() };
  const stateOf = (content: Content): SettingsState =>
    'tree' in content
      ? readSettings(content.tree, file)
      : { ...readSettings({}, file), broken: content.broken };
  const change = (edit: (tree: Tree) => Tree): Promise<SettingsState> => {
    const work = () =>
      withFileTurn(file, 'the settings', async (place) => {
        const content = await readContent(place);
        if ('broken' in content) {
          throw new WorkbenchError('input-invalid', `The settings cannot be read: ${content.broken}`, {
            where: file,
            remedy: 'Correct the file, rename it, or set it aside on the Settings page of the window.',
          });
        }
        const tree = edit(content.tree);
        await writeFileAtomic(place, `${JSON.stringify(tree, null, 2)}\n`, privateFile);
        const state = readSettings(tree, file);
        onChange(state);
        return state;
      });
    // Serialized: each change reads the one before it.
    const done = turn.tail.then(work, work);
    turn.tail = done.catch(() => undefined);
    return done;
  };
  const without = (tree: Tree, key: SettingKey): Tree =>
    Object.fromEntries(Object.entries(tree).filter(([name]) => name !== key));
  return {
    read: async () => stateOf(await readContent(file)),
    set: (key, value) => {
      const { schema, title, fallback } = definitionOf(key);
      const parsed = schema.safeParse(value);
      if (!parsed.success) {
        return Promise.reject(
          new WorkbenchError('input-invalid', `${title} must be ${rangeOf(key)}`, {
            where: key,
            remedy: 'Correct the value, or reset the setting to its default.',
          }),
        );
      }
      const isDefault = parsed.data === fallback;
      return change((tree) => (isDefault ? without(tree, key) : { ...tree, [key]: parsed.data }));
    },
    reset: (key) => change((tree) => without(tree, key)),
    setAside: async () => {
      const path = join(
        dirname(file),
        `settings-unreadable-${now().toISOString().replace(/[:.]/g, '-')}.json`,
      );
      await rename(file, path).catch((error: unknown) => {
        throw fileError(error, file);
      });
      onChange(stateOf(await readContent(file)));
      return path;
    },
  };
}
