import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseRemoteUrl } from '../../../main/contract/address';
import { engines as kinds, type RunSpec } from '../../../main/contract/run/run-spec';
import { createDockerLink } from '../../../main/docker/docker-link';
import { createSchedulers } from '../../../main/engine/engine-registry';
import { createEngines, type Engines } from '../../../main/engine/engines';
import { serverArguments, serverEnvironment } from '../../../main/engine/local/server-command';
import { createHosts } from '../../../main/hosts/hosts';
import { ngcRegistry } from '../../../main/machine/releases';
import { homeLayout } from '../../../main/platform/layout';
import { createSetup } from '../../../main/setup/setup';
import { noLogins } from '../../support/host-reach';
import { rejection } from '../../support/rejection';
import { specFixture } from '../../support/run-state';

let home: string;
let engines: Engines;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-engines-'));
  const layout = homeLayout(home);
  const env = { DOCKER_HOST: `unix://${home}/none.sock` };
  engines = createEngines({
    layout,
    env,
    ...{ resources: 'resources', registry: ngcRegistry },
    workerFile: '/nowhere/load-worker.cjs',
    setup: createSetup({ layout, resources: 'resources', env }),
    docker: createDockerLink({ env, instanceFile: layout.instance }),
    hosts: createHosts({ layout, env, now: () => new Date() }),
    schedulerOf: createSchedulers({ layout, env: { PATH: home, HOME: home }, hosts: noLogins }),
    prepareImage: () => Promise.reject(new Error('no image is needed here')),
  });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const start = {
  runId: 'r',
  key: 'k',
  repository: '/r',
  logPath: '/nowhere/log',
  signal: new AbortController().signal,
  onLog: () => undefined,
  onCommand: () => undefined,
};

describe('engines', () => {
  it('tell of every kind whether it can be used, and how it could be', async () => {
    const found = await engines.detect();
    expect(found.map((engine) => engine.kind).sort()).toEqual([...kinds].sort());
    for (const engine of found) expect(engine.available || engine.remedy !== null).toBe(true);
    expect(found.find((engine) => engine.kind === 'local')?.note).toContain('tritonserver is missing');
  });

  it('refuse to start what is not installed or not there', async () => {
    const open = async (engine: RunSpec['engine']) => {
      const spec = { ...specFixture(), engine };
      return engines.openExecutor(spec, {
        runId: 'r',
        dir: home,
        framework: 'pyt' as const,
        step: () => 'deploy',
      });
    };
    expect((await rejection((await open({ kind: 'local' })).startServer(start))).code).toBe(
      'toolchain-missing',
    );
    const docker = { ...specFixture(), engine: { kind: 'docker', gpus: [], shmSizeMiB: 64 } as const };
    expect((await rejection(engines.check({ ...docker, engine: { ...docker.engine, gpus: [] } }))).code).toBe(
      'docker-unreachable',
    );
    const remote = await open({ kind: 'remote', url: 'http://127.0.0.1:1' });
    expect((await rejection(remote.startServer(start))).code).toBe('server-unreachable');
  });

  it('sweep a home without records', async () => {
    expect(await engines.sweep()).toMatchObject({ ended: [], removedContainers: [] });
  });
});

describe('address of a remote Triton', () => {
  it.each([
    ['http://h', 'h:8000', 'h:8001', false],
    ['http://h:9000/', 'h:9000', 'h:9001', false],
    ['http://h:80', 'h:80', 'h:81', false],
    ['http://[::1]:8000?grpcPort=7', '[::1]:8000', '[::1]:7', false],
    ['https://h', 'h:443', 'h:443', true],
    ['https://h:8000', 'h:8000', 'h:8001', true],
    ['https://h?grpcPort=8001', 'h:443', 'h:8001', true],
  ])('%s', (url, http, grpc, secure) => {
    expect(parseRemoteUrl(url)).toEqual({ http, grpc, secure });
  });

  it.each(['ftp://h', 'http://u:p@h', 'http://h/path', 'http://h?grpcPort=x', 'http://h?grpcPort=70000'])(
    'refuses %s',
    (url) => {
      expect(() => parseRemoteUrl(url)).toThrow(url.replace('u:p@', '***@'));
    },
  );
});

describe('command of the local Triton', () => {
  const input = {
    program: '/t',
    backends: '/b',
    repository: '/r',
    engineId: 'id',
    httpPort: undefined,
    grpcPort: 9,
  };

  it('binds every service to loopback, each by a text of its own', () => {
    const args = serverArguments(input);
    const addresses = args.filter((one) => one.includes('-address=')).map((one) => one.split('=')[1]);
    expect(addresses).toHaveLength(3);
    expect(new Set(addresses).size).toBe(3);
    for (const address of addresses) expect(address?.replace('ipv4:', '')).toMatch(/^127\./);
    expect(args).toContain('--http-port=0');
    expect(args).toContain('--grpc-port=9');
    expect(args).toContain('--model-control-mode=explicit');
    expect(args).toContain('--disable-auto-complete-config');
    expect(args.join()).not.toContain('trace');
    expect(serverArguments({ ...input, traceFile: '/t.json' })).toContain(
      '--trace-config=triton,file=/t.json',
    );
  });

  it('does not hand on what would change what runs', () => {
    const env = serverEnvironment({
      env: { PATH: '/usr/bin', LD_PRELOAD: '/evil.so', PYTHONHOME: '/x', OMP_NUM_THREADS: '2' },
      engineId: 'id',
      libraryPath: ['/l1', '/l2'],
      pythonBin: '/venv/bin',
      sitePackages: '/venv/lib/site-packages',
    });
    expect(env).toMatchObject({
      PATH: '/venv/bin:/usr/bin',
      LD_LIBRARY_PATH: '/l1:/l2',
      PYTHONPATH: '/venv/lib/site-packages',
      OMP_NUM_THREADS: '2',
    });
    expect(env['LD_PRELOAD']).toBeUndefined();
    expect(env['PYTHONHOME']).toBeUndefined();
  });

  it('hands on no key of a registry or cloud and no variable that loads code', () => {
    const canary = 'canary-4711';
    const secrets = [
      'NGC_API_KEY',
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_SESSION_TOKEN',
      'HF_TOKEN',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'LD_AUDIT',
      'LD_PRELOAD',
      'LD_LIBRARY_PATH',
      'PYTHONPATH',
      'PYTHONSTARTUP',
      'PYTHONINSPECT',
      'PYTHONBREAKPOINT',
      'CUDA_INJECTION64_PATH',
      'https_proxy',
      'NODE_OPTIONS',
    ];
    const kept = {
      HOME: '/home/me',
      TMPDIR: '/scratch',
      LANG: 'en_US.UTF-8',
      LC_ALL: 'C.UTF-8',
      CUDA_VISIBLE_DEVICES: '1',
      CUDA_DEVICE_ORDER: 'PCI_BUS_ID',
      NVIDIA_VISIBLE_DEVICES: 'all',
    };
    const env = serverEnvironment({
      env: { ...Object.fromEntries(secrets.map((name) => [name, canary])), ...kept, PATH: '/usr/bin' },
      engineId: 'id',
      libraryPath: ['/l1'],
      pythonBin: '/venv/bin',
      sitePackages: '/venv/site',
    });
    expect(JSON.stringify(env)).not.toContain(canary);
    expect(env).toEqual({
      ...kept,
      PATH: '/venv/bin:/usr/bin',
      LD_LIBRARY_PATH: '/l1',
      PYTHONPATH: '/venv/site',
      PYTHONNOUSERSITE: '1',
      PYTHONDONTWRITEBYTECODE: '1',
      ORT_DISABLE_TELEMETRY: '1',
      TRITON_WORKBENCH_ENGINE_ID: 'id',
    });
  });
});
