import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeCapabilityOf } from '../../../main/machine/nvidia-smi';
import { isDataCentreGpu } from '../../../main/machine/preflight-driver';
import {
  compareVersions,
  majorOf,
  parseReleases,
  readReleases,
  releaseFault,
  releaseOf,
} from '../../../main/machine/releases';
import { gpuWith } from './preflight-input';

const resources = join(__dirname, '../../../resources');

describe('the table of releases', () => {
  it('is valid, newest first, every release with its source', async () => {
    const { releases } = await readReleases(resources);
    const names = releases.map(({ release }) => release);
    expect(names).toEqual([...new Set(names)].sort(compareVersions).reverse());
    for (const { release, sources } of releases) expect(sources.length, release).toBeGreaterThan(0);
  });

  it('has the releases of the published deployments, and the floor', async () => {
    const { releases, security } = await readReleases(resources);
    const names = releases.map(({ release }) => release);
    expect(names).toEqual(expect.arrayContaining(['21.02', '21.12', '22.02', '22.11', security.floor]));
  });

  it('has the floor that its bulletins ask for', async () => {
    const { security } = await readReleases(resources);
    const newest = security.bulletins.map(({ fixedIn }) => fixedIn).sort(compareVersions);
    expect(newest.at(-1)).toBe(security.floor);
  });

  it('knows the driver of every CUDA major version in it', async () => {
    const { releases, cuda } = await readReleases(resources);
    const majors = new Set(releases.flatMap((row) => (row.cuda === null ? [] : [majorOf(row.cuda)])));
    expect(cuda.majors.map(({ major }) => major)).toEqual(expect.arrayContaining([...majors]));
  });

  it.each([
    ['no YAML', '{', 'not YAML'],
    ['no table', 'cuda: 13', 'The table of releases'],
  ])('refuses %s', (_what, text, message) => {
    expect(() => parseReleases(text)).toThrow(
      expect.objectContaining({
        code: 'config-invalid',
        message: expect.stringContaining(message) as string,
      }),
    );
  });

  it('says which file is missing', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'releases-'));
    try {
      await expect(readReleases(empty)).rejects.toMatchObject({
        code: 'config-invalid',
        where: join(empty, 'images', 'releases.yaml'),
      });
    } finally {
      await rm(empty, { recursive: true });
    }
  });
});

describe('releaseOf', () => {
  it('knows the images of a mirror by its name, and those of no other', () => {
    const registry = 'registry.example.com/nvidia';
    expect(releaseOf(`${registry}/tritonserver:26.07-py3`, registry)).toBe('26.07');
    expect(releaseOf('nvcr.io/nvidia/tritonserver:26.07-py3', registry)).toBe('26.07');
    expect(releaseOf(`${registry}/tritonserver:26.07-py3`)).toBeNull();
    expect(releaseOf('registry.example.com/nvidia-old/tritonserver:26.07-py3', registry)).toBeNull();
  });

  it.each([
    ['nvcr.io/nvidia/tritonserver:26.07-py3', '26.07'],
    ['nvcr.io/nvidia/tritonserver:26.07-py3-sdk', '26.07'],
    ['nvcr.io/nvidia/pytorch:26.07-py3', '26.07'],
    ['nvcr.io/nvidia/tritonserver:26.07-py3@sha256:0a1b', '26.07'],
    ['nvcr.io/nvidia/tritonserver@sha256:0a1b', null],
    ['nvcr.io/nvidia/tritonserver:latest', null],
    ['nvcr.io/nvidia/tritonserver:26.07.1', null],
    ['docker.io/library/python:26.07-py3', null],
    ['triton-cpu', null],
  ])('%s: %s', (reference, release) => {
    expect(releaseOf(reference)).toBe(release);
  });
});

describe('compareVersions', () => {
  it('compares number by number', () => {
    const version = fc.array(fc.nat({ max: 999 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(version, version, (a, b) => {
        const length = Math.max(a.length, b.length);
        const at = Array.from({ length }, (_, i) => (a[i] ?? 0) - (b[i] ?? 0)).find((n) => n !== 0) ?? 0;
        expect(Math.sign(compareVersions(a.join('.'), b.join('.')))).toBe(Math.sign(at));
      }),
    );
  });
});

describe('isDataCentreGpu', () => {
  it.each([
    ['Tesla T4', true],
    ['Tesla V100-SXM2-16GB', true],
    ['NVIDIA A100-SXM4-40GB MIG 1g.5gb', true],
    ['NVIDIA H100 80GB HBM3', true],
    ['NVIDIA L40S', true],
    ['NVIDIA B300 SXM6 AC', true],
    ['NVIDIA GB300', true],
    ['NVIDIA B100', true],
    ['NVIDIA L2', true],
    ['NVIDIA L20', true],
    ['NVIDIA L40G', true],
    ['NVIDIA A100X', true],
    ['NVIDIA A30X', true],
    ['Tesla V100S-PCIE-32GB', true],
    ['T4G', true],
    ['NVIDIA RTX A4000', false],
    ['NVIDIA GeForce RTX 4090', false],
    ['NVIDIA RTX 6000 Ada Generation', false],
    ['NVIDIA T400', false],
  ])('%s: %s', async (name, expected) => {
    expect(isDataCentreGpu(gpuWith({ name }), await readReleases(resources))).toBe(expected);
  });
});

it('counts every data center GPU whose compute capability is known by its name as one', async () => {
  const table = await readReleases(resources);
  // Cards for workstations that share the pattern of a data center GPU.
  const others = new Set(['T400', 'T600', 'T1000', 'T400G', 'T600G', 'T1000G', 'GV100', 'GV100S', 'GP100']);
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const words = ['', 'G'].flatMap((first) =>
    letters.flatMap((letter) =>
      Array.from({ length: 1000 }, (_none, index) => `${first}${letter}${String(index + 1)}`).flatMap(
        (word) => ['', 'G', 'S', 'X'].map((last) => `${word}${last}`),
      ),
    ),
  );
  const known = words.filter((word) => !others.has(word) && computeCapabilityOf(`NVIDIA ${word}`) !== null);
  expect(known).toEqual(expect.arrayContaining(['B300', 'GB200', 'GH200', 'L20', 'A30X', 'V100S']));
  expect(known.filter((word) => !isDataCentreGpu(gpuWith({ name: `NVIDIA ${word}` }), table))).toEqual([]);
});

it('offers no release whose PyTorch the table knows to be older than 2.5', async () => {
  const { releases } = await readReleases(resources);
  const offered = releases.filter(({ release }) => releaseFault(release, true) === null);
  for (const { release, pytorch } of releases) {
    if (pytorch === null) continue;
    const isOffered = offered.some((one) => one.release === release);
    expect([release, isOffered]).toEqual([release, compareVersions(pytorch, '2.5') >= 0]);
  }
  expect(offered.at(-1)?.pytorch).not.toBeNull();
  expect(releaseFault('22.04', false)).toBeNull();
  expect(releaseFault('22.03', false)?.reason).toContain('--http-address');
});
