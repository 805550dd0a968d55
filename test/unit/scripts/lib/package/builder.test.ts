import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';

interface Config {
  readonly electronFuses: Readonly<Record<string, boolean>>;
  readonly extraMetadata: Readonly<Record<string, string>>;
  readonly electronVersion: string;
  readonly asar: boolean;
}

const { builderConfig, makeAppImage } = (await import(resolve('scripts/lib/package/builder.mjs'))) as {
  builderConfig: (base: Config, options: object) => Config;
  makeAppImage: (places: object, app: string, options: object, env: NodeJS.ProcessEnv) => Promise<object>;
};

const base = parse(readFileSync('electron-builder.yml', 'utf8')) as Config;
const identity = { name: 'triton-workbench', version: '0.1.0', test: false };
const made = builderConfig(base, { runtime: '/runtime', electron: '45.4.1', identity });

describe('a package', () => {
  it('loads its app from the archive only, takes no orders from the environment, and runs the CLI as Node', () => {
    expect(made.asar).toBe(true);
    expect(made.electronFuses).toEqual({
      runAsNode: true,
      enableCookieEncryption: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
    });
  });

  it('has name and version of what it is, and keeps what the file says', () => {
    expect(made).toMatchObject({
      electronVersion: '45.4.1',
      electronDist: '/runtime',
      appId: 'org.triton-workbench.app',
    });
    expect(made.extraMetadata).toEqual({
      desktopName: 'triton-workbench.desktop',
      name: 'triton-workbench',
      version: '0.1.0',
    });
  });
});

it('names the homepage of its publisher', () => {
  const homepage = 'https://fork.example';
  const named = builderConfig(base, { runtime: '/runtime', electron: '45.4.1', identity, homepage });
  expect(named.extraMetadata).toMatchObject({ homepage });
});

it('only a package for tests lets an inspector in', () => {
  const test = builderConfig(base, {
    runtime: '/r',
    electron: '45.4.1',
    identity: { ...identity, test: true },
  });
  expect(test.electronFuses).toEqual({ ...made.electronFuses, enableNodeCliInspectArguments: true });
});

it('a runtime that lacks the fuse of file: pages is not asked for it', () => {
  const old = builderConfig(base, { runtime: '/r', electron: '25.1.1', identity });
  expect(Object.keys(old.electronFuses)).not.toContain('grantFileProtocolExtraPrivileges');
});

describe('an AppImage whose tools cannot be downloaded', () => {
  const unreachable = vi.fn(() =>
    Promise.reject(new TypeError('fetch failed', { cause: { code: 'ENOTFOUND' } })),
  );
  const make = (asked: boolean, env: NodeJS.ProcessEnv = {}) => {
    vi.stubGlobal('fetch', unreachable);
    return makeAppImage({ root: '/nowhere', build: '/nowhere' }, '/app', { identity, asked }, env);
  };
  afterEach(() => {
    vi.unstubAllGlobals();
    unreachable.mockClear();
  });

  it('is left out with the reason where all kinds are made', async () => {
    await expect(make(false)).resolves.toEqual({
      problem:
        'No AppImage was made: its tools come from https://github.com, which cannot be reached here (ENOTFOUND).',
    });
  });

  it('is a failure where it was asked for by name, as in the workflow of a release', async () => {
    await expect(make(true)).rejects.toThrow(/ENOTFOUND.*set APPIMAGE_TOOLS_PATH/s);
  });

  it('is made with a folder of tools, without asking for GitHub', async () => {
    await expect(make(true, { APPIMAGE_TOOLS_PATH: '/tools' })).rejects.toThrow(/electron-builder\.yml/);
    expect(unreachable).not.toHaveBeenCalled();
  });
});
