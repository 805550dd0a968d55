import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Config {
  readonly electronFuses: Readonly<Record<string, boolean>>;
  readonly extraMetadata: Readonly<Record<string, string>>;
  readonly electronVersion: string;
  readonly asar: boolean;
}

const { builderConfig } = (await import(resolve('scripts/lib/package/builder.mjs'))) as {
  builderConfig: (base: Config, options: object) => Config;
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
