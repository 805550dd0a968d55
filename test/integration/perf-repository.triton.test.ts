import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DeploymentInfo } from '../../main/contract/deployment/deployment';
import type { LoadPoint } from '../../main/contract/measured/results';
import { homeLayout } from '../../main/platform/layout';
import { runFolder } from '../../main/store/run-folder';
import { parseConfigPbtxt } from '../../main/triton/config/config-pbtxt';
import { cli, documentOf } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { onnxBytes } from '../support/onnx-bytes';

let home: TestHome;
let folder: string;

const scaling = `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        tensors = [pb_utils.get_input_tensor_by_name(request, "raw").as_numpy() for request in requests]
        return [
            pb_utils.InferenceResponse([pb_utils.Tensor("scaled", (tensor / 255).astype(np.float32))])
            for tensor in tensors
        ]
`;

const tensors = (side: string, name: string, type: string) =>
  `${side} [ { name: "${name}", data_type: ${type}, dims: [ 3 ] } ] # kept`;
const step = (model: string, from: readonly [string, string], to: readonly [string, string]) =>
  `{ model_name: "${model}" model_version: -1 input_map { key: "${from[0]}" value: "${from[1]}" } output_map { key: "${to[0]}" value: "${to[1]}" } }`;

/** A step in Python and one that is an ONNX file without a configuration. */
const files: Readonly<Record<string, string | Buffer>> = {
  'scale/config.pbtxt': `backend: "python"; max_batch_size: 4\n${tensors('input', 'raw', 'TYPE_UINT8')}\n${tensors('output', 'scaled', 'TYPE_FP32')}\n`,
  'scale/1/model.py': scaling,
  'relu_net/1/model.onnx': onnxBytes(),
  'whole/config.pbtxt': `platform: "ensemble" max_batch_size: 4 ${tensors('input', 'raw', 'TYPE_UINT8')}\n${tensors('output', 'out', 'TYPE_FP32')}
ensemble_scheduling { step [
  ${step('scale', ['raw', 'raw'], ['scaled', 't'])},
  ${step('relu_net', ['x', 't'], ['y', 'out'])}
] }\n`,
  'whole/1/.keep': '',
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
  await cli(home.path, 'deployments', 'remove', 'kept', '--force');
  await home.remove();
});

/** Each file of the repository by its content. */
async function contents(): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hashes = await Promise.all(
    paths.sort().map(
      async (path) =>
        [
          path,
          createHash('sha256')
            .update(await readFile(path))
            .digest('hex'),
        ] as const,
    ),
  );
  return Object.fromEntries(hashes);
}

it('serves an ensemble of Python and ONNX as it is, completes what is missing, and leaves the files as they are', async () => {
  const before = await contents();
  const load = ['--request-count', '20', '--json'];
  const asked = ['perf', '-m', 'whole', '--model-repository', folder, ...load];
  const refused = await cli(home.path, ...asked);
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'not-trusted' } });

  const result = await cli(home.path, ...asked, '--trust');
  expect(result.code, result.stderr).toBe(0);
  expect(result.stderr).toContain('scale: Triton’s Python backend\n');
  expect(result.stderr).toContain(
    'relu_net: ONNX Runtime in Triton’s Python backend; Triton completed its configuration from the file\n',
  );
  const { runId, points } = JSON.parse(result.stdout) as { runId: string; points: LoadPoint[] };
  expect(points).toMatchObject([{ requestCount: 20, errorCount: 0 }]);
  expect(await contents()).toStrictEqual(before);

  const kept = await readFile(join(home.path, 'runs', runId, 'served', 'relu_net', 'config.pbtxt'), 'utf8');
  expect(parseConfigPbtxt(kept)).toMatchObject({
    ...{ name: 'relu_net', backend: 'onnxruntime', maxBatchSize: 4 },
    input: [{ name: 'x', dataType: 'TYPE_FP32', dims: [3] }],
    output: [{ name: 'y', dataType: 'TYPE_FP32', dims: [3] }],
  });
});

it('runs the ensemble as it is, from deployment to report, keeps it serving and bundles it', async () => {
  const before = await contents();
  const short = ['--batch-sizes', '1', '--concurrency', '2', '--measurement-interval-ms', '300'];
  const quick = ['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=100', '--json'];
  const keeping = ['--keep-serving', 'kept', '--allow-unverified'];
  const result = await cli(
    home.path,
    'run',
    join(folder, 'whole'),
    '--trust',
    ...keeping,
    ...short,
    ...quick,
  );
  expect(result.code, result.stderr).toBe(0);
  expect(result.stderr).toContain('Without a golden file the outputs are not checked');
  const { accuracy, dir, runId, servedBy, offline, online, steps } = documentOf(result);
  expect(accuracy).toBeNull();
  expect(servedBy).toContain('Triton’s ensemble scheduler, Triton’s Python backend, ONNX Runtime');
  expect([...offline, ...online].map(({ errorCount }) => errorCount)).toStrictEqual([0, 0]);
  expect(steps.map(({ id }) => id)).toStrictEqual([
    ...['configure', 'deploy', 'profile-data', 'offline', 'online', 'report'],
  ]);
  const run = runFolder(dir);
  for (const path of ['whole/config.pbtxt', 'scale/config.pbtxt', 'scale/1/model.py']) {
    expect(await readFile(join(run.repository, path), 'utf8')).toBe(files[path]);
  }
  const kept = await readFile(join(run.step('deploy'), 'served', 'relu_net', 'config.pbtxt'), 'utf8');
  expect(parseConfigPbtxt(kept)).toMatchObject({ name: 'relu_net', maxBatchSize: 4 });
  expect(await readdir(run.results)).toContain('report.html');
  expect(await contents()).toStrictEqual(before);

  const listed = await cli(home.path, 'deployments', 'list', '--json');
  const [deployment] = JSON.parse(listed.stdout) as readonly DeploymentInfo[];
  expect(deployment).toMatchObject({ id: 'kept', state: 'ready', reason: null });
  expect(deployment?.models).toMatchObject([
    {
      ...{ name: 'whole', version: 1, accuracy: 'not checked', checkedSamples: 0 },
      repository: { version: 1, models: ['whole', 'scale', 'relu_net'] },
    },
  ]);
  const served = join(homeLayout(home.path).deployments, 'kept');
  for (const path of Object.keys(files)) {
    expect(await readFile(join(served, 'models', path))).toStrictEqual(await readFile(join(folder, path)));
  }
  // The cache may be emptied.
  expect(await readdir(join(served, 'backends'))).toContain('onnxruntime');

  const bundle = join(home.path, 'bundle');
  const made = await cli(home.path, 'bundle', runId, '--out', bundle, '--allow-unverified', '--json');
  expect(made.code, made.stderr + made.stdout).toBe(0);
  const smoke = [join(bundle, 'smoke-test.py'), '--url', deployment?.httpUrl ?? '', '--skip-latency'];
  const { stdout } = await promisify(execFile)('python3', smoke);
  expect(stdout).toMatch(
    /ok {4}files: .*\nok {4}ready: whole, version 1, .*, with scale, relu_net\nok {4}canary: 1 output/,
  );
});
