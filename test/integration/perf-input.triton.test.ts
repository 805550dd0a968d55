import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../main/contract/measured/results';
import { type LoadTool, loadTools, protocols } from '../../main/contract/run/run-spec';
import { createTritonClient } from '../../main/triton/client';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { startTestTriton, type TestTriton } from '../support/triton';

/** Answers with its input, and keeps the first value of every item; asked with -1, it tells what it has kept and forgets it. */
const keeps = (name: string, maxBatchSize: number) => ({
  name,
  setUp: 'self.seen = set()',
  execute: `firsts = [float(item) for item in values.reshape(${maxBatchSize === 0 ? '1' : 'values.shape[0]'}, -1)[:, 0]]
        if firsts[0] == -1:
            told, self.seen = np.array(sorted(self.seen)), set()
            return told.reshape(${maxBatchSize === 0 ? '-1' : '1, -1'})
        self.seen.add(sum(value * 10.0 ** at for at, value in enumerate(reversed(firsts))))
        return values.copy()`,
  maxBatchSize,
});

let home: TestHome;
let triton: TestTriton;
let dir: string;
beforeAll(async () => {
  home = await createTestHome();
  dir = await mkdtemp(join(tmpdir(), 'workbench-perf-input-'));
  triton = await startTestTriton([keeps('free', 0), keeps('batched', 8)]);
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
  await rm(dir, { recursive: true, force: true });
});

async function measured(
  ...args: string[]
): Promise<{ readonly points: LoadPoint[]; readonly code: number | null }> {
  const result = await cli(
    home.path,
    ...['perf', '--url', `http://${triton.httpAddress}`, '--grpc-url', triton.grpcAddress, '--json'],
    ...['--measurement-interval-ms', '300', '--warmup-ms', '100', '--max-trials', '3', ...args],
  );
  if (result.stdout === '') throw new Error(result.stderr);
  const { points } = JSON.parse(result.stdout) as { points: LoadPoint[] };
  return { points, code: result.code };
}

/** First values of the requests that the model has had since it was asked last; of a batch as the digits of one number. */
async function sentTo(model: 'free' | 'batched'): Promise<number[]> {
  const asking = new Float32Array(16).fill(-1);
  const shape = model === 'free' ? [16] : [1, 16];
  const reply = await createTritonClient(triton.httpAddress).infer({
    modelName: model,
    inputs: [{ name: 'INPUT', datatype: 'FP32', shape, data: Buffer.from(asking.buffer) }],
  });
  const data = Buffer.from(reply.outputs[0]?.data ?? []);
  return Array.from({ length: data.length / 4 }, (_unused, at) => data.readFloatLE(4 * at));
}

async function json(name: string, document: unknown): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, JSON.stringify(document));
  return path;
}
const item = (first: number) => [first, ...Array.from({ length: 15 }, () => 0)];

describe.each(loadTools)('%s sends every entry', (tool: LoadTool) => {
  it.each(protocols)('of a JSON file, of shapes of their own, over %s', async (protocol) => {
    const entries = [
      [1],
      { content: [2, 2], shape: [2] },
      { b64: Buffer.from(Float32Array.of(3).buffer).toString('base64') },
    ];
    const file = await json('free.json', { data: entries.map((INPUT) => ({ INPUT })) });
    await sentTo('free');
    const { points, code } = await measured(
      ...['--model', 'free', '--load-tool', tool, '--protocol', protocol],
      ...['--input-data', file, '--shape', 'INPUT:1'],
    );
    expect(code).toBe(0);
    expect(points[0]).toMatchObject({ loadTool: tool, errorCount: 0 });
    expect(await sentTo('free')).toEqual([1, 2, 3]);
  });

  it('as the next items of a batch', async () => {
    const file = await json('batched.json', { data: [1, 2, 3].map((first) => ({ INPUT: item(first) })) });
    await sentTo('batched');
    const { points } = await measured(
      ...['--model', 'batched', '--load-tool', tool, '--input-data', file, '--batch-sizes', '2'],
    );
    expect(points[0]).toMatchObject({ batchSize: 2, errorCount: 0 });
    expect(await sentTo('batched')).toEqual([12, 23, 31]);
  });
});

describe('the outputs', () => {
  it.each(protocols)('are compared with what the file expects, over %s', async (protocol) => {
    const data = [1, 2].map((first) => ({ INPUT: item(first) }));
    const right = await json('right.json', {
      data,
      validation_data: [1, 2].map((first) => ({ OUTPUT: item(first) })),
    });
    const wanted = [1, 9].map((first) => ({ OUTPUT: { content: item(first), shape: [16] } }));
    const wrong = await json('wrong.json', { data, validation_data: wanted });
    const of = ['--model', 'batched', '--protocol', protocol, '--input-data'];
    const [good] = (await measured(...of, right)).points;
    expect(good).toMatchObject({ errorCount: 0, outputChecks: { wrongCount: 0, finite: false } });
    expect(good?.outputChecks?.comparedCount).toBeGreaterThanOrEqual(2);
    expect(good?.outputChecks?.comparedCount).toBe(good?.outputChecks?.checkedCount);
    const [bad] = (await measured(...of, wrong)).points;
    expect(bad?.outputChecks?.wrongCount).toBeGreaterThanOrEqual(1);
    expect(bad?.outputChecks?.wrongCount).toBeLessThan(bad?.outputChecks?.checkedCount ?? 0);
    const [first] = bad?.wrongByKind ?? [];
    expect(first).toMatchObject({ kind: 'output differs', count: bad?.outputChecks?.wrongCount });
    expect(bad).toMatchObject({
      errorCount: 0,
      flags: expect.arrayContaining(['wrong-responses']) as unknown,
    });
    expect(first?.message).toBe(
      'OUTPUT: 1 of 16 values are outside the tolerance; worst at [0, 0]: 2 where 9 is expected, a difference of 7',
    );
  });

  it.each(protocols)('are to be finite where that is asked for, over %s', async (protocol) => {
    const file = await json('nan.json', {
      data: [{ INPUT: { b64: Buffer.from(Float32Array.of(NaN).buffer).toString('base64'), shape: [1] } }],
    });
    const of = ['--model', 'free', '--protocol', protocol, '--input-data', file];
    expect((await measured(...of)).points[0]).toMatchObject({ errorCount: 0 });
    const [point] = (await measured(...of, '--check-outputs', 'finite')).points;
    expect(point?.wrongByKind?.[0]?.kind).toBe('output not finite');
    expect((await measured(...of, '--check-outputs', 'none')).points[0]?.outputChecks).toBeUndefined();
  });
});

it('a file that is not right is refused before anything is sent, with the entry', async () => {
  const file = await json('short.json', { data: [{ INPUT: item(1) }, { INPUT: [1, 2] }] });
  const result = await cli(
    home.path,
    ...['perf', '--url', `http://${triton.httpAddress}`, '--model', 'batched', '--input-data', file],
  );
  expect(result.code).not.toBe(0);
  expect(result.stderr).toContain('INPUT has 2 values where FP32 [16] has 16');
  expect(result.stderr).toContain(`${file}: data[1], INPUT`);
});

it.each([
  [['--model', 'batched', '--shape', 'x:3'], 'No input is named "x"', 'The names are: INPUT.'],
  [
    ['--model', 'batches'],
    'has no model "batches"',
    /Did you mean batched\? The names are: (batched, free|free, batched)\./,
  ],
])('%j is refused with the names that there are', async (args, words, remedy) => {
  const result = await cli(home.path, 'perf', '--url', `http://${triton.httpAddress}`, ...args);
  expect(result.code).not.toBe(0);
  expect(result.stderr).toContain(words);
  expect(result.stderr).toMatch(remedy);
});
