import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../main/contract/measured/results';
import { cli } from '../support/cli';
import { startGuardedProxy } from '../support/guarded-proxy';
import { createTestHome, type TestHome } from '../support/home';
import { startTestTriton, type TestTriton } from '../support/triton';

let home: TestHome;
let server: TestTriton;
beforeAll(async () => {
  home = await createTestHome();
  server = await startTestTriton([{ name: 'echo', execute: 'return values * 2', maxBatchSize: 4 }]);
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

describe('perf behind a gateway that asks for a header', () => {
  const token = 'Bearer s3cr3t-token';
  const load = ['--model', 'echo', '--max-trials', '3', '--concurrency', '2'] as const;
  const windows = ['--measurement-interval-ms', '300', '--warmup-ms', '100', '--json'] as const;

  it.each(['http', 'grpc'])(
    'sends it with every request over %s, and keeps its value nowhere',
    async (protocol) => {
      const gateway = await startGuardedProxy(server, token);
      const { httpAddress, grpcAddress } = gateway;
      const at = [
        'perf',
        '-u',
        httpAddress,
        '--grpc-url',
        grpcAddress,
        '--protocol',
        protocol,
        ...load,
        ...windows,
      ];
      try {
        const without = await cli(home.path, ...at);
        expect(without.code).not.toBe(0);
        expect(without.stdout + without.stderr).toMatch(/unauthorized|401/);
        const refused = gateway.refused();
        const result = await cli(home.path, ...at, '-H', `Authorization: ${token}`);
        expect(result.code, result.stderr).toBe(0);
        expect(gateway.refused()).toBe(refused);
        const { points, runId } = JSON.parse(result.stdout) as { points: LoadPoint[]; runId: string };
        expect(points).toMatchObject([{ protocol, errorCount: 0 }]);
        expect(result.stdout + result.stderr).not.toContain('s3cr3t');
        const folder = join(home.path, 'runs', runId);
        for (const name of await readdir(folder, { recursive: true })) {
          const text = await readFile(join(folder, name), 'utf8').catch(() => '');
          expect(text).not.toContain('s3cr3t');
        }
        const resumed = await cli(home.path, 'resume', runId);
        expect(resumed.code).toBe(2);
        expect(resumed.stderr).toContain('Authorization, whose value is not kept');
        expect((await cli(home.path, 'resume', runId, '-H', `authorization: ${token}`)).code).toBe(0);
      } finally {
        await gateway.stop();
      }
    },
  );

  it.each([
    ['a header without a name', ['-H', ': x']],
    ['one of the request itself', ['-H', 'Content-Length: 3']],
    ['a value with a line break', ['-H', 'X-A: one\r\nX-B: s3cr3t']],
    [
      'perf_analyzer, whose command line everybody can read',
      ['-H', 'X-A: s3cr3t', '--load-tool', 'perf_analyzer'],
    ],
  ])('refuses %s, and says no value', async (_what, args) => {
    const at = ['-u', server.httpAddress, '--grpc-url', server.grpcAddress];
    const result = await cli(home.path, 'perf', ...at, ...load, ...windows, ...args);
    expect(result.code).toBe(2);
    expect(result.stdout + result.stderr).not.toContain('s3cr3t');
  });
});
