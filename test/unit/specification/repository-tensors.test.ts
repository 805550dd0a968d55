import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RepositorySource } from '../../../main/formats/own-config';
import { generationConfig } from '../../../main/own/huggingface/generation-model';
import { repositoryTensors } from '../../../main/specification/repository-tensors';
import { repositorySource } from '../../support/repository-source';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'repository-tensors-'));
  await mkdir(join(dir, '1'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const always = () => Promise.resolve(true);
const tensorsOf = async (
  source: RepositorySource,
  { code = 'class TritonPythonModel: ...', shapes = {}, mayRead = always } = {},
) => {
  await writeFile(join(dir, '1', 'model.py'), code);
  return repositoryTensors({ shapes }, { ...source, path: dir }, mayRead);
};

const tensors = 'input [ { name: "x" data_type: TYPE_FP32 dims: [ -1 ] } ]\n';
const outputs = 'output [ { name: "y" data_type: TYPE_FP32 dims: [ 3 ] } ]\n';
const whole = `backend: "python" max_batch_size: 8\n${tensors}${outputs}`;
const varying: RepositorySource = {
  ...repositorySource({ config: whole }),
  inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, -1], sample: [1, 5] }],
};

describe('the tensors of a repository as it is', () => {
  it('have no batch dimension, and their shapes only where they vary', async () => {
    const found = await tensorsOf(varying, { shapes: { x: [1, 5] } });
    expect(found).toEqual({
      wanted: {
        inputs: [{ name: 'x', datatype: 'FP32', shape: [-1], optional: false }],
        outputs: [{ name: 'y', datatype: 'FP32', shape: [3], optional: false }],
      },
      shapes: { x: [5] },
    });
  });

  it('include the optional inputs of config.pbtxt', async () => {
    const text = { name: 'text_input', datatype: 'BYTES' };
    const found = await tensorsOf({
      ...repositorySource({ config: generationConfig('m') }),
      batched: false,
      inputs: [{ ...text, shape: [1], sample: [1] }],
      outputs: [{ name: 'text_output', datatype: 'BYTES', shape: [-1] }],
    });
    expect(found?.wanted.inputs).toEqual([
      { ...text, shape: [1], optional: false },
      { name: 'stream', datatype: 'BOOL', shape: [1], optional: true },
      { name: 'sampling_parameters', datatype: 'BYTES', shape: [1], optional: true },
      { name: 'exclude_input_in_output', datatype: 'BOOL', shape: [1], optional: true },
    ]);
    expect(found?.wanted.outputs).toEqual([
      { name: 'text_output', datatype: 'BYTES', shape: [-1], optional: false },
    ]);
  });

  it('of an ONNX file without a configuration are those of the file', async () => {
    const source = repositorySource({ config: null, models: [{ name: 'm', backend: 'onnxruntime' }] });
    expect((await tensorsOf(source))?.wanted.inputs).toMatchObject([{ name: 'x', shape: [3] }]);
  });

  it('are not known where the code of the model completes them, or may', async () => {
    const code = 'class TritonPythonModel:\n  def auto_complete_config(config): ...';
    expect(await tensorsOf(varying)).not.toBeNull();
    expect(await tensorsOf(varying, { code })).toBeNull();
    expect(await tensorsOf(varying, { mayRead: () => Promise.resolve(false) })).toBeNull();
    expect(await tensorsOf(repositorySource({ config: `backend: "python"\n${tensors}` }))).toBeNull();
    expect(await tensorsOf(repositorySource({ config: 'backend: "python"' }))).toBeNull();
    const other = { config: whole, models: [{ name: 'm', backend: 'vllm' }] };
    expect(await tensorsOf(repositorySource(other))).toBeNull();
  });
});
