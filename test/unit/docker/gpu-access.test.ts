import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cdiNames, gpuAccessOf, gpuRemedy, hasNvidiaHook } from '../../../main/docker/gpu-access';

const named = (...ids: readonly string[]) => ids.map((id) => `nvidia.com/gpu=${id}`);

it('asks by CDI only where there are devices of NVIDIA, and no runtime', () => {
  const accessOf = (runtimes: readonly string[], cdiDevices: readonly string[] | null) =>
    gpuAccessOf({ runtimes, cdiDevices });
  expect(accessOf(['runc', 'nvidia'], named('all'))).toBe('runtime');
  expect(accessOf(['runc'], named('all'))).toBe('cdi');
  expect(accessOf(['runc'], null)).toBe('cdi');
  // CDI is on by default from 28.2: without a device of NVIDIA the driver "nvidia" remains.
  expect(accessOf(['runc'], ['vendor.com/net=1'])).toBe('runtime');
});

it.each([
  ['UUIDs that are listed', ['GPU-a', 'MIG-b'], named('0', 'GPU-a', 'MIG-b', 'all'), named('GPU-a', 'MIG-b')],
  ['what a list unknown leaves', ['GPU-a'], null, named('GPU-a')],
  [
    'every GPU, by number where there is no UUID',
    ['GPU-a', 'GPU-b'],
    named('0', '1', 'all'),
    named('0', '1'),
  ],
  ['the first for the idlest', ['idlest'], named('0', 'all'), named('0')],
  ['nothing for one of two that have numbers', ['GPU-a'], named('0', '1', 'all'), null],
  ['nothing for a MIG device that is not listed', ['MIG-b'], named('GPU-a', 'all'), null],
  ['nothing for a GPU beside those with UUIDs', ['GPU-b'], named('GPU-a', 'all'), null],
])('names %s', (_what, gpus, devices, expected) => {
  expect(cdiNames(gpus, devices)).toEqual(expected);
});

it.each([
  ['could not select device driver "nvidia" with capabilities: [[gpu]]', 'nvidia-container-runtime-hook'],
  ['could not select device driver "cdi"', '"cdi": true'],
  ['CDI device injection failed: unresolvable CDI devices nvidia.com/gpu=MIG-b', 'nvidia-cdi-refresh'],
  ['invoking the NVIDIA Container Runtime Hook directly is not supported', 'mode=auto'],
])('says what helps against: %s', (refusal, remedy) => {
  expect(gpuRemedy(refusal)).toContain(remedy);
});

it('finds the hook where a daemon finds it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'workbench-hook-'));
  try {
    const before = await hasNvidiaHook();
    expect(await hasNvidiaHook(folder)).toBe(before);
    const program = join(folder, 'nvidia-container-runtime-hook');
    await writeFile(program, '#!/bin/sh\n');
    await chmod(program, 0o755);
    expect(await hasNvidiaHook(folder)).toBe(true);
  } finally {
    await rm(folder, { recursive: true });
  }
});
