import { expect, it } from 'vitest';
import type { DockerClient } from '../../../../main/docker/client';
import {
  allowsClientSharedMemory,
  imageRelease,
  namedImageFacts,
  planTensorRt,
  readImageFacts,
  tritonCommand,
} from '../../../../main/engine/docker/triton-command';

const common = [
  'tritonserver',
  '--model-repository=/models',
  '--model-control-mode=explicit',
  '--http-address=0.0.0.0',
  '--http-port=8000',
  '--grpc-address=0.0.0.0',
  '--grpc-port=8001',
  '--metrics-port=8002',
];

it('refuses to build a plan with another TensorRT than that of the server, where both are known', () => {
  const image = (reference: string, version: string | null) => ({
    reference,
    env: version === null ? null : ['PATH=/bin', `TRT_VERSION=${version}`],
  });
  const triton = image('tritonserver:26.07-py3', '10.14.1.48+cuda13.0.2');
  expect(planTensorRt(triton, image('client', '10.14.1.48'))).toBe('10.14.1.48');
  expect(planTensorRt(triton, image('own', null))).toBeNull();
  expect(planTensorRt(image('own', null), image('client', '10.14.1.48'))).toBeNull();
  expect(() => planTensorRt(triton, image('client', '10.13.3.9+cuda13.0'))).toThrow(
    'The client image has TensorRT 10.13.3.9 and the Triton image has TensorRT 10.14.1.48',
  );
});

it("is that of NVIDIA's image with GPUs", () => {
  expect(tritonCommand({ builtHere: false, gpus: true })).toEqual([...common, '--exit-timeout-secs=5']);
});

it('lets nothing be added to the configuration where the release knows how', () => {
  const flags = (release: string | null) => tritonCommand({ builtHere: false, gpus: true, release });
  expect(flags('22.07')).toContain('--disable-auto-complete-config');
  expect(flags('26.07')).toContain('--disable-auto-complete-config');
  for (const release of ['22.06', null]) {
    expect(flags(release)).not.toContain('--disable-auto-complete-config');
  }
});

it('can trace where the release knows how, into a file that its settings switch on', () => {
  const flags = (release: string | null, builtHere = false) =>
    tritonCommand({ builtHere, gpus: true, release, traceFile: '/tmp/trace.json' });
  const option = '--trace-config=triton,file=/tmp/trace.json';
  for (const known of [flags('23.04'), flags('26.07'), flags(null, true)]) expect(known).toContain(option);
  for (const release of ['23.03', null]) expect(flags(release)).not.toContain(option);
  expect(tritonCommand({ builtHere: true, gpus: false }).join()).not.toContain('trace');
});

it('is that of the image built here, which has its backends elsewhere and no GPU', () => {
  expect(tritonCommand({ builtHere: true, gpus: false })).toEqual([
    ...common,
    '--backend-directory=/opt/workbench/triton/backends',
    '--disable-auto-complete-config',
    '--allow-gpu-metrics=false',
    '--exit-timeout-secs=5',
  ]);
});

it('says that clients may pass tensors through shared memory, where Triton is to be told', () => {
  expect(tritonCommand({ builtHere: false, gpus: true, clientSharedMemory: true })).toEqual([
    ...common,
    '--allow-client-shm=true',
    '--exit-timeout-secs=5',
  ]);
});

it('knows the release of an image by what it says of itself, then by its name', () => {
  const ngc = 'nvcr.io/nvidia/tritonserver:26.07-py3';
  const env = ['PATH=/bin', 'NVIDIA_TRITON_SERVER_VERSION=26.04', 'TRITON_SERVER_VERSION=2.68.0'];
  expect(imageRelease(env, ngc)).toBe('26.04');
  expect(imageRelease(env, 'example.org/own-triton:3')).toBe('26.04');
  expect(imageRelease([], ngc)).toBe('26.07');
  expect(imageRelease(null, ngc)).toBe('26.07');
  expect(imageRelease(['NVIDIA_TRITON_SERVER_VERSION='], ngc)).toBe('26.07');
  expect(imageRelease(['PATH=/bin'], 'example.org/own-triton:3')).toBeNull();
});

it("starts programs through the entrypoint of NVIDIA's images, and of those built on them", async () => {
  const factsOf = (Entrypoint: string[] | null, reference = 'example.org/own:3') => {
    const inspect = () =>
      Promise.resolve({ Config: { Env: ['NVIDIA_TRITON_SERVER_VERSION=26.07'], Entrypoint } });
    const client = { docker: { getImage: () => ({ inspect }) } } as unknown as DockerClient;
    return readImageFacts(client, { id: 'sha256:1', reference });
  };
  expect(await factsOf(['/opt/nvidia/nvidia_entrypoint.sh'])).toEqual({
    release: '26.07',
    keepsEntrypoint: true,
  });
  expect(await factsOf(['/usr/bin/my-start'])).toMatchObject({ keepsEntrypoint: false });
  expect(await factsOf(null)).toMatchObject({ keepsEntrypoint: false });
  // Where no engine has the image, its name decides.
  expect(namedImageFacts('nvcr.io/nvidia/tritonserver:26.07-py3')).toMatchObject({ keepsEntrypoint: true });
  expect(namedImageFacts('example.org/own:3')).toMatchObject({ keepsEntrypoint: false });
});

it('tells a Triton that refuses by itself, and only for a run that asks for it', () => {
  expect(
    ['25.12', '26.03', '26.04', '26.10', '27.01'].map((of) => allowsClientSharedMemory('cuda', of)),
  ).toEqual([false, false, true, true, true]);
  expect(allowsClientSharedMemory('system', '26.07')).toBe(true);
  expect(allowsClientSharedMemory('none', '26.07')).toBe(false);
  expect(allowsClientSharedMemory('system', null)).toBe(false);
});

it('loads every model at the start from the first release that can', () => {
  const command = (release: string | null, builtHere = false) =>
    tritonCommand({ builtHere, gpus: true, release, loadAll: true });
  for (const release of ['22.05', '26.07', null]) expect(command(release)).toContain('--load-model=*');
  expect(command('22.04', true)).toContain('--load-model=*');
  expect(() => command('22.04')).toThrow('Triton of release 22.04 cannot load every model');
});
