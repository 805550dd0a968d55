import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { coldRows, notReachedText } from '../../main/domain/measured/cold/cold-start';
import { trialOf } from '../../main/domain/measured/cold/warm-up-trial';
import type { Executor } from '../../main/engine/engine';
import { createLocalTriton } from '../../main/engine/local/local-triton';
import { warmUpRequests } from '../../main/formats/warm-up';
import { homeLayout } from '../../main/platform/layout';
import { tryWarmUp } from '../../main/studies/search/warm-up-trial';
import { type ModelConfig, modelConfigSchema } from '../../main/triton/model-config';
import { createTestHome, type TestHome } from '../support/home';

/** Pays once for each new number of items that it executes at a time. */
const plantedUs = 300_000;
const source = `import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        self.seen = set()

    def execute(self, requests):
        inputs = [pb_utils.get_input_tensor_by_name(request, "INPUT").as_numpy() for request in requests]
        items = sum(values.shape[0] for values in inputs)
        if items not in self.seen:
            self.seen.add(items)
            time.sleep(${plantedUs / 1e6})
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT", values)]) for values in inputs]
`;

const config: ModelConfig = modelConfigSchema.parse({
  ...{ name: 'late', backend: 'python', maxBatchSize: 8 },
  input: [{ name: 'INPUT', dataType: 'TYPE_FP32', dims: [4] }],
  output: [{ name: 'OUTPUT', dataType: 'TYPE_FP32', dims: [4] }],
  instanceGroup: [{ count: 1, kind: 'KIND_CPU' }],
});
const sizes = [1, 4, 8];
const warmUp = [1, 4];

let home: TestHome;
let dir: string;
let engine: Pick<Executor, 'startServer'>;
beforeAll(async () => {
  home = await createTestHome();
  dir = await mkdtemp(join(tmpdir(), 'workbench-cold-'));
  await mkdir(join(dir, 'files'));
  await writeFile(join(dir, 'files', 'model.py'), source);
  engine = createLocalTriton({ layout: homeLayout(home.path), resources: 'resources', env: process.env });
});
afterAll(async () => {
  await rm(dir, { recursive: true, force: true });
  await home.remove();
});

const variantOf = (modelWarmup: ModelConfig['modelWarmup']) => ({
  ...{ name: 'late', version: 1, files: join(dir, 'files') },
  check: { canary: null, anyValues: true, atol: {}, rtol: {}, maxMismatch: {} },
  configOf: (name: string): ModelConfig => ({
    ...config,
    name,
    ...(modelWarmup === undefined ? {} : { modelWarmup }),
  }),
});

it('finds the cold start at each batch size, that a warm-up takes it away, and where it does not reach', async () => {
  const asked = { warmup: 'zero' as const, warmupBatchSizes: warmUp, preferredBatchSizes: [] };
  const trial = await tryWarmUp({
    ...{ kind: 'zero', warmUp, rounds: 3, sizes, name: 'late', dir },
    before: variantOf(undefined),
    after: variantOf(warmUpRequests(asked, config)),
    startServer: (start) => engine.startServer(start),
    signal: new AbortController().signal,
  });
  for (const { firstUs } of trial.before.requests) {
    expect(Math.min(...firstUs)).toBeGreaterThanOrEqual(plantedUs);
  }
  const tried = trialOf({ warmUpTrial: trial });
  expect(tried?.rows.map(({ batchSize, effect }) => [batchSize, effect])).toEqual([
    [1, 'gone'],
    [4, 'gone'],
    [8, 'not-reached'],
  ]);
  expect(tried?.lines).toContain(notReachedText([8]));

  // As a run records it, beside its levels.
  const steady = (tried?.rows ?? []).map(({ batchSize, steadyUs: p50Us }) => ({
    batchSize,
    p50Us,
    p99Us: p50Us,
  }));
  const firstsOf = (side: typeof trial.before) =>
    side.requests.map(({ batchSize, firstUs: [firstUs = 0] }) => ({ batchSize, firstUs }));
  const known = { key: 'k', loads: 'shared' as const, startUs: null, loadUs: null, readyUs: null };
  const cold = (side: typeof trial.before, warmed: number[]) =>
    coldRows({ ...known, requests: firstsOf(side), warmUp: warmed }, steady).map(({ isCold }) => isCold);
  expect(cold(trial.before, [])).toEqual([true, true, true]);
  expect(cold(trial.after, warmUp)[2]).toBe(true);
}, 60_000);
