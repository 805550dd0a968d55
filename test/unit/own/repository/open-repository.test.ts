import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openModelSchema } from '../../../../main/contract/run/own-model';
import { sourceSchema } from '../../../../main/contract/run/run-spec';
import { getAt } from '../../../../main/contract/trees';
import { createOwnModels, openModel } from '../../../../main/own/open-model';
import { resolveSpec } from '../../../../main/presets/resolve-spec';
import { fine, useCheckedRepository, x } from '../../../support/checked-repository';
import { directReaders } from '../../../support/direct-readers';
import { rejection } from '../../../support/rejection';

const { bench, repository } = useCheckedRepository();

const python = (code = 'pass'): { config: string; files: Record<string, string> } => ({
  config:
    'backend: "python" max_batch_size: 4\ninput [ { name: "raw" data_type: TYPE_STRING dims: [ 1 ] } ]\noutput [ { name: "x" data_type: TYPE_FP32 dims: [ 3 ] } ]\n',
  files: { '1/model.py': code },
});

const steps = `step [
  { model_name: "prepare" model_version: -1 input_map { key: "raw" value: "raw" } output_map { key: "x" value: "t" } },
  { model_name: "net" model_version: -1 input_map { key: "x" value: "t" } output_map { key: "y" value: "out" } }
]`;
const whole = {
  config: `platform: "ensemble" max_batch_size: 4 # kept
input [ { name: "raw" data_type: TYPE_STRING dims: [ 1 ] } ]
output [ { name: "out" data_type: TYPE_FP32 dims: [ 3 ] } ]
ensemble_scheduling { ${steps} }
`,
  files: { '1/.keep': '' },
};
const parts = { net: fine, prepare: python(), whole };

const open = async (models: Parameters<typeof repository>[0], name = '', more: object = {}) =>
  openModel({ path: join(await repository(models), name), ...more }, bench().tools());

const sourceOf = (overrides: Readonly<Record<string, unknown>> | undefined) =>
  sourceSchema.parse(getAt(overrides, ['model', 'source']));

describe('a model of a repository', () => {
  it('is opened as it is, with the values of its file and its own name', async () => {
    const { choice, preset, kind, trusted, notes, code } = await open({ m_1: fine }, 'm_1');
    expect({ kind, trusted, code }).toStrictEqual({ kind: 'repository', trusted: true, code: [] });
    expect(notes).toStrictEqual(['Its files and its config.pbtxt are served as they are.']);
    if (choice === null || preset === null) throw new Error('not opened');
    const spec = resolveSpec(preset, choice.overrides);
    expect(spec).toMatchObject({
      ...{ format: 'repository', precision: 'as-is', engine: { kind: 'local' } },
      configure: { modelName: 'm_1', maxBatchSize: 8, batching: 'static', instances: 1 },
      performance: { inputData: 'random', batchSizes: [1, 2, 4, 8] },
    });
    expect(spec.model.source).toMatchObject({
      ...{ kind: 'repository', title: 'm_1', batched: true },
      inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 3], sample: [1, 3] }],
      outputs: [{ name: 'y', datatype: 'FP32', shape: [-1, 3] }],
      repository: {
        models: [{ name: 'm_1', backend: 'onnxruntime' }],
        with: [],
        version: 1,
        config: fine.config,
      },
    });
  });

  it('is the only one of a repository that no other is made with', async () => {
    const { title, code, trusted, choice } = await open(parts);
    expect({ title, trusted, choice }).toStrictEqual({ title: 'whole', trusted: false, choice: null });
    expect(code.map(({ path }) => path)).toStrictEqual(['prepare/1/model.py', 'prepare/config.pbtxt']);
    const { put, dir } = bench();
    await put('two/a/config.pbtxt', fine.config ?? '');
    await put('two/b/config.pbtxt', fine.config ?? '');
    const error = await rejection(openModel({ path: join(dir, 'two') }, bench().tools()));
    expect(error).toMatchObject({
      ...{ code: 'model-folder-invalid', message: expect.stringMatching(/models: a, b/) as string },
    });
  });

  it('has the parameters that Triton completes where it has no configuration', async () => {
    const { choice, notes } = await open({ m: { onnx: {} } }, 'm');
    expect(notes.join()).toContain('Triton completes the configuration of m');
    expect(sourceOf(choice?.overrides)).toMatchObject({
      ...{ batched: true, inputs: [{ name: 'x', shape: [-1, 3] }], repository: { config: null } },
    });
  });

  it('is refused with the words of Triton where it would not load, and by the model of an ensemble that would not', async () => {
    const bad = {
      config: `backend: "onnxruntime" max_batch_size: 8\n${x}\noutput [ { name: "no" data_type: TYPE_FP32 dims: [ 3 ] } ]\n`,
      onnx: {},
    };
    for (const models of [
      { m: bad },
      { m: { ...whole, config: whole.config.replace('"net"', '"bad"') }, prepare: python(), bad },
    ]) {
      const error = await rejection(open(models, 'm', { with: [] }));
      expect(error.code).toBe('model-folder-invalid');
      expect(error.remedy).toContain('triton-workbench check');
    }
  });

  it('names the file that no change of the configuration can fix', async () => {
    const error = await rejection(open({ m: { ...fine, files: { '1/model.onnx': 'not a model' } } }, 'm'));
    expect(error.where).toMatch(/\/m\/1\/model\.onnx$/);
    expect(error.remedy).not.toContain('shows the change');
  });

  it('asks for the shape of an axis that varies, and takes it', async () => {
    const varying = {
      config: `backend: "python"\ninput [ { name: "ids" data_type: TYPE_INT64 dims: [ -1, 4 ] } ]\n${fine.config?.split('\n')[2] ?? ''}\n`,
      files: { '1/model.py': '' },
    };
    const { asked } = await open({ m: varying }, 'm');
    expect(asked).toStrictEqual([{ name: 'ids', shape: null }]);
    const tools = bench().tools();
    await tools.trust.trust({ kind: 'folder', path: join(bench().dir, 'r', 'm') });
    const given = { shapes: { ids: [7, 4] } };
    const opened = await openModel({ path: join(bench().dir, 'r', 'm'), ...given }, tools);
    expect(sourceOf(opened.choice?.overrides).inputs).toMatchObject([{ shape: [-1, 4], sample: [7, 4] }]);
    const unknown = await rejection(
      openModel({ path: join(bench().dir, 'r', 'm'), shapes: { nose: [1] } }, tools),
    );
    expect(unknown).toMatchObject({ code: 'input-invalid', where: '--shape' });
  });

  it('proposes the models that its code names, and loads those that are given', async () => {
    const models = { caller: python('call("net")'), net: fine, other: fine };
    const { notes, choice } = await open(models, 'caller');
    expect(choice).toBeNull();
    expect(notes.join()).toContain(
      'model.py names net: a model that is called from there is loaded with --with net.',
    );
    const given = await open(models, 'caller', { with: ['net'] });
    expect(given.notes.join()).not.toContain('model.py names');
    const wrong = await rejection(open(models, 'caller', { with: ['nett'] }));
    expect(wrong).toMatchObject({ code: 'input-invalid', remedy: 'Give net.' });
  });
});

describe('trust', () => {
  const own = () =>
    createOwnModels({
      ...{ trustFile: join(bench().dir, 'trusted.json'), readers: directReaders, now: () => new Date(0) },
      toolkit: { call: () => Promise.reject(new Error('nothing is executed')) } as never,
    });

  it('is of each model whose files Triton executes, under one hash, and ends with a change in one of them', async () => {
    const path = join(await repository({ ...parts, caller: python('call("whole")') }), 'whole');
    const input = openModelSchema.parse({ path, with: ['caller'] });
    const models = own();
    const { handlers, trust } = models;
    const shown = await models.code(input);
    expect(shown.files.map((file) => file.path)).toContain('caller/1/model.py');
    const other = await rejection(handlers['models.trust']({ ...input, sha256: '0'.repeat(64) }));
    expect(other.code).toBe('not-trusted');
    const opened = await handlers['models.trust']({ ...input, sha256: shown.sha256 });
    expect(opened.trusted).toBe(true);
    const source = sourceOf(opened.choice?.overrides);
    await expect(trust.require(source)).resolves.toBeUndefined();
    await bench().put('r/prepare/1/model.py', 'import os');
    expect((await rejection(trust.require(source))).code).toBe('not-trusted');
    expect((await handlers['models.open'](input)).trusted).toBe(false);
  });

  it('is not needed for ONNX and ensembles of it', async () => {
    const { trusted, choice } = await open({ m: fine }, 'm');
    expect([trusted, choice === null]).toStrictEqual([true, false]);
    expect(await readFile(join(bench().dir, 'trusted.json'), 'utf8').catch(() => null)).toBeNull();
  });
});
