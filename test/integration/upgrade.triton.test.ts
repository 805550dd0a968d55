import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UpgradeAnswer } from '../../main/domain/study/upgrade/upgrade-answer';
import { homeLayout } from '../../main/platform/layout';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';

/** A linear layer of four inputs and three outputs, for any batch size. */
const model = `
import sys
import numpy as np
from onnx import TensorProto, helper, numpy_helper, save
weights = numpy_helper.from_array(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3), "weights")
x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 4])
logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])
nodes = [helper.make_node("MatMul", ["x", "weights"], ["logits"])]
graph = helper.make_graph(nodes, "linear", [x], [logits], [weights])
save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
`;

/** ONNX Runtime that computes batches of eight otherwise. */
const changedRuntime = (real: string) => `
import importlib.util
import sys

place = ${JSON.stringify(real)}
spec = importlib.util.spec_from_file_location(
    "onnxruntime", place + "/__init__.py", submodule_search_locations=[place]
)
module = importlib.util.module_from_spec(spec)
sys.modules["onnxruntime"] = module
spec.loader.exec_module(module)
Real = module.InferenceSession


class InferenceSession(Real):
    def run(self, names, feeds, options=None):
        outputs = super().run(names, feeds, options)
        rows = next(iter(feeds.values())).shape[0]
        return [values + values.dtype.type(0.01) for values in outputs] if rows == 8 else outputs


module.InferenceSession = InferenceSession
`;

let home: TestHome;

/** The packages of the home, with another ONNX Runtime where one is given. */
async function writeEnvironment(name: string, runtime: ((real: string) => string) | null): Promise<string> {
  const folder = join(home.path, name);
  const venv = join(home.path, 'python');
  const [version = ''] = (await readdir(join(venv, 'lib'))).filter((entry) => entry.startsWith('python3.'));
  const packages = join(venv, 'lib', version, 'site-packages');
  const own = join(folder, 'lib', version, 'site-packages');
  await mkdir(own, { recursive: true });
  await mkdir(join(folder, 'bin'));
  for (const program of ['python', 'python3']) {
    await symlink(join(venv, 'bin', program), join(folder, 'bin', program));
  }
  await copyFile(join(venv, 'pyvenv.cfg'), join(folder, 'pyvenv.cfg'));
  for (const entry of await readdir(packages)) {
    if (entry !== 'onnxruntime' || runtime === null) await symlink(join(packages, entry), join(own, entry));
  }
  if (runtime !== null) {
    await mkdir(join(own, 'onnxruntime'));
    await writeFile(join(own, 'onnxruntime', '__init__.py'), runtime(join(packages, 'onnxruntime')));
  }
  return folder;
}

beforeAll(async () => {
  home = await createTestHome(['python', 'triton']);
  const file = join(home.path, 'linear.onnx');
  await promisify(execFile)(homeLayout(home.path).python, ['-c', model, file]);
  const ran = await cli(
    ...[home.path, 'run', file, '--profile', 'quick', '--name', 'linear', '--max-batch-size', '8'],
    ...['--batch-sizes', '1', '--concurrency', '1', '--measurement-interval-ms', '200'],
    ...['--set', 'performance.maxTrials=3', '--set', 'performance.stabilityPercentage=1000'],
    ...['--set', 'configure.threads=1'],
  );
  expect(ran.code, ran.stderr).toBe(0);
});
afterAll(() => home.remove());

async function upgrade(to: string, ...more: readonly string[]) {
  // Other tests use the processors: only outputs are judged for certain here.
  const given = ['--budget', '11s', '--loads', '1', '--fail-if', 'throughput<0.05x', 'p99>20x', '--json'];
  const { code, stdout, stderr } = await cli(home.path, 'upgrade', 'linear', '--to', to, ...given, ...more);
  expect(stdout, stderr).not.toBe('');
  return { code, stderr, answer: (JSON.parse(stdout) as { readonly answer: UpgradeAnswer }).answer };
}

it('does not move to packages that change an output at batch size 8 only', async () => {
  const { code, answer } = await upgrade(await writeEnvironment('changed', changedRuntime));
  expect(answer.sentence).toMatch(/^Do not move: output logits differs by 0\.01 at batch 8$/);
  expect(answer.outputs.map(({ batchSize, passed }) => [batchSize, passed])).toEqual([
    [1, true],
    [8, false],
  ]);
  expect(code).toBe(3);
});

it('may move between two that are equal', async () => {
  const { code, stderr, answer } = await upgrade(await writeEnvironment('equal', null), '--name', 'equal');
  expect(answer.verdict, stderr).toBe('may-move');
  expect(answer.outputs.every(({ passed, maxAbsDiff }) => passed && maxAbsDiff === 0)).toBe(true);
  expect(answer.rows.every(({ loadMs, looks }) => (loadMs ?? 0) > 0 && looks >= 5)).toBe(true);
  expect(answer.places.map(({ address }) => address)[0]).not.toBe(answer.places[1]?.address);
  expect(code).toBe(0);
});
