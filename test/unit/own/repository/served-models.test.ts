import { join } from 'node:path';
import { expect, it } from 'vitest';
import { executesFiles } from '../../../../main/own/repository/served-models';
import { fine, type Given, useCheckedRepository } from '../../../support/checked-repository';
import { directReaders } from '../../../support/direct-readers';

const { repository } = useCheckedRepository();
const withText = (text: string): Given => ({ ...fine, config: `${fine.config ?? ''}${text}\n` });

it.each<readonly [string, Given, boolean]>([
  ['an ONNX model', fine, false],
  ['one without a configuration', { onnx: {} }, false],
  [
    'an ensemble',
    { config: 'platform: "ensemble" ensemble_scheduling { step [ { model_name: "a" } ] }' },
    false,
  ],
  ['a Python model', { config: 'backend: "python"' }, true],
  ['a model.py without a configuration', { files: { '1/model.py': '' } }, true],
  ['a TorchScript model', { config: 'backend: "pytorch"' }, true],
  ['a TensorRT plan', { config: 'platform: "tensorrt_plan"' }, true],
  ['a backend of its own', { config: 'backend: "mine"' }, true],
  ['a configuration that cannot be read', { config: 'backend: {{' }, true],
  ['an ONNX model with a library beside it', { ...fine, files: { '1/libtriton_onnxruntime.so': '' } }, true],
  ['an ONNX model with code beside it', { ...fine, files: { 'model.py': '' } }, true],
  [
    'an environment that Triton unpacks',
    withText('parameters { key: "EXECUTION_ENV_PATH" value { string_value: "e.tgz" } }'),
    true,
  ],
  ['a library of operations', withText('model_operations { op_library_filename: "ops.so" }'), true],
  [
    'harmless parameters',
    withText('parameters { key: "intra_op_thread_count" value { string_value: "2" } }'),
    false,
  ],
])('%s: %#', async (_what, given, executes) => {
  const path = join(await repository({ m: given }), 'm');
  expect(await executesFiles(path, directReaders)).toBe(executes);
});
