import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface Notices {
  licenceOf: (manifest: object) => string;
  npmNotice: (manifest: object, texts: readonly string[]) => string;
  requirementsOf: (text: string) => readonly object[];
  thirdPartyNotices: (options: object) => string;
}

const { licenceOf, npmNotice, requirementsOf, thirdPartyNotices } = (await import(
  resolve('scripts/lib/package/notices.mjs')
)) as Notices;

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
    expect(npmNotice({ name: 'a', version: '1.0.0', license: 'X' }, ['TEXT', 'NOTICE'])).toBe(
      'a 1.0.0\nLicence: X\n\nTEXT\n\nNOTICE',
    );
  });

  it('has its author and the standard text where it carries none', () => {
    const notice = npmNotice({ name: 'a', version: '1.0.0', license: 'MIT', author: 'Ann <a@b.c>' }, []);
    expect(notice).toContain('Copyright (c) Ann\n\nPermission is hereby granted');
  });

  it.each([{ license: 'Custom' }, {}])('refuses %j without a text', (manifest) => {
    expect(() => npmNotice({ name: 'a', version: '1.0.0', ...manifest }, [])).toThrow(
      /bundled package a has no licence that can be handed on/,
    );
  });
});

it('reads requirements without hashes and comments', () => {
  const text =
    '# no\n\ntorch==2.1.0; python_version >= "3.10"\ntritonclient[grpc,http]>=2.50,<3\npillow\nx==1 --hash=sha256:0\n';
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
    const text = thirdPartyNotices({
      root,
      beside: ['node_modules/c'],
      requirements: ['pillow==1.0\nOnnx==2.0'],
      licences: { onnx: 'Apache-2.0' },
      electron: '45.4.1',
      programs: ['uv 1.0\nLicence: MIT'],
    });
    expect(text).toContain('uv 1.0');
    expect(text.match(/^Text of .$/gm)).toEqual(['Text of a', 'Text of b', 'Text of c']);
    expect(text).toContain('npm packages in this package (3)');
    expect(text).toContain('Onnx 2.0: Apache-2.0');
    expect(text).toContain('pillow 1.0: as its own metadata says');
    expect(text).toContain('Electron 45.4.1');
  });
});
