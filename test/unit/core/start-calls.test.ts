import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emptyReach, type Reach } from '../../../main/contract/reach';
import type { RunSpec } from '../../../main/contract/run/run-spec';
import type { Core } from '../../../main/core';
import { askedJobs, passedPreflight, withUsualRelease } from '../../../main/core/start-calls';
import type { RunPreflight } from '../../../main/engine/docker/run-preflight';
import { homeLayout } from '../../../main/platform/layout';
import { rejection } from '../../support/rejection';
import { createTestCore } from '../../support/test-core';

let home: string;
let core: Core;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-start-'));
  core = await createTestCore(home);
});
afterEach(async () => {
  await core.close();
  await rm(home, { recursive: true, force: true });
});

/** Empty files where the tools would be: enough for the look at the home, which starts none of them. */
async function pretendTools(): Promise<void> {
  const layout = homeLayout(home);
  const stub = join(layout.tritonBackends, 'python', 'triton_python_backend_stub');
  for (const path of [
    layout.python,
    layout.tritonServer,
    stub,
    layout.libraryPathFile,
    layout.perfAnalyzer,
  ]) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
  }
}

const runsOnDisk = () => readdir(join(home, 'runs')).catch(() => []);

/** A port of the loopback address that somebody listens on, until `close`. */
async function takenPort(): Promise<{ readonly port: number; close: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        // A client's own end of a connection that was given up may come late.
        for (const socket of sockets) socket.destroy();
      }),
  };
}

describe('a preflight with problems', () => {
  const [driver, disk] = (['driver', 'disk'] as const).map((id) => ({
    ...{ id, title: `The ${id}`, finding: 'Too little.', remedy: null },
    status: 'problem' as const,
  }));
  const spec = () =>
    core.handlers['presets.resolve']({
      preset: 'resnet50',
      overrides: { engine: { kind: 'docker', gpus: ['all'] } },
    });
  const refused = async (problems: RunPreflight['problems'], how: Parameters<typeof passedPreflight>[2]) => {
    const given = await spec();
    try {
      return passedPreflight(given, { reason: null, problems }, how);
    } catch (error) {
      return error;
    }
  };

  it('is refused for what nobody has passed over yet, and marks the run for the rest', async () => {
    if (driver === undefined || disk === undefined) throw new Error('the checks of this test');
    expect(await refused([driver], {})).toMatchObject({ code: 'engine-unavailable' });
    expect(await refused([driver], { passed: [driver.title] })).toMatchObject({
      skipped: true,
      problems: [{ title: driver.title, finding: driver.finding }],
    });
    expect(await refused([driver, disk], { passed: [driver.title] })).toMatchObject({ code: 'disk-full' });
    expect(await refused([driver, disk], { skipPreflight: true })).toMatchObject({ skipped: true });
    expect(await refused([], { passed: [driver.title] })).toMatchObject({ skipped: false, problems: [] });
  });
});

describe('the release of the settings', () => {
  const engine = { kind: 'docker', gpus: ['all'] };
  const release = (spec: RunSpec, value: string): unknown => {
    const { engine: of } = withUsualRelease(spec, { 'deployment.release': value });
    return of.kind === 'docker' ? of.release : null;
  };

  it('is taken where the run names none and Triton of it serves the format', async () => {
    const spec = await core.handlers['presets.resolve']({ preset: 'resnet50', overrides: { engine } });
    expect(release(spec, '26.07')).toBe('26.07');
    expect(release({ ...spec, format: 'pt2' }, '26.07')).toBe('26.07');
    expect(release({ ...spec, format: 'pt2' }, '25.01')).toBeUndefined();
    const named = await core.handlers['presets.resolve']({
      preset: 'resnet50',
      overrides: { engine: { ...engine, release: '25.01' } },
    });
    expect(release(named, '26.07')).toBe('25.01');
  });

  it('is not taken for a SavedModel that no newer Triton serves', async () => {
    const spec = await core.handlers['presets.resolve']({
      preset: 'wide-and-deep',
      overrides: { engine, format: 'tf-savedmodel' },
    });
    expect(release(spec, '26.07')).toBeUndefined();
    expect(release(spec, '24.12')).toBe('24.12');
  });
});

describe('a home without tools', () => {
  it('refuses to start a local run, and no run is created that would fail at Deploy', async () => {
    const spec = await core.handlers['presets.resolve']({ preset: 'resnet50', overrides: {} });
    expect(spec.engine.kind).toBe('local');
    const error = await rejection(core.handlers['runs.start']({ spec }));
    expect(error.code).toBe('toolchain-missing');
    expect(error.message).toContain('Triton');
    expect(await runsOnDisk()).toEqual([]);
    expect((await core.handlers['runs.all'](undefined)).runs).toEqual([]);
  });

  it('names the engine as the field, and the actions that are possible there', async () => {
    const spec = await core.handlers['presets.resolve']({ preset: 'resnet50', overrides: {} });
    const [problem] = await core.handlers['runs.check']({ spec });
    expect(problem).toMatchObject({ field: 'engine.kind', severity: 'problem', fixes: ['install-tools'] });
    expect(problem?.remedy).toContain('Install the missing tools');
  });

  it('is a problem of the machine too, so that the Environment page cannot say that none was found', async () => {
    const { checks, tools } = await core.handlers['machine.check']({});
    expect(tools).toEqual({ missing: ['python', 'triton', 'perf-analyzer'], installable: true });
    expect(checks.find(({ id }) => id === 'tools')).toMatchObject({ status: 'problem' });
  });

  it('refuses Docker that does not answer, and offers no local Triton that is missing too', async () => {
    const spec = await core.handlers['presets.resolve']({
      preset: 'resnet50',
      overrides: { engine: { kind: 'docker' } },
    });
    const found = await core.handlers['runs.check']({ spec });
    expect(found[0]).toMatchObject({ field: 'engine.kind', code: 'docker-unreachable', fixes: [] });
    expect((await rejection(core.handlers['runs.start']({ spec }))).code).toBe('docker-unreachable');
  });
});

describe('a home with its tools', () => {
  beforeEach(pretendTools);

  it('has nothing against the defaults', async () => {
    expect(
      await core.handlers['runs.check']({
        spec: await core.handlers['presets.resolve']({ preset: 'resnet50', overrides: {} }),
      }),
    ).toEqual([]);
  });

  it('refuses a fixed port that is taken before a run is created, and names the field and who has it', async () => {
    const taken = await takenPort();
    try {
      const spec = await core.handlers['presets.resolve']({
        preset: 'resnet50',
        overrides: { engine: { kind: 'local', grpcPort: taken.port } },
      });
      const [problem] = await core.handlers['runs.check']({ spec });
      expect(problem).toMatchObject({
        field: 'engine.grpcPort',
        code: 'port-taken',
        severity: 'problem',
        fixes: ['use-free-port'],
      });
      expect(problem?.message).toContain(`process ${process.pid}`);
      const error = await rejection(core.handlers['runs.create']({ spec }));
      expect(error).toMatchObject({ code: 'port-taken', where: `127.0.0.1:${taken.port}` });
      expect(await runsOnDisk()).toEqual([]);
    } finally {
      await taken.close();
    }
  });

  it('names the monitor where it watches the very address', async () => {
    const taken = await takenPort();
    try {
      const url = `localhost:${taken.port}`;
      await core.handlers['monitor.start']({ url, metricsUrl: '' });
      const spec = await core.handlers['presets.resolve']({
        preset: 'resnet50',
        overrides: { engine: { kind: 'local', httpPort: taken.port } },
      });
      const [problem] = await core.handlers['runs.check']({ spec });
      expect(problem?.message).toBe(
        `Port ${taken.port} is in use: the Triton that the monitor watches at ${url} listens on it`,
      );
    } finally {
      await core.handlers['monitor.stop'](undefined);
      await taken.close();
    }
  });

  it('accepts a port that has become free again', async () => {
    const taken = await takenPort();
    await taken.close();
    const spec = await core.handlers['presets.resolve']({
      preset: 'resnet50',
      overrides: { engine: { kind: 'local', httpPort: taken.port } },
    });
    expect(await core.handlers['runs.check']({ spec })).toEqual([]);
  });

  it('refuses a remote server that does not answer before anything is exported', async () => {
    const taken = await takenPort();
    await taken.close();
    const spec = await core.handlers['presets.resolve']({
      preset: 'resnet50',
      overrides: {
        engine: { kind: 'remote', url: `localhost:${taken.port}` },
      },
    });
    expect(spec.engine).toMatchObject({ url: `http://localhost:${taken.port}` });
    const [problem] = await core.handlers['runs.check']({ spec });
    expect(problem).toMatchObject({ field: 'engine.url', code: 'server-unreachable', severity: 'problem' });
    expect((await rejection(core.handlers['runs.create']({ spec }))).code).toBe('server-unreachable');
    expect(await runsOnDisk()).toEqual([]);
  });

  it('refuses perf_analyzer where it is missing, at the field of the load tool', async () => {
    await rm(homeLayout(home).perfAnalyzer);
    const spec = await core.handlers['presets.resolve']({
      preset: 'resnet50',
      overrides: { performance: { loadTool: 'perf_analyzer' } },
    });
    const [problem] = await core.handlers['runs.check']({ spec });
    expect(problem).toMatchObject({ field: 'performance.loadTool', code: 'toolchain-missing' });
  });
});

it('asks no Kubernetes cluster for its rights before somebody agreed to it', async () => {
  const asked: string[] = [];
  const jobs = {
    refusal: ({ kind }: RunSpec['engine']) => {
      asked.push(kind);
      return Promise.resolve(null);
    },
  };
  const engine: RunSpec['engine'] = { kind: 'kubernetes', context: 'prod' };
  const missing = (reach: Reach) => Promise.resolve(reach);
  expect(await askedJobs({ jobs, approvals: { missing } }).refusal(engine)).toBeNull();
  expect(asked).toEqual([]);
  await askedJobs({ jobs, approvals: { missing: () => Promise.resolve(emptyReach) } }).refusal(engine);
  await askedJobs({ jobs, approvals: { missing } }).refusal({ kind: 'local' });
  expect(asked).toEqual(['kubernetes', 'local']);
});
