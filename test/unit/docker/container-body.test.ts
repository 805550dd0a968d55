import { describe, expect, it } from 'vitest';
import { containerBody, type ContainerBodyInput } from '../../../main/docker/container-body';
import { dockerRunCommand } from '../../../main/docker/run-container';

// From the capture test/fixtures/nvidia-smi/list-a100-mig.txt.
const gpu0 = 'GPU-2927d07e-3fe9-7904-9e08-b08b82d9a37d';
const gpu1 = 'GPU-e109d8d9-923e-7235-0429-96b7fdbcbd30';
const mig = 'MIG-6e95ef19-5145-571b-b040-7e731f1c1af3';
const image = `sha256:${'a'.repeat(64)}`;

const input: ContainerBodyInput = {
  image,
  command: ['tritonserver', '--model-repository=/models', '--http-port=8000'],
  env: { HOME: '/tmp' },
  workingDir: '/tmp',
  user: '1000:1000',
  mounts: [
    { from: '/runs/r1/steps/configure/model-repository', to: '/models', writable: false },
    { from: '/runs/r1/steps', to: '/workbench/run/steps', writable: true },
  ],
  labels: {
    instance: '0123456789abcdef',
    role: 'triton',
    runId: 'r1',
    runDir: '/runs/r1',
    step: 'deploy',
    key: 'k1',
    adoptable: true,
    server: 'repository-key',
    gpus: ['all'],
  },
  network: { kind: 'published', name: 'twb-1', ports: { 8000: null, 8001: 18_001 } },
  gpus: ['all'],
  rootless: false,
  remapsUsers: false,
  gpuAccess: 'runtime',
  sharedMemory: { kind: 'own', bytes: 1_073_741_824, shareable: false },
  memoryBytes: 64_424_509_440,
};

const golden = {
  Image: image,
  Entrypoint: ['tritonserver'],
  Cmd: ['--model-repository=/models', '--http-port=8000'],
  Env: ['HOME=/tmp'],
  WorkingDir: '/tmp',
  User: '1000:1000',
  Labels: {
    'triton-workbench.schema': '1',
    'triton-workbench.instance': '0123456789abcdef',
    'triton-workbench.role': 'triton',
    'triton-workbench.run': 'r1',
    'triton-workbench.run-dir': '/runs/r1',
    'triton-workbench.step': 'deploy',
    'triton-workbench.key': 'k1',
    'triton-workbench.adoptable': 'true',
    'triton-workbench.server': 'repository-key',
    'triton-workbench.gpus': 'all',
  },
  Tty: false,
  OpenStdin: false,
  StopSignal: 'SIGTERM',
  ExposedPorts: { '8000/tcp': {}, '8001/tcp': {} },
  HostConfig: {
    NetworkMode: 'twb-1',
    PortBindings: {
      '8000/tcp': [{ HostIp: '127.0.0.1', HostPort: '' }],
      '8001/tcp': [{ HostIp: '127.0.0.1', HostPort: '18001' }],
    },
    Mounts: [
      {
        Type: 'bind',
        Source: '/runs/r1/steps/configure/model-repository',
        Target: '/models',
        ReadOnly: true,
      },
      { Type: 'bind', Source: '/runs/r1/steps', Target: '/workbench/run/steps', ReadOnly: false },
    ],
    DeviceRequests: [{ Driver: 'nvidia', Count: -1, Capabilities: [['gpu']] }],
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges:true'],
    Privileged: false,
    ReadonlyRootfs: true,
    Tmpfs: { '/tmp': 'rw,exec,nosuid,nodev,mode=1777,size=4294967296' },
    IpcMode: 'private',
    ShmSize: 1_073_741_824,
    Memory: 64_424_509_440,
    PidsLimit: 4096,
    Ulimits: [
      { Name: 'memlock', Soft: -1, Hard: -1 },
      { Name: 'stack', Soft: 67_108_864, Hard: 67_108_864 },
    ],
    RestartPolicy: { Name: 'no' },
    AutoRemove: false,
    Init: true,
    LogConfig: { Type: 'json-file', Config: { 'max-size': '256m', 'max-file': '1' } },
  },
};

/** The same container with other devices. */
const goldenWith = (gpus: string, deviceRequests: readonly object[]) => ({
  ...golden,
  Labels: { ...golden.Labels, 'triton-workbench.gpus': gpus },
  HostConfig: { ...golden.HostConfig, DeviceRequests: deviceRequests },
});

const commandWith = (...devices: readonly string[]) => [
  ...['docker', 'run', '--detach', '--init', '--read-only'],
  ...['--name', 'twb-1', '--user', '1000:1000', '--network', 'twb-1'],
  ...['--publish', '127.0.0.1::8000/tcp', '--publish', '127.0.0.1:18001:8001/tcp'],
  ...devices,
  ...['--volume', '/runs/r1/steps/configure/model-repository:/models:ro'],
  ...['--volume', '/runs/r1/steps:/workbench/run/steps:rw'],
  ...['--env', 'HOME=/tmp', '--workdir', '/tmp'],
  ...['--tmpfs', '/tmp:rw,exec,nosuid,nodev,mode=1777,size=4294967296'],
  ...['--shm-size', '1073741824', '--memory', '64424509440', '--pids-limit', '4096'],
  ...['--ulimit', 'memlock=-1:-1', '--ulimit', 'stack=67108864:67108864'],
  ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true', '--ipc', 'private'],
  ...['--entrypoint', 'tritonserver', image, '--model-repository=/models', '--http-port=8000'],
];

interface Devices {
  readonly name: string;
  readonly gpus: readonly string[];
  readonly gpuAccess: ContainerBodyInput['gpuAccess'];
  readonly requests: readonly object[];
  readonly flags: readonly string[];
}

const cases: readonly Devices[] = [
  {
    name: 'every GPU',
    gpus: ['all'],
    gpuAccess: 'runtime',
    requests: [{ Driver: 'nvidia', Count: -1, Capabilities: [['gpu']] }],
    flags: ['--gpus', 'all'],
  },
  {
    name: 'two GPUs',
    gpus: [gpu0, gpu1],
    gpuAccess: 'runtime',
    requests: [{ Driver: 'nvidia', DeviceIDs: [gpu0, gpu1], Capabilities: [['gpu']] }],
    // The quotes are for Docker's own reader of lists.
    flags: ['--gpus', `"device=${gpu0},${gpu1}"`],
  },
  {
    name: 'a MIG device',
    gpus: [mig],
    gpuAccess: 'runtime',
    requests: [{ Driver: 'nvidia', DeviceIDs: [mig], Capabilities: [['gpu']] }],
    flags: ['--gpus', `"device=${mig}"`],
  },
  {
    name: 'every GPU by CDI',
    gpus: ['all'],
    gpuAccess: 'cdi',
    requests: [{ Driver: 'cdi', DeviceIDs: ['nvidia.com/gpu=all'] }],
    flags: ['--device', 'nvidia.com/gpu=all'],
  },
  {
    name: 'a GPU and a MIG device by CDI',
    gpus: [gpu0, mig],
    gpuAccess: 'cdi',
    requests: [{ Driver: 'cdi', DeviceIDs: [`nvidia.com/gpu=${gpu0}`, `nvidia.com/gpu=${mig}`] }],
    flags: ['--device', `nvidia.com/gpu=${gpu0}`, '--device', `nvidia.com/gpu=${mig}`],
  },
];

describe('the container of a Triton with GPUs', () => {
  it.each(cases)('with $name is asked for in this very way', ({ gpus, gpuAccess, requests, flags }) => {
    const body = containerBody({ ...input, gpus, gpuAccess, labels: { ...input.labels, gpus } });
    expect(body).toEqual(goldenWith(gpus.join(','), requests));
    expect(dockerRunCommand('twb-1', body)).toEqual(commandWith(...flags));
  });

  it('without GPUs asks for no device and no pinned memory', () => {
    const body = containerBody({ ...input, gpus: [], labels: { ...input.labels, gpus: [] } });
    const stack = golden.HostConfig.Ulimits.slice(1);
    const expected = goldenWith('', []);
    const Tmpfs = { '/tmp': 'rw,nosuid,nodev,mode=1777,size=4294967296' };
    expect(body).toEqual({
      ...expected,
      // NVIDIA's images ask for all of them, which a default runtime "nvidia" gives.
      Env: ['HOME=/tmp', 'NVIDIA_VISIBLE_DEVICES=void'],
      HostConfig: { ...expected.HostConfig, Tmpfs, Ulimits: stack },
    });
    expect(dockerRunCommand('twb-1', body)).not.toContain('--gpus');
  });
});

it("NVIDIA's images start the program through their entrypoint", () => {
  const { Entrypoint, Cmd } = golden;
  const body = containerBody({ ...input, keepsEntrypoint: true });
  expect(body).toEqual({ ...golden, Entrypoint: undefined, Cmd: [...Entrypoint, ...Cmd] });
  expect(body).not.toHaveProperty('Entrypoint');
  const words = dockerRunCommand('twb-1', body);
  expect(words).not.toContain('--entrypoint');
  expect(words.slice(-4)).toEqual([image, ...Entrypoint, ...Cmd]);
});

describe('the network of a container', () => {
  it('is none, or that of another container, without a port of its own', () => {
    const none = containerBody({ ...input, network: { kind: 'none' } });
    const machine = containerBody({ ...input, network: { kind: 'machine' } });
    expect(machine.HostConfig).toMatchObject({ NetworkMode: 'host', PortBindings: {} });
    const shared = containerBody({ ...input, network: { kind: 'shared', containerId: 'c0ffee' } });
    expect([none.HostConfig?.NetworkMode, shared.HostConfig?.NetworkMode]).toEqual([
      'none',
      'container:c0ffee',
    ]);
    for (const body of [none, shared]) {
      expect(body.ExposedPorts).toEqual({});
      expect(body.HostConfig?.PortBindings).toEqual({});
    }
  });
});

describe('the shared memory of a container', () => {
  const bodyWith = (sharedMemory: ContainerBodyInput['sharedMemory']) =>
    containerBody({ ...input, sharedMemory });
  const flagOf = (body: ReturnType<typeof containerBody>, flag: string) => {
    const words = dockerRunCommand('twb-1', body);
    return words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined;
  };

  it('is its own, and may be joined only where that is asked for', () => {
    const body = bodyWith({ kind: 'own', bytes: 7, shareable: true });
    expect(body).toEqual({
      ...golden,
      HostConfig: { ...golden.HostConfig, IpcMode: 'shareable', ShmSize: 7 },
    });
    expect([flagOf(body, '--ipc'), flagOf(body, '--shm-size')]).toEqual(['shareable', '7']);
  });

  it("is another container's, with its processes only where that is asked for", () => {
    const { ShmSize, ...rest } = golden.HostConfig;
    expect(ShmSize).toBeGreaterThan(0);
    const joined = bodyWith({ kind: 'joined', containerId: 'c0ffee', processes: false });
    expect(joined).toEqual({ ...golden, HostConfig: { ...rest, IpcMode: 'container:c0ffee' } });
    expect([flagOf(joined, '--ipc'), flagOf(joined, '--shm-size'), flagOf(joined, '--pid')]).toEqual([
      'container:c0ffee',
      undefined,
      undefined,
    ]);
    expect(dockerRunCommand('twb-1', joined)).toContain('--init');

    const withProcesses = bodyWith({ kind: 'joined', containerId: 'c0ffee', processes: true });
    const modes = { IpcMode: 'container:c0ffee', PidMode: 'container:c0ffee', Init: false };
    expect(withProcesses).toEqual({ ...golden, HostConfig: { ...rest, ...modes } });
    expect(flagOf(withProcesses, '--pid')).toBe('container:c0ffee');
    expect(dockerRunCommand('twb-1', withProcesses)).not.toContain('--init');
  });
});
