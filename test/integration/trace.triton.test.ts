import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SlowRequests } from '../../main/contract/measured/slow-requests';
import type { Tracing } from '../../main/contract/measured/trace-setting';
import { longestOf, type SlowLevel } from '../../main/domain/measured/slow/slow-text';
import { localTraces } from '../../main/engine/local/local-traces';
import { endTracing, recordTrace } from '../../main/engine/record-trace';
import { readSlowRequests } from '../../main/perf/trace/read-slow-requests';
import { createTritonClient } from '../../main/triton/client';
import { readTraceSetting, traceNext } from '../../main/triton/trace-setting';
import { cli, documentOf } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { startTestTriton, type TestTriton } from '../support/triton';

const step = (model: string, from: string, to: string) =>
  `{ model_name: "${model}" model_version: -1 input_map { key: "INPUT" value: "${from}" } output_map { key: "OUTPUT" value: "${to}" } }`;
const tensor = (side: string, name: string) =>
  `${side} [ { name: "${name}" data_type: TYPE_FP32 dims: [ 16 ] } ]`;
const whole = `name: "whole"
platform: "ensemble"
max_batch_size: 4
${tensor('input', 'INPUT')}
${tensor('output', 'OUTPUT')}
ensemble_scheduling { step [ ${step('quick', 'INPUT', 'between')}, ${step('slow', 'between', 'OUTPUT')} ] }
`;
const slowAnswer = `time.sleep(0.03)
        return -values`;

let dir: string;
let home: TestHome;
let triton: TestTriton;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-traces-'));
  home = await createTestHome();
  triton = await startTestTriton(
    [
      { name: 'quick', execute: 'return values * 2', maxBatchSize: 4, outputElements: 16 },
      { name: 'slow', execute: slowAnswer, maxBatchSize: 4, outputElements: 16 },
      { name: 'whole', config: whole },
    ],
    [`--trace-config=triton,file=${join(dir, 'trace.json')}`],
  );
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
  await rm(dir, { recursive: true, force: true });
});

const server = () => ({ address: triton.httpAddress });
const settings = () => Promise.all([readTraceSetting(server(), 'whole'), readTraceSetting(server(), null)]);
/** Of several requests at a time one waits for the other as long as it is executed itself. */
const isOfSlow = (slow: SlowRequests | undefined): void => {
  expect(slow === undefined ? null : longestOf(slow)?.model).toBe('slow');
  const infer = slow?.parts.find(({ model, phase }) => model === 'slow' && phase === 'infer');
  expect(infer?.slowUs).toBeGreaterThan(29_000);
  expect(infer?.medianUs).toBeGreaterThan(29_000);
};

/** Two at a time, one after the other. */
async function sending(signal: AbortSignal): Promise<void> {
  const client = createTritonClient(triton.httpAddress);
  const inputs = [{ name: 'INPUT', datatype: 'FP32', shape: [1, 16], data: new Uint8Array(64) }];
  const one = async () => {
    while (!signal.aborted) await client.infer({ modelName: 'whole', inputs });
  };
  await Promise.all([one(), one()]);
}

it('Triton traces so many requests apart, the slow model is the longest part, and its settings are as before', async () => {
  const before = await settings();
  const begun: Tracing[] = [];
  const files = await recordTrace({
    server: server(),
    traces: localTraces(dir),
    ...{ model: 'whole', requests: 30, dir: join(dir, 'taken'), limitMs: 20_000, load: sending },
    signal: new AbortController().signal,
    begun: (tracing) => Promise.resolve(begun.push(tracing)),
    putBack: () => Promise.resolve(),
  });
  expect(files).toBe(1);
  expect(await settings()).toEqual(before);
  const [slow, ...others] = await readSlowRequests(join(dir, 'taken'));
  expect(others).toEqual([]);
  expect(slow).toMatchObject({ model: 'whole', protocol: 'http', requests: 30, incomplete: 0 });
  isOfSlow(slow);
  // One instance, and two at a time.
  expect(
    slow?.parts.find(({ model, phase }) => model === 'slow' && phase === 'queue')?.slowUs,
  ).toBeGreaterThan(0);

  // What a killed process leaves on, another one puts back by what was journaled.
  await traceNext(server(), 'whole', 5000);
  expect(await settings()).not.toEqual(before);
  for (const tracing of begun) await endTracing(server(), tracing);
  expect(await settings()).toEqual(before);
});

it('a run traces requests of each level behind its results', async () => {
  const model = (body: string) => `import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        ${body}
        inputs = [pb_utils.get_input_tensor_by_name(request, "INPUT").as_numpy() for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT", values)]) for values in inputs]
`;
  const config = `backend: "python"\nmax_batch_size: 4\n${tensor('input', 'INPUT')}\n${tensor('output', 'OUTPUT')}\n`;
  const files = {
    ...{ 'quick/config.pbtxt': config, 'quick/1/model.py': model('pass') },
    ...{ 'slow/config.pbtxt': config, 'slow/1/model.py': model('time.sleep(0.03)') },
    ...{ 'whole/config.pbtxt': whole, 'whole/1/.keep': '' },
  };
  const folder = join(home.path, 'models');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const result = await cli(
    ...[home.path, 'run', join(folder, 'whole'), '--trust', '--trace', '20', '--json'],
    ...['--batch-sizes', '1', '--concurrency', '2', '--measurement-interval-ms', '300'],
    ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=100'],
  );
  expect(result.code, result.stderr).toBe(0);
  const { runId, dir: runDir, online } = documentOf(result);
  expect(online).toHaveLength(1);

  const shown = await cli(home.path, 'trace', runId, '--json');
  const { levels } = JSON.parse(shown.stdout) as { levels: readonly SlowLevel[] };
  expect(levels.map(({ title, problem }) => [title, problem])).toEqual([
    ['Offline, batch size 1, concurrency 1', null],
    ['Online, batch size 1, concurrency 2', null],
  ]);
  for (const { slow } of levels) {
    expect(slow).toMatchObject([{ model: 'whole', requests: 20 }]);
    isOfSlow(slow[0]);
  }
  const journal = (await readFile(join(runDir, 'journal.jsonl'), 'utf8')).trim().split('\n');
  const kinds = journal.flatMap((line) => {
    const { type, scenario, event } = JSON.parse(line) as {
      readonly [name: string]: string | undefined;
    } & { readonly event?: { readonly kind: string } };
    return scenario === 'online' ? [event?.kind ?? type] : [];
  });
  expect(kinds).toEqual(['measurement', 'begun', 'put-back', 'traced']);
  const report = await readFile(join(runDir, 'results', 'report.html'), 'utf8');
  expect(report).toContain('Where slow requests spend their time');
});
