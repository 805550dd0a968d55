import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const { openUp } = (await import(resolve('scripts/lib/package/modes.mjs'))) as {
  openUp: (folder: string) => void;
};

it('what only its maker could read is open to all, what could be executed still can be, and special bits stay', () => {
  const folder = mkdtempSync(join(tmpdir(), 'workbench-modes-'));
  const make = (name: string, mode: number) => {
    writeFileSync(join(folder, name), '');
    chmodSync(join(folder, name), mode);
  };
  mkdirSync(join(folder, 'below'), { mode: 0o700 });
  make('below/text', 0o600);
  make('program', 0o700);
  make('sandbox', 0o4755);
  make('wide', 0o666);
  symlinkSync('/nowhere', join(folder, 'link'));
  openUp(folder);
  const modeOf = (name: string) => (statSync(join(folder, name)).mode & 0o7777).toString(8);
  const modes = ['below', 'below/text', 'program', 'sandbox', 'wide'].map(modeOf);
  expect(modes).toEqual(['755', '644', '755', '4755', '644']);
  rmSync(folder, { recursive: true });
});
