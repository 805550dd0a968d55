import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelSource } from '../../../main/contract/run/run-spec';
import { openModel, type OpenModelTools } from '../../../main/own/open-model';
import { mostConfigBytes, readRepository } from '../../../main/own/read-repository';
import { repositoryTensors, withRepositoryNames } from '../../../main/own/repository-settings';
import { scripted, useModelBench } from '../../support/model-bench';
import { onnxBytes } from '../../support/onnx-bytes';
import { rejection } from '../../support/rejection';
import { savedModelBytes } from '../../support/savedmodel-bytes';

const bench = useModelBench();
const pipe = (path: string) => execFileSync('mkfifo', [path]);
const served = 'name: "m" backend: "onnxruntime" max_batch_size: 4\n';

/** A whole model of a repository, with one change. */
async function repository(change: (folder: string) => unknown, config = served): Promise<string> {
  await bench().put('m/1/model.onnx', onnxBytes());
  const folder = dirname(await bench().put('m/config.pbtxt', config));
  await change(folder);
  return folder;
}

describe('config.pbtxt', () => {
  const replaced = (by: (path: string) => unknown) => async (folder: string) => {
    const path = join(folder, 'config.pbtxt');
    await rm(path);
    await by(path);
  };

  it.each([
    ['a pipe', pipe, /not a regular file/],
    ['an endless device behind a link', (path: string) => symlink('/dev/zero', path), /it is a link/],
    ['a link to a file elsewhere', (path: string) => symlink('/etc/passwd', path), /it is a link/],
    ['a folder', (path: string) => mkdir(path), /not a regular file/],
  ])('that is %s is refused, and nothing of it is read', async (_what, by, words) => {
    const folder = await repository(replaced(by));
    const error = await rejection(readRepository(folder));
    expect(error).toMatchObject({ code: 'model-folder-invalid', where: join(folder, 'config.pbtxt') });
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain('root');
    expect(error.remedy).toContain('regular file');
  });

  it('of the largest size is read, and a byte more or a hundred megabytes are refused', async () => {
    const full = `${served}${'#'.repeat(mostConfigBytes - served.length)}`;
    const folder = await repository(() => undefined, full);
    expect((await readRepository(folder)).config.maxBatchSize).toBe(4);
    for (const size of [mostConfigBytes + 1, 110 * 2 ** 20]) {
      await truncate(join(folder, 'config.pbtxt'), size);
      const error = await rejection(readRepository(folder));
      expect(error.code).toBe('model-folder-invalid');
      expect(error.message).toContain(`${size} bytes, at most ${mostConfigBytes}`);
    }
  });
});

describe('a model of a repository that Triton would not load is refused with what is there', () => {
  const problemsOf = async (path: string, config: string, ...more: readonly string[]) => {
    await bench().put(`m/${path}`, onnxBytes());
    for (const name of more) await bench().put(`m/${name}`, 'x');
    const error = await rejection(readRepository(dirname(await bench().put('m/config.pbtxt', config))));
    expect(error.code).toBe('model-folder-invalid');
    return `${error.message} | ${error.remedy ?? ''}`;
  };

  it.each(['v1', '01', '0', 'latest'])('in a folder %s, which is no version', async (name) => {
    expect(await problemsOf(`${name}/model.onnx`, served, 'assets/labels.txt')).toMatch(
      new RegExp(
        `Triton ignores ${name}, whose name is not a whole number of at least 1 \\| Rename it: mv \\S+/${name} \\S+/1$`,
      ),
    );
  });

  it.each([
    ['backend: "onnx"', 'onnxruntime'],
    ['platform: "onnx"', 'onnxruntime'],
    ['backend: "torch"', 'pytorch'],
    ['backend: "tf"', 'tensorflow'],
  ])('with %s for %s', async (line, backend) => {
    const words = await problemsOf('1/model.onnx', `${line} max_batch_size: 4`);
    expect(words).toContain(`cannot be opened; did you mean ${backend}? | Write backend: "${backend}"`);
  });

  it('with the file of another backend', async () => {
    expect(await problemsOf('1/model.onnx', 'platform: "pytorch_libtorch" max_batch_size: 4')).toMatch(
      /has no model\.pt; it has model\.onnx, which is a model of another backend \| Write backend: "onnxruntime"/,
    );
  });

  it('with a batch size below zero', async () => {
    expect(await problemsOf('1/model.onnx', 'backend: "onnxruntime" max_batch_size: -1')).toMatch(
      /^max_batch_size is -1 \| .*max_batch_size: 0/,
    );
  });
});

it('of which a line cannot be read is refused with that line, and with its path once', async () => {
  const folder = await repository(() => undefined, `${served}nope: 1\n`);
  const where = join(folder, 'config.pbtxt, line 2');
  expect(await rejection(readRepository(folder))).toMatchObject({ code: 'model-folder-invalid', where });
});

describe('the model of a repository', () => {
  const replaced = (by: (path: string) => unknown) => async (folder: string) => {
    const path = join(folder, '1', 'model.onnx');
    await rm(path);
    await by(path);
  };

  it.each([
    ['a pipe', pipe],
    ['a folder', (path: string) => mkdir(path)],
    ['a link', (path: string) => symlink('/etc/passwd', path)],
  ])('that is %s instead of a file is refused', async (_what, by) => {
    const folder = await repository(replaced(by));
    const error = await rejection(readRepository(folder));
    expect(error).toMatchObject({
      code: 'model-folder-invalid',
      where: join(folder, '1', 'model.onnx'),
      message: 'The model is not a regular file',
    });
    expect(error.remedy).toContain('regular file');
  });

  it('that is a file where a SavedModel is a folder is refused', async () => {
    const config = 'name: "m" backend: "tensorflow" default_model_filename: "model.onnx"\n';
    const error = await rejection(readRepository(await repository(() => undefined, config)));
    expect(error).toMatchObject({ code: 'model-folder-invalid', message: 'The model is not a folder' });
  });

  it('that is named outside its version folder is refused', async () => {
    const config = `${served}default_model_filename: "../../other.onnx"\n`;
    const error = await rejection(readRepository(await repository(() => undefined, config)));
    expect(error.message).toContain('leads out of the version folder: "../../other.onnx"');
  });
});

const tools = () => bench().tools();

async function repositoryWith(config: string, file: string, content: Buffer): Promise<string> {
  await bench().put(`all/shown/${file}`, content);
  return dirname(await bench().put('all/shown/config.pbtxt', config));
}

describe('a model of a repository', () => {
  it('is opened with the settings of its config.pbtxt, and the others are told', async () => {
    const path = await repositoryWith(
      `name: "shown" backend: "onnxruntime" max_batch_size: 4
       dynamic_batching {
         max_queue_delay_microseconds: 250 preserve_ordering: true priority_levels: 2
         default_queue_policy { max_queue_size: 9 }
       }
       instance_group [ { count: 3 kind: KIND_CPU rate_limiter { priority: 1 } } ]
       parameters: { key: "intra_op_thread_count" value: { string_value: "3" } }
       parameters: { key: "a" value: { string_value: "b" } }`,
      '12/model.onnx',
      onnxBytes(),
    );
    await bench().put('all/shown/2/model.onnx', 'an older version, not read');
    const { choice, notes, title } = await openModel({ path, rewrite: true }, tools());
    expect(title).toBe('shown');
    expect(choice?.overrides).toMatchObject({
      configure: {
        modelName: 'shown',
        modelVersion: 12,
        maxBatchSize: 4,
        batching: 'dynamic',
        preferredBatchSizes: [],
        maxQueueDelayUs: 250,
        maxQueueSize: 9,
        instances: 3,
        instanceKind: 'KIND_CPU',
        threads: 3,
      },
      performance: { batchSizes: [1, 2, 4] },
      model: { source: { path: join(path, '12', 'model.onnx') } },
    });
    expect(notes).toContain(
      'Not taken over from config.pbtxt: instance_group.rate_limiter, dynamic_batching.preserve_ordering, dynamic_batching.priority_levels, parameters["a"].',
    );
  });

  it('says that a config.pbtxt in the folder of a version is not read', async () => {
    const path = await repository((folder) =>
      writeFile(join(folder, '1', 'config.pbtxt'), 'max_batch_size: 64'),
    );
    const { choice, notes } = await openModel({ path, rewrite: true }, tools());
    expect(choice?.overrides).toMatchObject({ configure: { maxBatchSize: 4 } });
    expect(notes).toContain(
      '1/config.pbtxt is not read: Triton reads the config.pbtxt beside the folder 1. Move it there if it is to apply.',
    );
    const plain = await openModel(
      { path: await repository((folder) => rm(join(folder, '1', 'config.pbtxt'))), rewrite: true },
      tools(),
    );
    expect(plain.notes.join()).not.toContain('1/config.pbtxt');
  });

  it.each([
    [
      '{ count: 2 kind: KIND_GPU gpus: [ 0, 1 ] }',
      'has count 2 of GPUs 0, 1. A run makes 2 instances on each GPU',
    ],
    ['{ kind: KIND_GPU }', 'has count 1. A run makes 1 instance on each GPU that you choose'],
    ['{ count: 2 gpus: [ 0 ] }, { count: 1 kind: KIND_CPU }', 'has 2 groups of GPUs 0.'],
  ])('has an instance_group %s, which is said', async (groups, text) => {
    const config = `name: "shown" backend: "onnxruntime" instance_group [ ${groups} ]`;
    const path = await repositoryWith(config, '1/model.onnx', onnxBytes());
    const { notes } = await openModel({ path, rewrite: true }, tools());
    expect(notes.join(' ')).toContain(text);
  });

  it.each([
    ['no config.pbtxt', null],
    ['an empty one', ''],
    ['one with a backend only', 'backend: "onnxruntime"'],
  ])('with %s is completed as Triton completes it, under the name of its folder', async (_what, config) => {
    await bench().put('all/my_model/1/model.onnx', onnxBytes());
    if (config !== null) await bench().put('all/my_model/config.pbtxt', config);
    const { choice, notes } = await openModel(
      { path: join(bench().dir, 'all', 'my_model'), rewrite: true },
      tools(),
    );
    expect(choice?.overrides).toMatchObject({
      configure: { modelName: 'my_model', maxBatchSize: 4, batching: 'dynamic' },
    });
    expect(notes.join(' ')).toContain('max_batch_size 4');
  });

  it('may be a SavedModel', async () => {
    const path = await repositoryWith(
      'name: "shown" platform: "tensorflow_savedmodel" max_batch_size: 2',
      '1/model.savedmodel/saved_model.pb',
      savedModelBytes(),
    );
    const place = { kind: 'savedmodel', path: join(path, '1', 'model.savedmodel') } as const;
    expect(await openModel({ path, rewrite: true }, tools())).toMatchObject({ ...place, trusted: false });
    await tools().trust.trust(place);
    const { choice } = await openModel({ path, rewrite: true }, tools());
    expect(choice?.overrides).toMatchObject({ configure: { maxBatchSize: 2, batching: 'static' } });
  });

  it('of TorchScript takes tensors whose names say no place in their order, as Triton does', async () => {
    const path = await repositoryWith(
      `name: "shown" platform: "pytorch_libtorch" max_batch_size: 2
       input [ { name: "image" data_type: TYPE_FP32 dims: [ 7 ] }, { name: "mask" data_type: TYPE_INT64 dims: [ 5 ] } ]
       output [ { name: "scores" data_type: TYPE_FP32 dims: [ 1 ] } ]`,
      '1/model.pt',
      scripted('  def forward(self: M,\n    values: Tensor,\n    flags: Tensor) -> Tensor:\n'),
    );
    const model = await readRepository(path);
    expect(repositoryTensors(model, ['values', 'flags'])).toEqual({
      shapes: { values: [1, 7], flags: [1, 5] },
      datatypes: { values: 'FP32', flags: 'INT64' },
    });
    const tensor = (name: string) => ({ name, datatype: 'FP32' as const, shape: [-1, 1] });
    const source = withRepositoryNames(
      {
        ...{ kind: 'torchscript', path, batched: true },
        ...{ inputs: [tensor('values'), tensor('flags')], outputs: [tensor('OUTPUT__0')] },
      } as unknown as ModelSource,
      model,
    );
    expect(source.inputs.map(({ name }) => name)).toEqual(['image', 'mask']);
    expect(source.outputs.map(({ name }) => name)).toEqual(['scores']);
  });

  it('of TorchScript takes its shapes by place or name from config.pbtxt, and keeps the names in it', async () => {
    const path = await repositoryWith(
      `name: "shown" platform: "pytorch_libtorch" max_batch_size: 2
       input [ { name: "INPUT__1" data_type: TYPE_INT64 dims: [ 5 ] },
               { name: "values" data_type: TYPE_FP32 dims: [ 7 ] } ]
       output [ { name: "SUM__0" data_type: TYPE_FP32 dims: [ 1 ] } ]`,
      '1/model.pt',
      scripted('  def forward(self: M,\n    values: Tensor,\n    flags: Tensor) -> Tensor:\n'),
    );
    await tools().trust.trust({ kind: 'torchscript', path: join(path, '1', 'model.pt') });
    const asked: unknown[] = [];
    const inspect: OpenModelTools['inspect'] = (_path, inputs) => {
      asked.push(...inputs);
      return Promise.resolve({
        inputs: [
          { name: 'values', datatype: 'FP32', shape: [-1, 7], sample: [1, 7] },
          { name: 'flags', datatype: 'INT64', shape: [-1, 5], sample: [1, 5] },
        ],
        outputs: [{ name: 'OUTPUT__0', datatype: 'FP32', shape: [-1, 1] }],
        batched: true,
      });
    };
    const { choice } = await openModel({ path, rewrite: true }, { ...tools(), inspect });
    expect(asked).toEqual([
      { name: 'values', datatype: 'FP32', shape: [1, 7] },
      { name: 'flags', datatype: 'INT64', shape: [1, 5] },
    ]);
    const source = (choice?.overrides as { model: { source: ModelSource } } | undefined)?.model.source;
    expect(source?.inputs.map(({ name }) => name)).toEqual(['values', 'INPUT__1']);
    expect(source?.outputs.map(({ name }) => name)).toEqual(['SUM__0']);
  });
});
