import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { homeLayout } from '../../main/platform/layout';
import { cli, type CliResult } from './cli';

/** A linear layer of four inputs and three outputs, for any batch size. */
const linear = `
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

/** Runs it with one short level, by the local Triton. */
export async function runLinear(home: string, name: string, ...more: readonly string[]): Promise<CliResult> {
  const file = join(home, 'linear.onnx');
  await promisify(execFile)(homeLayout(home).python, ['-c', linear, file]);
  return cli(
    ...[home, 'run', file, '--profile', 'quick', '--name', name, '--max-batch-size', '8'],
    ...['--batch-sizes', '1', '--concurrency', '1', '--measurement-interval-ms', '200'],
    ...['--set', 'performance.maxTrials=3', '--set', 'performance.stabilityPercentage=1000'],
    ...['--set', 'configure.threads=1', ...more],
  );
}

/** ONNX Runtime with another `InferenceSession`. @param session body of a class that extends `Real` */
export const alteredRuntime =
  (session: string) =>
  (real: string): string => `
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
${session}


module.InferenceSession = InferenceSession
`;

/** A serving environment with the packages of the home, and another ONNX Runtime where one is given. @returns its folder */
export async function writeEnvironment(
  home: string,
  name: string,
  runtime: ((real: string) => string) | null,
): Promise<string> {
  const folder = join(home, name);
  const venv = join(home, 'python');
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
