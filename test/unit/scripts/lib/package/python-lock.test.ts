import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

interface Lock {
  lockedFiles: readonly string[];
  mergeLock: (compiled: Record<string, string>) => { packages: readonly string[]; cuda: readonly string[] };
  withoutPackages: (compiled: string, beside: string) => string;
}

const { lockedFiles, mergeLock, withoutPackages } = (await import(
  resolve('scripts/lib/package/python-lock.mjs')
)) as Lock;

const sum = (digit: string) => `sha256:${digit.repeat(64)}`;
const compiled = (...packages: readonly string[]) =>
  packages.map((one, index) => `${one} \\\n    --hash=${sum(String(index + 1))}\n    # via x\n`).join('');

it('one package of all Pythons has no marker, others have those of their Pythons', () => {
  const { packages } = mergeLock({
    '3.9': compiled('a==1.0', 'b==1.0'),
    '3.10': compiled('a==1.0', 'b==2.0'),
    '3.11': compiled('a==1.0', 'b==3.0', 'c==1.0'),
    '3.12': compiled('a==1.0', 'b==4.0', 'c==1.0'),
  });
  expect(packages.map((entry) => entry.split(' \\\n')[0])).toEqual([
    'a==1.0',
    'b==1.0; python_version < "3.10"',
    'b==2.0; python_version == "3.10"',
    'b==3.0; python_version == "3.11"',
    'b==4.0; python_version >= "3.12"',
    'c==1.0; python_version >= "3.11"',
  ]);
});

it('each entry has the hashes of all its files', () => {
  const { packages } = mergeLock({ '3.11': `a==1.0 \\\n  --hash=${sum('b')} \\\n  --hash=${sum('a')}\n` });
  expect(packages).toEqual([`a==1.0 \\\n    --hash=${sum('a')} \\\n    --hash=${sum('b')}`]);
});

it('PyTorch is in neither list, and what its CUDA build brings is in one of its own', () => {
  const { packages, cuda } = mergeLock({
    '3.11': compiled(
      'torch==2.0',
      'nvidia-cublas==13.0',
      'triton==3.0',
      'cuda-toolkit==13',
      'nvidia-pytriton==0.7',
    ),
  });
  const names = (entries: readonly string[]) => entries.map((entry) => entry.split('==')[0]);
  expect(names(packages)).toEqual(['nvidia-pytriton']);
  expect(names(cuda)).toEqual(['cuda-toolkit', 'nvidia-cublas', 'triton']);
});

it('an environment beside another one has only what that one lacks, with its hashes', () => {
  const [both, beside] = [compiled('a==1.0', 'b==2.0', 'c==3.0'), compiled('b==2.0')];
  const rest = withoutPackages(both, beside);
  expect(mergeLock({ '3.11': rest }).packages).toEqual([
    `a==1.0 \\\n    --hash=${sum('1')}`,
    `c==3.0 \\\n    --hash=${sum('3')}`,
  ]);
});

it('every lock that is installed from is written again; that of CUDA comes with runtime.txt', () => {
  const locked = readdirSync('resources/requirements/locked').filter((name) => name !== 'cuda.txt');
  expect([...lockedFiles].sort()).toEqual(locked.sort());
});
