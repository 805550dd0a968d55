import { resolve } from 'node:path';
import { expect, it } from 'vitest';

interface Deb {
  controlFile: (identity: object, manifest: object, facts: object) => string;
  debName: (identity: object, arch: string) => string;
}

const { controlFile, debName } = (await import(resolve('scripts/lib/package/deb.mjs'))) as Deb;

const manifest = {
  description: 'What it does.',
  homepage: 'https://x.example',
  maintainer: 'A <a@b.example>',
};
const release = { name: 'triton-workbench', version: '0.1.0', test: false };
const test = { name: 'triton-workbench-test', version: '0.1.0-test.electron.25.1.1', test: true };
const facts = { installedKib: 12, arch: 'x64' };

it('the control file names the package, what it needs and who keeps it', () => {
  const lines = controlFile(release, manifest, facts).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'Package: triton-workbench',
      'Version: 0.1.0',
      'Architecture: amd64',
      'Maintainer: A <a@b.example>',
      'Homepage: https://x.example',
      'Installed-Size: 12',
      'Conflicts: triton-workbench-test',
      ' What it does.',
    ]),
  );
  expect(lines.join('\n')).not.toContain('for tests only');
});

it('one without a homepage names none', () => {
  expect(controlFile(release, { ...manifest, homepage: null }, facts)).not.toContain('Homepage');
});

it('one for tests is older than its release, in its way, and says what it is', () => {
  const text = controlFile(test, manifest, facts);
  expect(text).toMatch(/^Version: 0\.1\.0~test\.electron\.25\.1\.1$/m);
  expect(text).toMatch(/^Conflicts: triton-workbench$/m);
  expect(text).toContain('for tests only');
});

it('the file has the name that apt gives it', () => {
  expect(debName(release, 'x64')).toBe('triton-workbench_0.1.0_amd64.deb');
  expect(debName(test, 'arm64')).toBe('triton-workbench-test_0.1.0~test.electron.25.1.1_arm64.deb');
});
