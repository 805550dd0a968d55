import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../main/contract/measured/results';
import { wayText } from '../../main/contract/measured/sent/way';
import { type BareInferenceServer, startBareInferenceServer } from '../support/bare-inference-server';
import { cli } from '../support/cli';
import { type DelayingGateway, startDelayingGateway } from '../support/delaying-gateway';
import { createTestHome, type TestHome } from '../support/home';
import { startTestTriton, type TestTriton } from '../support/triton';

let home: TestHome;
let triton: TestTriton;
let gateway: DelayingGateway;
let bare: BareInferenceServer;
beforeAll(async () => {
  home = await createTestHome();
  triton = await startTestTriton([{ name: 'echo', execute: 'return values', maxBatchSize: 8 }]);
  gateway = await startDelayingGateway(triton.httpAddress, 5);
  bare = await startBareInferenceServer({ chunked: true });
});
afterAll(async () => {
  await gateway.close();
  await bare.close();
  await triton.stop();
  await home.remove();
});

const quick = ['--warmup-ms', '50', '--max-trials', '3', '--stability-percentage', '500'];

async function perf(...args: string[]) {
  const { code, stdout, stderr } = await cli(home.path, 'perf', ...args, ...quick, '--json');
  const { points = [], runId } = JSON.parse(stdout) as { points?: LoadPoint[]; runId: string };
  return { code, said: stderr, point: points[0], runId };
}

describe('a gateway that adds 5 ms and answers in chunks', () => {
  it('is a row of its own, and what it adds is in the first byte', async () => {
    const { code, said, point } = await perf(
      ...['--url', `http://${triton.httpAddress}`, '--via', `http://${gateway.address}`],
      ...['--model', 'echo', '--measurement-interval-ms', '100', '--http-compression', 'gzip'],
    );
    expect(code, said).toBe(0);
    const { way, compression } = point ?? {};
    expect(way === undefined ? '' : wayText(way)).toContain(
      `Through http://${gateway.address} the mean latency is`,
    );
    expect(compression).toBe('gzip');
    expect(way).toMatchObject({ errorCount: 0, httpVersion: '1.1' });
    expect(way?.pairs).toBeGreaterThanOrEqual(6);
    const rows = new Map(way?.rows.map((row) => [row.part, row]));
    expect([...rows.keys()]).toEqual([
      ...['connect', 'send', 'first-byte', 'receive', 'latency', 'p99', 'throughput'],
    ]);
    const [firstByte, latency] = [rows.get('first-byte'), rows.get('latency')];
    expect(latency?.half).not.toBeNull();
    expect((latency?.difference ?? 0) - (latency?.half ?? 0)).toBeGreaterThan(0);
    expect(firstByte?.difference).toBeGreaterThan((latency?.difference ?? 0) / 2);
    // Direct, with the counters of Triton.
    expect(point?.serverComputeInferUs).toBeGreaterThan(0);
  });
});

describe('a server that has only the Open Inference Protocol', () => {
  it('is measured to the report, with its name, JSON tensors and without counters', async () => {
    const { code, said, point, runId } = await perf(
      ...['--url', `http://${bare.address}`, '--model', 'double', '--measurement-interval-ms', '200'],
    );
    expect(code, said).toBe(0);
    expect(point).toMatchObject({
      ...{ jsonTensors: true, serverQueueUs: null, serverComputeInferUs: null, meanServerBatch: null },
      outputChecks: { wrongCount: 0 },
    });
    expect(point?.flags).not.toContain('server-restarted');
    const { stdout } = await cli(home.path, 'report', runId, '--json');
    const { reports } = JSON.parse(stdout) as { readonly reports: readonly { readonly path: string }[] };
    const markdown = reports.find(({ path }) => path.endsWith('.md'))?.path ?? '';
    expect(await readFile(markdown, 'utf8')).toContain('bare 1.0');
    const shown = await cli(home.path, 'show', runId);
    expect(shown.stdout).toContain('bare 1.0');
  });
});
