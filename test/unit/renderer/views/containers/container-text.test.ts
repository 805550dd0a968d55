import { describe, expect, it } from 'vitest';
import type { ImageInfo } from '../../../../../main/contract/docker';
import { errorCodes, errorText } from '../../../../../main/contract/error-text';
import type { Check, GpuFacts } from '../../../../../main/contract/machine';
import { containerTitle } from '../../../../../renderer/format/container-title';
import { remedyCommand } from '../../../../../renderer/format/remedy-command';
import { formatAge } from '../../../../../renderer/format/times';
import { toolkitLine } from '../../../../../renderer/format/toolkit-line';
import {
  containersText,
  cpuText,
  exitCode,
  gpuText,
  imageName,
  memoryLimitText,
  memoryText,
  sortContainers,
  whyNot,
} from '../../../../../renderer/views/containers/container-text';
import { checkSummary } from '../../../../../renderer/views/environment/check-summary';
import { gaugesOf, gpuFacts, sparkline } from '../../../../../renderer/views/environment/gpu-text';
import { digestOf, imagesText, sortImages, whyKept } from '../../../../../renderer/views/images/image-text';
import { containerFixture } from '../../container-fixtures';

const gpu: GpuFacts = {
  index: 1,
  name: 'NVIDIA A30',
  uuid: 'GPU-1',
  busId: '00000000:01:00.0',
  architecture: 'Ampere',
  computeCapability: null,
  memoryTotalBytes: 24 * 1024 ** 3,
  load: {
    gpuPercent: 50,
    memoryPercent: null,
    memoryUsedBytes: 6 * 1024 ** 3,
    powerDrawW: 99.6,
    temperatureC: null,
    smClockMHz: null,
  },
  powerLimitW: 165,
  maxClocks: { smMHz: 1440, memoryMHz: null },
  performanceState: null,
  ecc: { enabled: true, uncorrectedVolatile: 0 },
  mig: {
    enabled: true,
    devices: [
      {
        index: 0,
        gpuInstanceId: 1,
        computeInstanceId: 0,
        uuid: 'MIG-1',
        multiprocessors: null,
        memoryTotalBytes: null,
        memoryUsedBytes: null,
      },
    ],
  },
  processes: [],
};

describe('containers in words', () => {
  it('come those that work first, then the newest', () => {
    const of = (name: string, state: 'running' | 'exited', at: string) =>
      containerFixture({ name, state, createdAt: `2026-01-01T00:00:${at}.000Z` });
    const sorted = sortContainers([
      of('old end', 'exited', '10'),
      of('new end', 'exited', '50'),
      of('old run', 'running', '00'),
      of('new run', 'running', '40'),
    ]);
    expect(sorted.map((one) => one.name)).toEqual(['new run', 'old run', 'new end', 'old end']);
  });

  it('lead with what they do: their names differ only at the end', () => {
    expect(containerTitle({ role: 'triton', step: 'deploy' })).toBe('Triton');
    expect(containerTitle({ role: 'client', step: 'accuracy' })).toBe('Client: Check accuracy');
    expect(containerTitle({ role: 'client', step: 'of a later version' })).toBe('Client: of a later version');
  });

  it('name their image by its tag, also where they were created by its id', () => {
    const imageId = `sha256:${'12'.repeat(32)}`;
    const images = [{ id: imageId, tags: ['triton-workbench/client-cpu:1'] }];
    const named = { short: 'client-cpu:1', full: 'triton-workbench/client-cpu:1' };
    expect(imageName({ image: imageId, imageId }, images)).toEqual(named);
    expect(imageName({ image: named.full, imageId }, [])).toEqual(named);
    expect(imageName({ image: imageId, imageId }, []).short).toBe('121212121212');
  });

  it.each([
    ['{"type": "progress", "fraction": 0.8138, "text": "Epoch 7 of 8"}', ' 81 %  Epoch 7 of 8'],
    ['{"type": "progress", "fraction": null, "text": "Reading"}', 'Reading'],
    ['{"type": "fact", "name": "Training", "value": "152 steps"}', 'Training: 152 steps'],
    ['{"type": "warning", "text": "slow"}', 'WARNING: slow'],
    ['{"type": "error", "code": "no-file", "message": "Not there."}', 'ERROR: Not there. (no-file)'],
    ['{"type": "result", "steps": 152, "path": "/a"}', 'Result  steps: 152  path: /a'],
    ['{"type": "of a later version"}', '{"type": "of a later version"}'],
    ['{"type": broken', '{"type": broken'],
    ['I1121 08:17:00 Started', 'I1121 08:17:00 Started'],
  ])('have a log for people: %s', (line, text) => {
    expect(toolkitLine(line)).toBe(text);
  });

  it('have an exit code once they have ended', () => {
    expect(exitCode({ state: 'exited', status: 'Exited (137) 5 seconds ago' })).toBe(137);
    expect(exitCode({ state: 'running', status: 'Up 3 minutes' })).toBeNull();
  });

  it('name their GPUs as the machine does', () => {
    expect(gpuText([], [gpu])).toBe('–');
    expect(gpuText(['all'], [gpu])).toBe('All');
    expect(gpuText(['GPU-1', 'MIG-1', 'GPU-9'], [gpu])).toBe('GPU 1, MIG on GPU 1, GPU-9');
  });

  it('show a dash for what the engine does not say', () => {
    const stats = { id: 'a', cpuPercent: 138.24, memoryBytes: 1024 ** 3, memoryLimitBytes: null };
    expect([cpuText(stats), memoryText(stats), memoryLimitText(stats)]).toEqual(['138.2 %', '1.0 GiB', null]);
    expect([cpuText(undefined), memoryText(undefined)]).toEqual(['–', '–']);
  });

  it('say why an action is not offered', () => {
    expect(whyNot('start', 'exited', true)).toBeNull();
    expect(whyNot('start', 'running', true)).toBe('The container is already running');
    expect(whyNot('stop', 'exited', true)).toBe('The container is not running');
    expect(whyNot('stop', 'running', false)).toBe('Docker is unreachable');
    expect(whyNot('remove', 'removing', true)).toBe('The container is being removed');
  });

  it.each([
    ['2026-01-01T00:00:00.000Z', '0 s'],
    ['2025-12-31T23:59:01.000Z', '59 s'],
    ['2025-12-31T23:58:00.000Z', '2 min'],
    ['2025-12-31T12:00:00.000Z', '12 h'],
    ['2025-12-29T00:00:00.000Z', '3 d'],
    // The engine's clock may be ahead of the desktop's.
    ['2026-01-01T00:00:09.000Z', '0 s'],
  ])('age since %s', (iso, text) => {
    expect(formatAge(iso, Date.parse('2026-01-01T00:00:00.000Z'))).toBe(text);
  });
});

describe('images in words', () => {
  const image = (change: Partial<ImageInfo>): ImageInfo => ({
    id: `sha256:${'ab'.repeat(32)}`,
    tags: ['b:1'],
    digests: [],
    sizeBytes: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    use: 'triton',
    containerCount: 0,
    ...change,
  });

  it('carry the digest of the registry where there is one', () => {
    const digests = [`nvcr.io/nvidia/tritonserver@sha256:${'12'.repeat(32)}`];
    expect(digestOf(image({ digests }))).toEqual({ short: '121212121212', full: digests[0] });
    expect(digestOf(image({})).short).toBe('abababababab');
  });

  it('come by name, those without one last', () => {
    const sorted = sortImages([image({ tags: [] }), image({}), image({ tags: ['a:1'] })]);
    expect(sorted.map((one) => one.tags[0])).toEqual(['a:1', 'b:1', undefined]);
  });

  it('are kept while containers use them', () => {
    expect(whyKept(image({}), true)).toBeNull();
    expect(whyKept(image({ containerCount: 2 }), true)).toBe('Used by 2 containers; remove them first');
    expect(whyKept(image({}), false)).toBe('Docker is unreachable');
  });
});

describe('the environment in words', () => {
  const check = (status: Check['status']): Check => ({
    id: 'gpus',
    title: 'Docker Engine',
    status,
    finding: '',
    remedy: null,
  });

  it('sums up the preflight', () => {
    expect(checkSummary((['ok', 'problem', 'warning', 'problem'] as const).map(check))).toEqual({
      text: '2 problems, 1 warning (Docker Engine, Docker Engine, Docker Engine)',
      tone: 'bad',
    });
    expect(checkSummary((['ok', 'not-applicable'] as const).map(check))).toEqual({
      text: 'No problems found',
      tone: 'good',
    });
    const tool = (id: 'python' | 'triton', state: 'ready' | 'outdated') => ({
      id,
      state,
      version: null,
      bytes: null,
    });
    const [python, triton] = [tool('python', 'outdated'), tool('triton', 'outdated')];
    expect(checkSummary([], [python, triton])).toEqual({ text: '2 tools outdated', tone: 'warn' });
    expect(checkSummary([check('warning')], [python, tool('triton', 'ready')])).toEqual({
      text: '1 warning, 1 tool outdated (Docker Engine)',
      tone: 'warn',
    });
  });

  it('leaves out what the driver does not say', () => {
    const report = { driverVersion: '550.54.15', cudaVersion: null, gpus: [gpu], problem: null };
    const facts = new Map(gpuFacts(gpu, report));
    expect(facts.get('Driver')).toBe('550.54.15');
    expect(facts.get('Max clocks')).toBe('SM 1,440 MHz');
    expect(facts.get('ECC')).toBe('on, 0 uncorrected since the driver started');
    expect([facts.has('CUDA up to'), facts.has('Compute capability')]).toEqual([false, false]);
  });

  it('measures each reading on its own scale', () => {
    const gauges = gaugesOf(gpu, [gpu.load, { ...gpu.load, gpuPercent: null }]);
    expect(gauges.map(({ label, text, share }) => [label, text, share])).toEqual([
      ['Utilization', '50 %', 0.5],
      ['Memory', '6.0 GiB of 24.0 GiB', 0.25],
      ['Power', '100 of 165 W', 99.6 / 165],
      ['Temperature', 'not reported', null],
    ]);
    expect(gauges[0]?.past).toEqual([0.5, null]);
  });

  it('draws a hole where there was no reading', () => {
    expect(sparkline([0, 0.5, null, 1], 5, 40, 10)).toBe('M10.0 10.0L20.0 5.0M40.0 0.0');
  });

  it('finds the command in a remedy', () => {
    expect(remedyCommand('Start it ("sudo systemctl start docker"), or name another one.')).toBe(
      'sudo systemctl start docker',
    );
    expect(remedyCommand('List the runs with the command "runs".')).toBeNull();
    const quoted = errorCodes.flatMap((code) => remedyCommand(errorText[code].remedy) ?? []);
    expect(quoted).toContain('sudo usermod -aG docker $USER');
    expect(quoted.every((command) => /^(npm|sudo) /.test(command))).toBe(true);
  });
});

it('answers how many containers run', () => {
  const of = (...states: readonly ('running' | 'exited')[]) =>
    containersText(states.map((state) => ({ ...containerFixture(), state })));
  expect(of()).toEqual({ text: 'No containers of this workbench', tone: 'dim' });
  expect(of('running')).toEqual({ text: '1 container runs', tone: 'good' });
  expect(of('running', 'running', 'exited').text).toBe('2 containers run, 1 ended');
  expect(of('exited')).toEqual({ text: '0 containers run, 1 ended', tone: 'dim' });
});

it('answers how many images of the workbench there are, and their size', () => {
  const mib = 1024 ** 2;
  const of = (...uses: readonly ImageInfo['use'][]) =>
    imagesText(uses.map((use) => ({ use, sizeBytes: 64 * mib })));
  expect(of()).toEqual({ text: 'No Triton and client images', tone: 'dim' });
  expect(of(null)).toEqual({ text: 'No Triton and client images', tone: 'dim' });
  expect(of('triton', null)).toEqual({ text: '1 Triton or client image (64.0 MiB)', tone: 'good' });
  expect(of('triton', 'client', 'build').text).toBe(
    '2 Triton and client images (192.0 MiB with the layers of builds)',
  );
  expect(of('build')).toEqual({
    text: 'No Triton and client images (64.0 MiB with the layers of builds)',
    tone: 'dim',
  });
});
