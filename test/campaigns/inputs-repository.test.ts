import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runFolder } from '../../main/store/run-folder';
import { parseConfigPbtxt } from '../../main/triton/config-pbtxt';
import { cli, documentOf } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { onnxBytes } from '../support/onnx-bytes';

let home: TestHome;
let folder: string;

const python = (execute: string): string => `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
${execute}
`;
const twice = python(`    def execute(self, requests):
        answers = []
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
            answers.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", x * 2)]))
        return answers`);
const calling = python(`    def execute(self, requests):
        answers = []
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "x")
            call = pb_utils.InferenceRequest(model_name="twice", requested_output_names=["y"], inputs=[x])
            answers.append(pb_utils.InferenceResponse(call.exec().output_tensors()))
        return answers`);
const completing = python(`    @staticmethod
    def auto_complete_config(config):
        config.add_input({"name": "x", "data_type": "TYPE_FP32", "dims": [3]})
        config.add_output({"name": "y", "data_type": "TYPE_FP32", "dims": [3]})
        config.set_max_batch_size(2)
        return config

    def execute(self, requests):
        tensors = [pb_utils.get_input_tensor_by_name(request, "x").as_numpy() for request in requests]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("y", tensor)]) for tensor in tensors]`);
const streaming = python(`    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
            for _ in range(3):
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("y", x)]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)`);

const tensors = `input [ { name: "x" data_type: TYPE_FP32 dims: [ 3 ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 3 ] } ]
`;
const tuned = `# by hand
backend: "python"   max_batch_size: 8
${tensors}dynamic_batching {
  max_queue_delay_microseconds: 100   # measured
  priority_levels: 2  default_priority_level: 1
  preserve_ordering: true
}
instance_group [ { count: 1 kind: KIND_CPU } ]
`;
const files: Readonly<Record<string, string | Buffer>> = {
  'twice/config.pbtxt': tuned,
  'twice/1/model.py': twice,
  'caller/config.pbtxt': `backend: "python"\nmax_batch_size: 4\n${tensors}`,
  'caller/1/model.py': calling,
  'completed/1/model.py': completing,
  'streamed/config.pbtxt': `backend: "python"\n${tensors}model_transaction_policy { decoupled: true }\n`,
  'streamed/1/model.py': streaming,
  'net_1/1/model.onnx': onnxBytes(),
  'forest/config.pbtxt': `backend: "fil"\nmax_batch_size: 4\n${tensors}`,
  'forest/1/xgboost.json': '{}',
};

beforeAll(async () => {
  home = await createTestHome();
  folder = join(home.path, 'models');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
});
afterAll(() => home.remove());

const run = (model: string, ...more: readonly string[]) =>
  cli(
    ...[home.path, 'run', join(folder, model), '--trust', ...more],
    ...['--batch-sizes', '1', '--concurrency', '2', '--measurement-interval-ms', '300'],
    ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=100', '--json'],
  );
const errorsOf = ({ offline, online }: ReturnType<typeof documentOf>) =>
  [...offline, ...online].map(({ errorCount }) => errorCount);
const served = (dir: string, name: string) =>
  readFile(join(runFolder(dir).step('deploy'), 'served', name, 'config.pbtxt'), 'utf8');

it('a changed field is changed in a copy, and nothing else of the configuration', async () => {
  const result = await run('twice', '--instances', '2', '--max-queue-delay-us', '250');
  expect(result.code, result.stderr).toBe(0);
  expect(result.stderr).toContain('-instance_group [ { count: 1 kind: KIND_CPU } ]');
  expect(result.stderr).toContain('+instance_group [ { count: 2 kind: KIND_CPU } ]');
  const { dir } = documentOf(result);
  const text = await readFile(join(runFolder(dir).repository, 'twice', 'config.pbtxt'), 'utf8');
  expect(text).toBe(tuned.replace('count: 1', 'count: 2').replace(': 100 ', ': 250 '));
  expect(await readFile(join(folder, 'twice', 'config.pbtxt'), 'utf8')).toBe(tuned);
  expect(parseConfigPbtxt(await served(dir, 'twice'))).toMatchObject({
    dynamicBatching: { preserveOrdering: true, priorityLevels: 2 },
    instanceGroup: [{ count: 2 }],
  });
});

it('the models that a BLS model calls are loaded, and the canary request says which were called', async () => {
  const alone = await run('caller');
  expect([alone.code, alone.stderr]).toStrictEqual([1, expect.stringContaining('--with twice')]);
  const result = await run('caller', '--with', 'twice,net_1');
  expect(result.code, result.stderr).toBe(0);
  const document = documentOf(result);
  expect(errorsOf(document)).toStrictEqual([0, 0]);
  const deploy = document.steps.find(({ id }) => id === 'deploy');
  expect(deploy?.facts).toContainEqual({ name: 'Called by the canary request', value: 'twice' });
  expect(deploy?.warnings.join()).toContain('did not call net_1');
});

it.each([
  ['completed', 2],
  ['net_1', 4],
])(
  'a model without a configuration, %s, is completed by Triton and served under its name',
  async (name, size) => {
    const result = await run(name);
    expect(result.code, result.stderr).toBe(0);
    const document = documentOf(result);
    expect(errorsOf(document)).toStrictEqual([0, 0]);
    const config = parseConfigPbtxt(await served(document.dir, name));
    expect(config).toMatchObject({ name, maxBatchSize: size, input: [{ name: 'x', dims: [3] }] });
  },
);

it('a decoupled model is asked once and measured over a stream', async () => {
  const result = await run('streamed');
  expect(result.code, result.stderr).toBe(0);
  expect(errorsOf(documentOf(result))).toStrictEqual([0, 0]);
});

it('golden outputs of a run are the reference, and another model fails the check', async () => {
  const golden = join(home.path, 'golden.json');
  const value = (x: number) => [x, x, x];
  await writeFile(
    golden,
    JSON.stringify({
      data: [{ x: value(1) }, { x: value(2) }],
      validation_data: [{ y: value(2) }, { y: value(4) }],
    }),
  );
  const result = await run('twice', '--golden', golden);
  expect(result.code, result.stderr).toBe(0);
  expect(documentOf(result).accuracy).toMatchObject({ passed: true, sampleCount: 2 });
  await writeFile(join(folder, 'twice', '1', 'model.py'), twice.replace('x * 2', 'x * 3'));
  const changed = await run('twice', '--golden', golden);
  expect(changed.code).toBe(3);
  expect(documentOf(changed).accuracy).toMatchObject({ passed: false });
});

it('a backend that is not here, a deployment and a search are refused with what to do', async () => {
  const forest = await run('forest');
  expect([forest.code, forest.stderr]).toStrictEqual([
    2,
    expect.stringMatching(/backend "fil"[\s\S]*nvcr\.io\/nvidia\/tritonserver:[\d.]+-py3/),
  ]);
  const kept = await run('twice', '--keep-serving');
  expect([kept.code, kept.stderr]).toStrictEqual([2, expect.stringContaining('--rewrite')]);
});
