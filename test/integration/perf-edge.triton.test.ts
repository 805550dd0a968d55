import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LoadPoint } from '../../main/contract/measured/results';
import type { LoadLevel } from '../../main/contract/run/sweep';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { startTestTriton, type TestTriton } from '../support/triton';

let home: TestHome;
let triton: TestTriton;
beforeAll(async () => {
  home = await createTestHome();
  triton = await startTestTriton([
    {
      name: 'slow',
      // One at a time: at most 200 requests a second.
      execute: `time.sleep(0.005)
        return values.copy()`,
      maxBatchSize: 0,
    },
  ]);
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
});

const edge = (...more: readonly string[]) =>
  cli(
    home.path,
    ...['perf', '--url', `http://${triton.httpAddress}`, '--grpc-url', triton.grpcAddress],
    ...['--model', 'slow', '--shape', 'INPUT:16', '--json', ...more],
  );

// A rate that another job interrupts is not kept: after five of them there is none.
it('raises the rate until the target fails, and holds one below it', async () => {
  const { code, stdout, stderr } = await edge(
    ...['--hold-edge', '2s', '--request-rate', '20', '--latency-threshold', '400'],
  );
  expect(code, stderr).toBe(0);
  const { points, found } = JSON.parse(stdout) as {
    readonly points: readonly LoadPoint[];
    readonly found: readonly LoadLevel[];
  };
  const rate = found[0]?.requestRate ?? 0;
  expect(rate).toBeGreaterThan(0);
  expect(rate).toBeLessThan(200);
  // The ramp is said, and not kept.
  expect(points.length).toBeLessThanOrEqual(5);
  expect(points.at(-1)?.requestRate).toBe(rate);
  expect(points.at(-1)?.scheduled?.p99Us).toBeLessThanOrEqual(400_000);
  expect(stderr).toMatch(/ramp: batch size 1, [\d.]+ requests\/s: p99/);
  expect(stderr).toMatch(/held for \d s with a p99 within 400 ms/);
});

it('needs a target, and begins at one rate', async () => {
  const without = await edge('--hold-edge');
  expect(without.code).toBe(2);
  expect(without.stderr).toContain('The edge needs a latency threshold');
  const several = await edge('--hold-edge', '--latency-threshold', '20', '--request-rate', '10,20');
  expect(several.code).toBe(2);
  expect(several.stderr).toContain('A ramp begins at one rate');
});
