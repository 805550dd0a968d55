import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentInfo } from '../../main/contract/deployment/deployment';
import type { LoadPoint } from '../../main/contract/measured/results';
import { modelParts } from '../../main/domain/measured/limits/model-parts';
import { homeLayout } from '../../main/platform/layout';
import { cli, documentOf } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { field, onnxBytes } from '../support/onnx-bytes';

let home: TestHome;
let folder: string;

const model = (execute: string): string => `import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        answers = []
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
            ${execute}
            answers.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", y.astype(np.float32))]))
        return answers
`;
const sleeping = (ms: number, y: string) => model(`time.sleep(${ms / 1000})\n            y = ${y}`);
/** Calls the model beside it, and takes some time itself. */
const calling = model(`call = pb_utils.InferenceRequest(
                model_name="table", requested_output_names=["y"], inputs=[pb_utils.Tensor("x", x)]
            )
            y = pb_utils.get_output_tensor_by_name(call.exec(), "y").as_numpy() + 1
            time.sleep(0.006)`);

const tensors = `input [ { name: "x" data_type: TYPE_FP32 dims: [ 3 ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 3 ] } ]
`;
const python = `# by hand
backend: "python"   max_batch_size: 4
${tensors}dynamic_batching { }
instance_group [ { count: 1 kind: KIND_CPU } ]
`;
const step = (name: string, from: string, to: string): string =>
  `{ model_name: "${name}" model_version: -1 input_map { key: "x" value: "${from}" } output_map { key: "y" value: "${to}" } }`;
const ensemble = (outputs: readonly string[], ...steps: readonly string[]): string =>
  `platform: "ensemble" max_batch_size: 4
input [ { name: "x" data_type: TYPE_FP32 dims: [ 3 ] } ]
output [ ${outputs.map((name) => `{ name: "${name}" data_type: TYPE_FP32 dims: [ 3 ] }`).join(', ')} ]
ensemble_scheduling { step [ ${steps.join(', ')} ] }
`;

/** relu(x) + (m - m): the mean m of as many random numbers as take a few milliseconds. */
const net = (): Buffer => {
  const node = (operator: string, inputs: readonly string[], output: string, attribute?: Buffer) =>
    field(
      1,
      Buffer.concat([
        ...inputs.map((name) => field(1, name)),
        ...[field(2, output), field(4, operator)],
        ...(attribute === undefined ? [] : [field(5, attribute)]),
      ]),
    );
  const count = Buffer.concat([field(1, 'shape'), field(8, 1_500_000), field(20, 7)]);
  return onnxBytes({
    operators: [],
    graph: [
      node('Relu', ['x'], 'a'),
      node('RandomUniform', [], 'r', count),
      node('ReduceMean', ['r'], 'm'),
      node('Sub', ['m', 'm'], 'z'),
      node('Add', ['a', 'z'], 'y'),
    ],
  });
};

const files: Readonly<Record<string, string | Buffer>> = {
  'prepare/config.pbtxt': python,
  'prepare/1/model.py': sleeping(8, 'x * 2'),
  'net/1/model.onnx': net(),
  'finish/config.pbtxt': python,
  'finish/1/model.py': calling,
  'table/config.pbtxt': python,
  'table/1/model.py': sleeping(5, 'x * 10'),
  'tags/config.pbtxt': python,
  'tags/1/model.py': sleeping(20, 'x'),
  'chain/config.pbtxt': ensemble(
    ['y'],
    ...[step('prepare', 'x', 't'), step('net', 't', 'u'), step('finish', 'u', 'y')],
  ),
  'chain/1/.keep': '',
  // Two steps at the same time, of which the longer one is waited for.
  'wide/config.pbtxt': ensemble(
    ['y', 'tags'],
    ...[step('prepare', 'x', 't'), step('net', 't', 'y'), step('tags', 't', 'tags')],
  ),
  'wide/1/.keep': '',
};

beforeAll(async () => {
  home = await createTestHome();
  folder = join(home.path, 'models');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
});
afterAll(async () => {
  const listed = await cli(home.path, 'deployments', 'list', '--json');
  for (const { id } of JSON.parse(listed.stdout) as readonly DeploymentInfo[]) {
    await cli(home.path, 'deployments', 'remove', id, '--force');
  }
  await home.remove();
});

const run = (name: string, ...more: readonly string[]) =>
  cli(
    ...[home.path, 'run', join(folder, name), '--trust', '--with', 'table', ...more],
    ...['--batch-sizes', '1', '--concurrency', '1,2', '--measurement-interval-ms', '1000', '--json'],
  );

/** Answers of the chain to one row: x * 2, relu, * 10 + 1. */
const golden = JSON.stringify({
  data: [{ x: [1, 2, 3] }, { x: [-1, 0, 4] }],
  validation_data: [{ y: [21, 41, 61] }, { y: [1, 1, 81] }],
});

interface OwnTime {
  readonly count: number;
  readonly ns: number;
}

/** Triton's own time of the requests to a model so far. */
async function ownTime({ httpUrl }: DeploymentInfo, name: string): Promise<OwnTime> {
  const response = await fetch(`${httpUrl}/v2/models/${name}/stats`);
  const { model_stats: stats } = (await response.json()) as {
    readonly model_stats: readonly {
      readonly inference_stats: { readonly success: Readonly<Record<keyof OwnTime, number | string>> };
    }[];
  };
  const { success } = stats[0]?.inference_stats ?? {};
  if (success === undefined) throw new Error(`no statistics of ${name}`);
  return { count: Number(success.count), ns: Number(success.ns) };
}

const placed = (id: string, path: string) =>
  readFile(join(homeLayout(home.path).deployments, id, 'models', path), 'utf8');

describe('an ensemble of Python, ONNX and Python, with a model that is called beside it', () => {
  let runId: string;

  it('goes to a report, with its longest path step by step', async () => {
    const file = join(home.path, 'golden.json');
    await writeFile(file, golden);
    const result = await run('chain', '--golden', file);
    expect(result.code, result.stderr).toBe(0);
    const document = documentOf(result);
    ({ runId } = document);
    expect(document.accuracy).toMatchObject({ passed: true, sampleCount: 2 });
    expect(document.steps.find(({ id }) => id === 'deploy')?.facts).toContainEqual({
      ...{ name: 'Called by the canary request', value: 'table' },
    });
    for (const point of [...document.offline, ...document.online]) {
      expect(point).toMatchObject({ errorCount: 0, ensemblePath: ['prepare', 'net', 'finish'] });
    }
  });

  it.each(['prepare', 'finish'])('is searched over its part %s', async (part) => {
    const asked = ['--p99', '500ms', '--instances', '1,2', '--queue-delays-us', '0', '--budget', '60s'];
    const more = ['--part', part, '--name', `part-${part}`, '--json'];
    const result = await cli(home.path, 'search', runId, ...asked, ...more);
    expect([0, 4], result.stderr).toContain(result.code);
  });

  it('is deployed and bundled with what was found, and the smoke test of the bundle passes there', async () => {
    const found = ['--search', 'part-prepare'];
    const deployed = await cli(home.path, 'deploy', runId, '--name', 'chain', ...found, '--json');
    expect(deployed.code, deployed.stdout + deployed.stderr).toBe(0);
    const info = JSON.parse(deployed.stdout) as DeploymentInfo;
    expect(info).toMatchObject({ state: 'ready', models: [{ name: 'chain', accuracy: 'verified' }] });
    for (const path of ['chain/config.pbtxt', 'finish/config.pbtxt', 'finish/1/model.py']) {
      expect(await placed('chain', path)).toBe(files[path]);
    }
    expect(await placed('chain', 'prepare/config.pbtxt')).toContain('# by hand\n');
    const bundle = join(home.path, 'bundle');
    const made = await cli(home.path, 'bundle', runId, '--out', bundle, ...found, '--json');
    expect(made.code, made.stdout).toBe(0);
    const smoke = [join(bundle, 'smoke-test.py'), '--url', info.httpUrl, '--skip-latency'];
    const { stdout } = await promisify(execFile)('python3', smoke);
    expect(stdout).toContain('samples: 2 samples are answered as golden.json has them');
  });
});

describe('the longest path', () => {
  it.each([
    ['chain', 1, ['prepare', 'net', 'finish']],
    ['chain', 3, ['prepare', 'net', 'finish']],
    ['wide', 1, ['prepare', 'tags']],
  ] as const)(
    'of %s at concurrency %i is within 5 % of Triton’s own time',
    async (name, concurrency, path) => {
      const made = documentOf(await run(name));
      const id = `path-${name}-${concurrency}`;
      const deployed = await cli(
        ...[home.path, 'deploy', made.runId, '--name', id, '--allow-unverified', '--json'],
      );
      expect(deployed.code, deployed.stdout + deployed.stderr).toBe(0);
      const info = JSON.parse(deployed.stdout) as DeploymentInfo;
      const before = await ownTime(info, name);
      const measured = await cli(
        ...[home.path, 'perf', '-m', name, '-u', info.httpUrl, '--concurrency-range', String(concurrency)],
        ...['--measurement-interval', '4000', '--json'],
      );
      expect(measured.code, measured.stderr).toBe(0);
      const after = await ownTime(info, name);
      await cli(home.path, 'deployments', 'remove', id, '--force');
      const { points } = JSON.parse(measured.stdout) as { readonly points: readonly LoadPoint[] };
      const [point] = points;
      if (point === undefined) throw new Error('nothing was measured');
      expect(point.ensemblePath).toEqual(path);
      const sum = modelParts(point).reduce((total, { us }) => total + us, 0);
      const own = (after.ns - before.ns) / (after.count - before.count) / 1000;
      process.stdout.write(
        `${name} at ${concurrency}: ${sum.toFixed(0)} us on the path, ${own.toFixed(0)} us by Triton\n`,
      );
      expect(Math.abs(sum / own - 1)).toBeLessThanOrEqual(0.05);
    },
  );
});
