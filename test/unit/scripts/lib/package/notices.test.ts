import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface Software {
  readonly kind: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}
interface Notices {
  licenceOf: (manifest: object) => string;
  npmSoftware: (manifest: object, texts: readonly string[]) => Software;
  requirementsOf: (text: string) => readonly object[];
  bundledSoftware: (options: { root: string; beside: readonly string[] }) => readonly Software[];
  pythonSoftware: (files: readonly string[], licences: Record<string, string>) => readonly Software[];
  thirdPartyNotices: (software: readonly Software[], electron: string) => string;
}

const { bundledSoftware, licenceOf, npmSoftware, pythonSoftware, requirementsOf, thirdPartyNotices } =
  (await import(resolve('scripts/lib/package/notices.mjs'))) as Notices;

describe('the notice of an npm package', () => {
  it.each([
    [{ license: 'MIT' }, 'MIT'],
    [{ license: { type: 'BSD' } }, 'BSD'],
    [{ licenses: [{ type: 'MIT' }, { type: 'GPL' }] }, 'MIT OR GPL'],
    [{}, ''],
  ])('reads the licence of %j', (manifest, licence) => {
    expect(licenceOf(manifest)).toBe(licence);
  });

  it('has the texts of its files', () => {
    expect(npmSoftware({ name: 'a', version: '1.0.0', license: 'X' }, ['TEXT', 'NOTICE'])).toEqual({
      ...{ kind: 'npm', name: 'a', version: '1.0.0', license: 'X' },
      text: 'TEXT\n\nNOTICE',
    });
  });

  it('has its author and the standard text where it carries none', () => {
    const { text } = npmSoftware({ name: 'a', version: '1.0.0', license: 'MIT', author: 'Ann <a@b.c>' }, []);
    expect(text).toContain('Copyright (c) Ann\n\nPermission is hereby granted');
  });

  it.each([{ license: 'Custom' }, {}])('refuses %j without a text', (manifest) => {
    expect(() => npmSoftware({ name: 'a', version: '1.0.0', ...manifest }, [])).toThrow(
      /bundled package a has no licence that can be handed on/,
    );
  });
});

it('reads requirements without hashes and comments', () => {
  const text =
    '# no\n\ntorch==2.1.0; python_version >= "3.10"\ntritonclient[grpc,http]>=2.50,<3\npillow\nx==1 \\\n    --hash=sha256:0 \\\n    --hash=sha256:1\n';
  expect(requirementsOf(text)).toEqual([
    { name: 'torch', version: '2.1.0', condition: 'python_version >= "3.10"' },
    { name: 'tritonclient', version: '>=2.50,<3', condition: '' },
    { name: 'pillow', version: '', condition: '' },
    { name: 'x', version: '1', condition: '' },
  ]);
});

describe('the notices of a package', () => {
  let root: string;
  const place = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'workbench-notices-'));
    for (const name of ['a', 'b', 'c']) {
      place(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', license: 'MIT' }));
      place(`node_modules/${name}/${name === 'b' ? 'UNLICENSE' : 'LICENSE'}`, `Text of ${name}`);
    }
    place('out/bundled/main.json', '["node_modules/a"]');
    place('out/bundled/renderer.json', '["node_modules/a", "node_modules/b"]');
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it('name what is bundled, what comes along and what is set up, and nothing else', () => {
    const uv = { kind: 'program', name: 'uv', version: '1.0', license: 'MIT', text: 'Text of uv' };
    const text = thirdPartyNotices(
      [
        uv,
        ...bundledSoftware({ root, beside: ['node_modules/c'] }),
        ...pythonSoftware(['pillow==1.0\nTyping_Extensions==2.0', 'pillow==1.0'], {
          'typing-extensions': 'Apache-2.0',
        }),
      ],
      '45.4.1',
    );
    expect(text).toContain('uv 1.0\nLicence: MIT\n\nText of uv');
    expect(text.match(/^Text of .$/gm)).toEqual(['Text of a', 'Text of b', 'Text of c']);
    expect(text).toContain('npm packages in this package (3)');
    expect(text).toContain('Typing_Extensions 2.0: Apache-2.0');
    expect(text.match(/^pillow 1\.0: as its own metadata says$/gm)).toHaveLength(1);
    expect(text).toContain('Electron 45.4.1');
  });
});
