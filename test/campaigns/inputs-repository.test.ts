import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DeploymentInfo } from '../../main/contract/deployment/deployment';
import { homeLayout } from '../../main/platform/layout';
import { runFolder } from '../../main/store/run-folder';
import { parseConfigPbtxt } from '../../main/triton/config/config-pbtxt';
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
  'whole/config.pbtxt': `platform: "ensemble" max_batch_size: 4
${tensors}ensemble_scheduling { step [ { model_name: "twice" model_version: -1 input_map { key: "x" value: "x" } output_map { key: "y" value: "y" } } ] }
`,
  'whole/1/.keep': '',
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
afterAll(async () => {
  for (const { id } of await deployments()) await cli(home.path, 'deployments', 'remove', id, '--force');
  await home.remove();
});

const deployments = async () =>
  JSON.parse((await cli(home.path, 'deployments', 'list', '--json')).stdout) as readonly DeploymentInfo[];
const deployed = async (id: string, ...more: readonly string[]) => {
  const result = await cli(home.path, 'deploy', ...more, '--allow-unverified', '--json');
  expect(result.code, result.stderr + result.stdout).toBe(0);
  return JSON.parse(result.stdout) as DeploymentInfo & { readonly id: typeof id };
};
const placed = (id: string, path: string) =>
  readFile(join(homeLayout(home.path).deployments, id, 'models', path), 'utf8');
/** One request to a model with x and y of three values. */
async function ask({ httpUrl }: DeploymentInfo, model: string, x: readonly number[]): Promise<unknown> {
  const inputs = [{ name: 'x', datatype: 'FP32', shape: [1, 3], data: x }];
  const body = JSON.stringify({ inputs });
  const response = await fetch(`${httpUrl}/v2/models/${model}/infer`, { method: 'POST', body });
  const { outputs } = (await response.json()) as { readonly outputs: readonly { readonly data: unknown }[] };
  return outputs[0]?.data;
}

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
    dynamicBatching: { priorityLevels: 2 },
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
  await writeFile(join(folder, 'twice', '1', 'model.py'), twice);
  expect(changed.code).toBe(3);
  expect(documentOf(changed).accuracy).toMatchObject({ passed: false });
});

it('a BLS model is deployed with those that it calls, a new version is tried first, and returned from', async () => {
  const first = documentOf(await run('caller', '--with', 'twice'));
  const info = await deployed('calls', first.runId, '--name', 'calls');
  expect(info).toMatchObject({ state: 'ready', models: [{ repository: { models: ['caller', 'twice'] } }] });
  expect(await placed('calls', 'twice/config.pbtxt')).toBe(tuned);
  expect(await ask(info, 'caller', [1, 2, 3])).toEqual([2, 4, 6]);

  await writeFile(join(folder, 'twice', '1', 'model.py'), twice.replace('x * 2', 'x * 5'));
  const second = documentOf(await run('caller', '--with', 'twice'));
  const updated = await deployed('calls', second.runId, '--to', 'calls');
  expect(updated.models).toMatchObject([{ version: 2, state: 'ready', previous: { version: 1 } }]);
  expect(await ask(info, 'caller', [1, 2, 3])).toEqual([5, 10, 15]);
  const back = await cli(home.path, 'deployments', 'rollback', 'calls', '--json');
  expect(back.code, back.stdout).toBe(0);
  expect(await ask(info, 'caller', [1, 2, 3])).toEqual([2, 4, 6]);
  await writeFile(join(folder, 'twice', '1', 'model.py'), twice);

  // Without the cache it starts again.
  await cli(home.path, 'deployments', 'stop', 'calls');
  await rm(join(homeLayout(home.path).cache, 'python-backends'), { recursive: true, force: true });
  const started = await cli(home.path, 'deployments', 'start', 'calls', '--json');
  expect(JSON.parse(started.stdout)).toMatchObject({ state: 'ready' });
  expect(await ask(info, 'caller', [1, 2, 3])).toEqual([2, 4, 6]);
});

it('golden outputs keep a version out that answers otherwise, and the one that serves stays', async () => {
  const golden = join(home.path, 'golden-deployed.json');
  const value = (x: number) => [x, x, x];
  const document = { data: [{ x: value(1) }], validation_data: [{ y: value(2) }] };
  await writeFile(golden, JSON.stringify(document));
  const kept = await run('twice', '--golden', golden, '--keep-serving', 'golden', '--instances', '2');
  expect(kept.code, kept.stderr).toBe(0);
  const [info] = (await deployments()).filter(({ id }) => id === 'golden');
  expect(info).toMatchObject({ models: [{ accuracy: 'verified', golden: 'golden-deployed.json' }] });
  expect(await placed('golden', 'twice/config.pbtxt')).toBe(tuned.replace('count: 1', 'count: 2'));
  const bundle = join(home.path, 'bundle-golden');
  const made = await cli(home.path, 'bundle', documentOf(kept).runId, '--out', bundle, '--json');
  expect(made.code, made.stdout).toBe(0);
  const smoke = [join(bundle, 'smoke-test.py'), '--url', info?.httpUrl ?? '', '--skip-latency'];
  expect((await promisify(execFile)('python3', smoke)).stdout).toContain(
    'samples: 1 samples are answered as golden-deployed.json has them',
  );

  await writeFile(join(folder, 'twice', '1', 'model.py'), twice.replace('x * 2', 'x * 3'));
  const other = documentOf(await run('twice'));
  await writeFile(join(folder, 'twice', '1', 'model.py'), twice);
  const refused = await cli(
    home.path,
    ...['deploy', other.runId, '--to', 'golden', '--allow-unverified', '--json'],
  );
  expect([refused.code, refused.stdout]).toStrictEqual([
    1,
    expect.stringContaining('as golden-deployed.json has it'),
  ]);
  expect(info === undefined ? null : await ask(info, 'twice', [1, 2, 3])).toEqual([2, 4, 6]);
});

it.each(['completed', 'net_1', 'streamed'])('%s is deployed as it is and answers', async (name) => {
  const { runId } = documentOf(await run(name));
  const info = await deployed(name, runId, '--name', name.replace('_', '-'));
  expect(info).toMatchObject({ state: 'ready', models: [{ name, state: 'ready' }] });
});

it('searches the fields that the configuration has a place for, and deploys and bundles the best', async () => {
  const { runId } = documentOf(await run('twice'));
  const asked = ['--p99', '200ms', '--instances', '1,2', '--queue-delays-us', '0', '--budget', '60s'];
  const refused = await cli(home.path, 'search', runId, ...asked, '--threads', '1,2', '--json');
  expect(refused.code).toBe(2);
  expect(refused.stdout).toContain('no parameter for its threads');
  const upgraded = await cli(home.path, 'upgrade', runId, '--to', folder, '--json');
  expect([upgraded.code, upgraded.stdout]).toStrictEqual([2, expect.stringContaining('--rewrite')]);
  const result = await cli(home.path, 'search', runId, ...asked, '--name', 'tune', '--json');
  expect([0, 4], result.stderr).toContain(result.code);
  const info = await deployed('tuned', runId, '--name', 'tuned', '--search', 'tune');
  expect(info).toMatchObject({ state: 'ready', models: [{ promised: { search: 'tune' } }] });
  const text = await placed('tuned', 'twice/config.pbtxt');
  expect(text).toContain('# by hand\n');
  expect(text).toContain('priority_levels: 2  default_priority_level: 1');
});

it('searches on a Triton that is already running, where the model needs no other, and leaves nothing there', async () => {
  const { runId } = documentOf(await run('twice'));
  const asked = ['--p99', '200ms', '--instances', '1,2', '--queue-delays-us', '0', '--budget', '40s'];
  const info = await deployed('there', runId, '--name', 'there');
  const at = ['-u', info.httpUrl, '--metrics-url', info.metricsUrl, '--yes', '--json'];
  const result = await cli(home.path, 'search', runId, ...asked, ...at);
  expect([0, 4], result.stderr).toContain(result.code);
  const left = await fetch(`${info.httpUrl}/v2/repository/index`, { method: 'POST' });
  const models = (await left.json()) as readonly { readonly name: string }[];
  expect(models.map(({ name }) => name)).toEqual(['twice']);
  const several = documentOf(await run('whole'));
  const refused = await cli(home.path, 'search', several.runId, ...asked, '--part', 'twice', ...at);
  expect([refused.code, refused.stdout]).toStrictEqual([2, expect.stringContaining('is served with twice')]);
});

it('searches a model in an ensemble under load of the ensemble, and deploys the best', async () => {
  const { runId } = documentOf(await run('whole'));
  const asked = ['--p99', '200ms', '--instances', '1,2', '--queue-delays-us', '0', '--budget', '60s'];
  const refused = await cli(home.path, 'search', runId, ...asked, '--json');
  expect(refused.code).toBe(2);
  expect(refused.stdout).toContain('--part MODEL');
  const part = ['--part', 'twice', '--name', 'part'];
  const result = await cli(home.path, 'search', runId, ...asked, ...part, '--json');
  expect([0, 4], result.stderr).toContain(result.code);
  const info = await deployed('part', runId, '--name', 'part', '--search', 'part');
  expect(info).toMatchObject({ state: 'ready', models: [{ name: 'whole', promised: { search: 'part' } }] });
  expect(await placed('part', 'twice/config.pbtxt')).toContain('# by hand\n');
  expect(await placed('part', 'whole/config.pbtxt')).toBe(files['whole/config.pbtxt']);

  // A new version of an ensemble has its own models at once.
  await writeFile(join(folder, 'twice', '1', 'model.py'), twice.replace('x * 2', 'x * 7'));
  const next = documentOf(await run('whole'));
  await writeFile(join(folder, 'twice', '1', 'model.py'), twice);
  const updated = await deployed('part', next.runId, '--to', 'part');
  expect(updated.models).toMatchObject([{ version: 2, state: 'ready' }]);
  expect(await ask(info, 'whole', [1, 2, 3])).toEqual([7, 14, 21]);
});

it('compares two runs of a repository in turns', async () => {
  const first = documentOf(await run('caller', '--with', 'twice'));
  const second = documentOf(await run('caller', '--with', 'twice', '--instances', '2'));
  const measured = await cli(
    home.path,
    ...['compare', first.runId, second.runId, '--measure', '--budget', '30s', '--json'],
  );
  expect([0, 3, 4], measured.stderr + measured.stdout).toContain(measured.code);
});

it('a backend that is not here, and keeping outputs that nobody checked, are refused with what to do', async () => {
  const forest = await run('forest');
  expect([forest.code, forest.stderr]).toStrictEqual([
    2,
    expect.stringMatching(/backend "fil"[\s\S]*nvcr\.io\/nvidia\/tritonserver:[\d.]+-py3/),
  ]);
  const kept = await run('twice', '--keep-serving');
  expect([kept.code, kept.stderr]).toStrictEqual([2, expect.stringContaining('--allow-unverified')]);
});
