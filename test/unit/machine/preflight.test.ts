import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Check, checkIds, toolIds } from '../../../main/contract/machine';
import { formatChecks } from '../../../main/contract/words';
import { preflight } from '../../../main/machine/preflight';
import type { PreflightInput } from '../../../main/machine/preflight-docker';
import { dockerCases } from './preflight-docker-cases';
import { driverCases } from './preflight-driver-cases';
import { gpuCases } from './preflight-gpu-cases';
import { hostCases } from './preflight-host-cases';
import { imageCases } from './preflight-image-cases';
import { gpuWith, inputWith, localDocker, migWith, type Reason, releases } from './preflight-input';
import { toolCases } from './preflight-tool-cases';

/** What a text shows where a value was forgotten; words that are given do not hold it. */
const slip = /undefined|NaN|\[object/;
const words = (constraints: fc.StringConstraints = {}) =>
  fc.string(constraints).filter((text) => !slip.test(text));

const cases = [...toolCases, ...gpuCases, ...driverCases, ...dockerCases, ...hostCases, ...imageCases];

describe('each check', () => {
  it.each(cases.map((one) => [`${one.id}: ${one.what}`, one] as const))('%s', (_name, one) => {
    const check = preflight(inputWith(one.change)).find(({ id }) => id === one.id);
    expect(check?.status).toBe(one.status);
    for (const words of one.finding) expect(check?.finding).toContain(words);
    if (one.remedy === undefined) expect(check?.remedy).toBeNull();
    for (const words of one.remedy ?? []) expect(check?.remedy).toContain(words);
  });

  it('is tried with a good and a bad outcome', () => {
    for (const id of checkIds) {
      const statuses = cases.filter((one) => one.id === id).map(({ status }) => status);
      expect(statuses, id).toContain('ok');
      expect(statuses, id).toContain('problem');
    }
  });
});

const versionText = fc.oneof(
  fc.constantFrom('470.57.02', '535.86.10', '560.35.03', '610.43.02', '8.0', '7.5', '', 'N/A'),
  words({ maxLength: 12 }),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });
const uuid = fc.constantFrom('GPU-1', 'GPU-2', 'MIG-1', 'MIG-2', 'all', '0');
const bytes = fc.nat({ max: 2 ** 31 }).map((mebibytes) => mebibytes * 1024);
const gpu = fc
  .record({
    index: fc.nat({ max: 15 }),
    name: fc.oneof(fc.constantFrom('Tesla T4', 'NVIDIA A30', 'NVIDIA GeForce RTX 4090'), words()),
    uuid: maybe(uuid),
    computeCapability: maybe(versionText),
    architecture: maybe(fc.constantFrom('Ampere', 'Ada', 'Ada Lovelace', 'Kepler', '')),
    memoryTotalBytes: maybe(bytes),
    mig: fc.record({
      enabled: maybe(fc.boolean()),
      devices: fc.array(maybe(uuid).map(migWith), { maxLength: 2 }),
    }),
    ecc: fc.record({ enabled: maybe(fc.boolean()), uncorrectedVolatile: maybe(fc.nat()) }),
  })
  .map(gpuWith);
const host = fc.constantFrom('unix:///run/docker.sock', 'ssh://u@h', 'tcp://h:2376', 'tcp://localhost:1', '');
const reasons: readonly Reason[] = ['absent', 'permission', 'timeout', 'refused', 'api-version', 'other'];
const docker = fc.oneof(
  fc
    .record({
      host,
      runtimes: fc.subarray(['runc', 'nvidia']),
      cdiDevices: fc.subarray(['nvidia.com/gpu=0', 'other']),
      nvidiaHook: maybe(fc.boolean()),
      rootFreeBytes: maybe(bytes),
      rootless: fc.boolean(),
    })
    .map((facts) => ({ ...localDocker, ...facts })),
  fc.record({
    reachable: fc.constant(false as const),
    host,
    reason: fc.constantFrom(...reasons),
    message: words(),
  }),
);
const release = maybe(
  fc.oneof(
    fc.constantFrom(...releases.releases.map((row) => row.release)),
    fc.constantFrom('26.03', '19.01'),
  ),
);
const input: fc.Arbitrary<PreflightInput> = fc.record({
  gpus: fc.record({
    driverVersion: maybe(versionText),
    cudaVersion: maybe(versionText),
    gpus: fc.array(gpu, { maxLength: 3 }),
    problem: maybe(words()),
  }),
  host: fc.record({
    disks: fc.array(fc.record({ path: words(), totalBytes: bytes, freeBytes: bytes }), { maxLength: 2 }),
    sharedMemoryBytes: maybe(bytes),
    memoryFreeBytes: bytes,
    loadAverage: fc.double({ min: 0, max: 64, noNaN: true }),
  }),
  docker,
  tools: maybe(fc.record({ missing: fc.subarray([...toolIds]), installable: fc.boolean() })),
  releases: fc.constant(releases),
  plan: fc.record({
    images: fc.constantFrom('cpu' as const, 'ngc' as const),
    tritonImage: words(),
    release,
    buildsClient: fc.boolean(),
    gpuIds: fc.array(uuid, { maxLength: 2 }),
    shmSizeMiB: fc.integer({ min: 1, max: 1 << 20 }),
    requestedPorts: fc.array(
      fc.record({ port: fc.integer({ min: 1, max: 65_535 }), owner: maybe(words()), free: fc.boolean() }),
      { maxLength: 3 },
    ),
    format: maybe(fc.constantFrom('onnx', 'ts-trace')),
    usesTensorFlow: fc.boolean(),
    tensorRtPlan: maybe(
      fc.record({ tensorrtVersion: maybe(versionText), computeCapability: maybe(versionText) }),
    ),
    imageBytesNeeded: bytes,
  }),
});

describe('preflight', () => {
  it('gives each check once, in order, with a remedy where and only where something is to be mended', () => {
    fc.assert(
      fc.property(input, (given) => {
        const checks = preflight(given);
        expect(checks.map(({ id }) => id)).toEqual(checkIds);
        for (const { status, title, finding, remedy } of checks) {
          expect(title).not.toBe('');
          expect(finding.trim()).not.toBe('');
          expect(finding + (remedy ?? '')).not.toMatch(slip);
          if (status === 'warning' || status === 'problem') expect((remedy ?? '').trim()).not.toBe('');
          else expect(remedy).toBeNull();
        }
      }),
      { numRuns: 500 },
    );
  });

  it('finds nothing to mend on a machine in order', () => {
    const bad = preflight(inputWith()).filter(({ status }) => status === 'problem' || status === 'warning');
    expect(bad).toEqual([]);
  });
});

describe('formatChecks', () => {
  it('marks each status and indents the remedy', () => {
    const check = (status: Check['status'], remedy: string | null): Check => ({
      id: 'disk',
      title: 'Disk',
      status,
      finding: 'as it is',
      remedy,
    });
    expect(
      formatChecks([
        check('ok', null),
        check('warning', 'mend it'),
        check('problem', 'mend it now'),
        check('not-applicable', null),
      ]),
    ).toEqual([
      '✓ Disk: as it is',
      '! Disk: as it is',
      '    → mend it',
      '✗ Disk: as it is',
      '    → mend it now',
      '– Disk: as it is',
    ]);
  });
});
