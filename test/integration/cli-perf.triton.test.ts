import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../main/contract/measured/results';
import type { ServerHandle } from '../../main/engine/engine';
import { createLocalTriton } from '../../main/engine/local/local-triton';
import { loadAndCheckModel } from '../../main/engine/serving';
import { homeLayout } from '../../main/platform/layout';
import { createTritonClient } from '../../main/triton/client';
import { cli, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { tinyConfig, writeTinyRepository } from '../support/tiny-model';
import { until } from '../support/until';

let home: TestHome;
let server: ServerHandle;
beforeAll(async () => {
  home = await createTestHome();
  const repository = join(home.path, 'repository');
  await writeTinyRepository(repository);
  server = await createLocalTriton({
    layout: homeLayout(home.path),
    resources: 'resources',
    env: process.env,
  }).startServer({
    key: 'k',
    runId: 'perf-test',
    repository,
    logPath: join(home.path, 'triton.log'),
    signal: new AbortController().signal,
    onLog: () => undefined,
    onCommand: () => undefined,
  });
  const client = createTritonClient(server.httpAddress);
  await loadAndCheckModel({ client, modelName: 'tiny', modelVersion: '1', config: tinyConfig, load: true });
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

const perfOf = (...args: string[]) =>
  cli(
    home.path,
    ...['perf', '--url', `http://${server.httpAddress}`, '--grpc-url', server.grpcAddress],
    ...['--measurement-interval-ms', '300', '--warmup-ms', '100', '--json', ...args],
  );
const perf = (...args: string[]) => perfOf('--max-trials', '3', ...args);

describe('perf against a running Triton', () => {
  it.each([
    ['native', 'grpc'],
    ['native', 'http'],
    ['perf_analyzer', 'grpc'],
  ])('%s over %s measures every level', async (tool, protocol) => {
    const result = await perf(
      ...['--model', 'tiny', '--load-tool', tool, '--protocol', protocol],
      ...['--batch-sizes', '1,2', '--concurrency', '2'],
    );
    expect(result.code).toBe(0);
    const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
    expect(points.map((point) => [point.batchSize, point.concurrency])).toEqual([
      [1, 2],
      [2, 2],
    ]);
    for (const point of points) {
      expect(point).toMatchObject({ loadTool: tool, protocol, errorCount: 0 });
      expect(point.inferencesPerSecond).toBeGreaterThan(0);
      expect(point.p99Us).toBeGreaterThanOrEqual(point.p50Us ?? NaN);
    }
  });

  it('takes the names, times and addresses of perf_analyzer', async () => {
    const result = await cli(
      home.path,
      ...['perf', '-m', 'tiny', '-u', server.httpAddress, '--grpc-url', server.grpcAddress, '-x', '1'],
      ...['-b', '2', '--concurrency-range', '1:2', '-i', 'http', '-p', '0.3s', '--warmup-ms', '100ms'],
      ...['-r', '3', '--json', '--quiet'],
    );
    expect([result.code, result.stderr]).toEqual([0, '']);
    const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
    expect(points.map((point) => [point.batchSize, point.concurrency, point.protocol])).toEqual([
      [2, 1, 'http'],
      [2, 2, 'http'],
    ]);
  });

  it('searches the request rates under a latency, and keeps every level that it tried', async () => {
    const result = await perf(
      ...['--model', 'tiny', '--request-rate', '20:80:20', '--request-distribution', 'poisson'],
      ...['--search', 'binary', '--latency-threshold', '10000'],
    );
    expect(result.code).toBe(0);
    const { points, found } = JSON.parse(result.stdout) as {
      points: LoadPoint[];
      found: { requestRate: number }[];
    };
    // All are within ten seconds: both ends are enough.
    expect(points.map((point) => point.requestRate)).toEqual([20, 80]);
    expect(points.every((point) => point.scheduled !== undefined)).toBe(true);
    expect(found).toMatchObject([{ requestRate: 80 }]);
  });

  it('measures several levels in turns: three windows each, with the other level in between', async () => {
    const result = await perfOf('--model', 'tiny', '--concurrency', '1:2');
    expect(result.code).toBe(0);
    const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
    expect(points.map(({ concurrency, turns }) => [concurrency, turns])).toEqual([
      [1, 3],
      [2, 3],
    ]);
    for (const { windows, requestCount, throughputIntervalIps, latencyIntervals, elapsedUs } of points) {
      expect(windows).toHaveLength(3);
      // The level is what its windows are together.
      expect(windows.reduce((sum, window) => sum + (window.requestCount ?? 0), 0)).toBe(requestCount);
      expect(throughputIntervalIps).not.toBeNull();
      expect(latencyIntervals?.avgUs).toBeGreaterThan(0);
      expect(latencyIntervals?.p50Us).toBeGreaterThanOrEqual(0);
      const starts = windows.map((window) => window.startUs ?? NaN);
      const lengths = windows.map((window) => window.durationUs ?? NaN);
      expect(starts[0]).toBe(0);
      // A whole window of the other level lies in between.
      for (const index of [1, 2]) {
        const gapUs = (starts[index] ?? NaN) - (starts[index - 1] ?? NaN) - (lengths[index - 1] ?? NaN);
        expect(gapUs).toBeGreaterThan(300_000);
      }
      expect(elapsedUs).toBeGreaterThan(lengths.reduce((sum, length) => sum + length, 0));
    }
    expect(result.stderr).toMatch(/each level: warm-up [\d,]+ ms, discarded, then windows of [\d,]+ ms/);
    expect(result.stderr).toContain('2 levels in turns: 3 rounds');
    expect(result.stderr).toContain('concurrency 2, round 1:');
  });

  it('measures each level by itself where that is asked for', async () => {
    const result = await perfOf(
      '--model',
      'tiny',
      '--batch-sizes',
      '1,2',
      '--concurrency',
      '1',
      '--no-in-turns',
    );
    expect(result.code).toBe(0);
    const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
    expect(points.map(({ turns }) => turns)).toEqual([undefined, undefined]);
  });

  it('measures round after round', async () => {
    const result = await perf('--model', 'tiny', '--concurrency', '1:2', '--repeats', '2');
    const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
    expect(points.map((point) => [point.concurrency, point.repeat])).toEqual([
      [1, 1],
      [2, 1],
      [1, 2],
      [2, 2],
    ]);
  });

  it.each([
    ['a range without an end', ['--model', 'tiny', '--request-rate', '5:1'], 2, 'input-invalid'],
    ['a search without a latency', ['--model', 'tiny', '--search', 'binary'], 2, 'input-invalid'],
    ['a model that is not served', ['--model', 'nothing'], 1, 'model-not-ready'],
    [
      'another machine without the word',
      ['--model', 'tiny', '--url', 'http://192.0.2.1:8000'],
      2,
      'input-invalid',
    ],
    ['an unknown load tool', ['--model', 'tiny', '--load-tool', 'ab'], 2, 'input-invalid'],
    ['a batch that is no number', ['--model', 'tiny', '--batch-sizes', 'x'], 2, 'input-invalid'],
  ])('refuses %s', async (_name, args, code, error) => {
    const result = await perf(...args);
    expect(result.code).toBe(code);
    expect((JSON.parse(result.stdout) as { error: { code: string } }).error.code).toBe(error);
  });
});

describe('perf beside GPUs of this machine', () => {
  const uuid = 'GPU-6f1f3f6c-2f5e-7c0e-4d0d-0d9c6f0c7a11';
  const metricsText = `nv_gpu_utilization{gpu_uuid="${uuid}"} 0.5
nv_gpu_power_usage{gpu_uuid="${uuid}"} 60
nv_gpu_memory_used_bytes{gpu_uuid="${uuid}"} 1000
nv_gpu_memory_total_bytes{gpu_uuid="${uuid}"} 4000
nv_cpu_utilization 0.25
`;
  let metrics: Server;
  let path: string;
  beforeAll(async () => {
    metrics = createServer((_request, response) => {
      response.end(metricsText);
    });
    await new Promise<void>((resolve) => metrics.listen(0, '127.0.0.1', resolve));
    const programs = join(home.path, 'recorded');
    await mkdir(programs);
    // A line as nvidia-smi prints it, again and again: what a T4 at its power limit says.
    const line = `${uuid}, 97, 2048, 15360, 68.31, 1350, 0x0000000000000004`;
    await writeFile(join(programs, 'nvidia-smi'), `#!/bin/sh\nwhile echo '${line}'; do sleep 0.1; done\n`, {
      mode: 0o755,
    });
    path = `PATH=${programs}:${process.env['PATH'] ?? ''}`;
  });
  afterAll(() => {
    metrics.close();
  });

  const measure = (...args: string[]) =>
    startCli(
      home.path,
      [
        ...['perf', '--url', `http://${server.httpAddress}`, '--grpc-url', server.grpcAddress],
        ...['--metrics-url', `127.0.0.1:${(metrics.address() as AddressInfo).port}`, '--model', 'tiny'],
        ...['--measurement-interval-ms', '300', '--warmup-ms', '100', ...args],
      ],
      ['env', path],
    ).result;

  it.each([
    ['level by level', ['--max-trials', '3', '--concurrency', '2']],
    ['levels in turns', ['--concurrency', '1:2']],
  ])('has their readings at each level: %s', async (_what, args) => {
    const result = await measure('--json', ...args);
    expect(result.code, result.stderr).toBe(0);
    const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
    expect(points.length).toBeGreaterThan(0);
    for (const { gpus, flags } of points) {
      expect(gpus).toEqual([
        {
          uuid,
          utilization: expect.closeTo(0.97) as number,
          powerW: expect.closeTo(68.31) as number,
          maxMemoryBytes: 2048 * 1024 ** 2,
          totalMemoryBytes: 15360 * 1024 ** 2,
          smClockMHz: 1350,
          throttledShare: 1,
          throttledBy: ['power limit'],
        },
      ]);
      expect(flags).toContain('clocks-throttled');
    }
  });

  it('shows them in a table', async () => {
    const result = await measure('--max-trials', '3');
    expect(result.code).toBe(0);
    expect(result.stdout).toContain('Throttled by');
    expect(result.stdout).toMatch(new RegExp(`${uuid} +97[.]0 % +68[^\n]*power limit`));
  });
});

describe('what perf measured is a run', () => {
  const quick = ['--model', 'tiny', '--max-trials', '3', '--concurrency', '2'] as const;
  const runOf = async (...args: string[]): Promise<Document> =>
    JSON.parse((await cli(home.path, ...args, '--json')).stdout) as Document;
  interface Document {
    readonly runId: string;
    readonly status: string;
    readonly online: readonly LoadPoint[];
  }

  it('in the list, comparable with the one before, shown and reported', async () => {
    const first = JSON.parse((await perfOf(...quick)).stdout) as Document;
    const second = JSON.parse((await perfOf(...quick, '--p99-budget-ms', '10000')).stdout) as Document;
    const { runs } = (await runOf('runs')) as unknown as { runs: (Document & { onServer: string })[] };
    expect(runs.slice(0, 2).map(({ runId, status, onServer }) => [runId, status, onServer])).toEqual([
      [second.runId, 'done', server.httpAddress],
      [first.runId, 'done', server.httpAddress],
    ]);

    const compared = await cli(home.path, 'compare', 'latest~1', 'latest', '--fail-if', 'throughput<0.0001x');
    // Within, or on a busy machine not steady enough to tell; never outside, and never without a common level.
    expect([0, 4], compared.stderr).toContain(compared.code);
    expect(compared.stdout).toContain('throughput<0.0001x: ');
    expect(compared.stdout).not.toContain('no level in common');
    const against = await cli(home.path, 'compare', 'published', 'latest');
    expect(against.stderr).toContain('No published figures match');

    const shown = await cli(home.path, 'show', 'latest');
    expect(shown.stdout).toContain(`Measured on a running server: tiny at ${server.httpAddress}.`);
    expect(shown.stdout).toMatch(/(a p99 of|within) 10,000 ms/);

    const reported = await cli(home.path, 'report', 'latest', '--json');
    expect(reported.code, reported.stderr).toBe(0);
    const { reports } = JSON.parse(reported.stdout) as { reports: { kind: string; path: string }[] };
    const html = await readFile(reports.find(({ kind }) => kind === 'html')?.path ?? '', 'utf8');
    expect(html).toContain('tiny · running Triton');
    expect(html).toMatch(/(a p99 of|within) 10,000 ms/);
    expect(html).not.toContain('ONNX');
  });

  it('resumed after kill -9 with every level once, and never changed', async () => {
    const killed = startCli(home.path, [
      ...['perf', '--url', server.httpAddress, '--grpc-url', server.grpcAddress, '--model', 'tiny'],
      ...['--measurement-interval-ms', '300', '--warmup-ms', '100', '--max-trials', '3'],
      ...['--concurrency', '1:3', '--json'],
    ]);
    let output = '';
    killed.child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await until('the first level is measured', () => output.includes('concurrency 1: '));
    killed.child.kill('SIGKILL');
    await killed.result;
    const before = await runOf('show', 'latest');
    expect(before.status).toBe('interrupted');
    expect(before.online.length).toBeGreaterThan(0);

    const changed = await cli(home.path, 'resume', 'latest', '--set', 'performance.protocol=http');
    expect(changed.code).toBe(2);
    expect(changed.stderr).toContain('cannot be changed');
    expect((await cli(home.path, 'resume', 'latest')).code).toBe(0);
    const after = await runOf('show', 'latest');
    expect(after).toMatchObject({ runId: before.runId, status: 'done' });
    expect(after.online.map(({ concurrency }) => concurrency)).toEqual([1, 2, 3]);
    for (const [index, point] of before.online.entries()) expect(after.online[index]).toEqual(point);
  });

  it('is not there where nothing could be measured', async () => {
    const count = async () => ((await runOf('runs')) as unknown as { runs: unknown[] }).runs.length;
    const before = await count();
    expect((await perfOf('--model', 'nothing')).code).not.toBe(0);
    expect((await perfOf('--model', 'tiny', '--input-data', '/not/there.npz')).code).not.toBe(0);
    expect(await count()).toBe(before);
  });
});

describe('perf with system shared memory', () => {
  const filesOf = async (pid: number | undefined) =>
    (await readdir('/dev/shm')).filter((name) => name.startsWith(`triton-workbench-${pid}-`));

  it('leaves its files when it is killed, and the next start removes them', async () => {
    const killed = startCli(home.path, [
      ...['perf', '--url', `http://${server.httpAddress}`, '--grpc-url', server.grpcAddress],
      ...['--model', 'tiny', '--shared-memory', 'system', '--warmup-ms', '60000', '--json'],
    ]);
    await until('the files are there', async () => (await filesOf(killed.child.pid)).length === 2);
    killed.child.kill('SIGKILL');
    await killed.result;
    expect(await filesOf(killed.child.pid)).toHaveLength(2);
    expect((await perf('--model', 'tiny')).code).toBe(0);
    expect(await filesOf(killed.child.pid)).toEqual([]);
  });
});
