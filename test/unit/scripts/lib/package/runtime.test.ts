import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

interface Runtime {
  packageIdentity: (facts: object) => object;
  copyRuntime: (folder: string, target: string) => void;
  runtimeVersion: (electron: string) => Promise<string>;
}

const { copyRuntime, packageIdentity, runtimeVersion } = (await import(
  resolve('scripts/lib/package/runtime.mjs')
)) as Runtime;

const facts = { name: 'triton-workbench', version: '0.1.0', wanted: '45.4.1', found: '45.4.1', test: false };

it('a package has the name and version of the product', () => {
  expect(packageIdentity(facts)).toEqual({ name: 'triton-workbench', version: '0.1.0', test: false });
});

it('a package is refused with a runtime that stands in', () => {
  expect(() => packageIdentity({ ...facts, found: '25.1.1' })).toThrow(
    /made with Electron 45\.4\.1, and this machine has Electron 25\.1\.1.*npm run package -- --test/,
  );
});

it.each(['25.1.1', '45.4.1'])('one for tests says so, and its Electron %s, in name and version', (found) => {
  expect(packageIdentity({ ...facts, found, test: true })).toEqual({
    name: 'triton-workbench-test',
    version: `0.1.0-test.electron.${found}`,
    test: true,
  });
});

it('the runtime is copied without the app that stands in and without the mark of the set-up', () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-runtime-'));
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  mkdirSync(join(from, 'resources', 'app'), { recursive: true });
  for (const name of ['electron', '.stamp', 'resources/app/main.cjs', 'resources/x.pak'])
    writeFileSync(join(from, name), '');
  mkdirSync(to);
  writeFileSync(join(to, 'left'), '');
  copyRuntime(from, to);
  const there = (name: string) => existsSync(join(to, name));
  expect(['electron', 'resources/x.pak', '.stamp', 'resources/app', 'left'].map(there)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  rmSync(folder, { recursive: true });
});

it('a program that says no version of Electron is refused', async () => {
  await expect(runtimeVersion(process.execPath)).rejects.toThrow('does not say its version');
});
