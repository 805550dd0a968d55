import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CheckedModel } from '../../../../main/contract/repository-check';
import { checkRepositories } from '../../../../main/own/repository/check-repository';
import {
  fine,
  type Given,
  onnx,
  tensors,
  useCheckedRepository,
  x,
  y,
} from '../../../support/checked-repository';
import { directReaders } from '../../../support/direct-readers';
import { scripted } from '../../../support/model-bench';
import { rejection } from '../../../support/rejection';

const { bench, check, repository } = useCheckedRepository();

/** Removed and added lines of a diff. */
const changes = ({ diff }: CheckedModel): readonly string[] =>
  (diff ?? '').split('\n').filter((line) => /^[+-](?![+-])/.test(line));

describe('a model of a file', () => {
  it('loads: each tensor beside the one of its file, and nothing to change', async () => {
    const model = await check({ m: fine });
    expect(model).toMatchObject({ verdict: 'loads', backend: 'onnxruntime', versions: [1], diff: null });
    expect(model.tensors).toStrictEqual([
      { side: 'input', name: 'x', configured: 'TYPE_FP32 [3]', file: 'TYPE_FP32 [-1, 3]', result: 'fits' },
      { side: 'output', name: 'y', configured: 'TYPE_FP32 [3]', file: 'TYPE_FP32 [-1, 3]', result: 'fits' },
    ]);
  });

  it('says what executes it here, the image that has its backend, and the models that its code names', async () => {
    const code = {
      config: `backend: "python"\n${x}\n${y}`,
      files: { '1/model.py': 'call("m"), call("code")' },
    };
    const trees = { config: `backend: "fil"\n${x}\n${y}`, files: { '1/xgboost.json': '{}' } };
    const models = { m: fine, code, trees, odd: { ...trees, config: trees.config.replace('fil', 'mine') } };
    const image = 'nvcr.io/nvidia/tritonserver:26.07-py3';
    const servedBy = 'ONNX Runtime in Triton’s Python backend';
    expect(await check(models)).toMatchObject({ servedBy, image, named: [] });
    expect(await check(models, 'code')).toMatchObject({ servedBy: 'Triton’s Python backend', named: ['m'] });
    expect(await check(models, 'trees')).toMatchObject({ servedBy: null, image });
    expect(await check(models, 'odd')).toMatchObject({ servedBy: null, image: null });
  });

  it.each([null, '', 'backend: "onnxruntime"\n'])(
    'is completed by Triton where %j is configured',
    async (config) => {
      const model = await check({ m: { config, onnx: {} } });
      expect(model).toMatchObject({ verdict: 'loads', problems: [], diff: null });
      expect(model.tensors.map(({ result }) => result)).toStrictEqual(['completed', 'completed']);
    },
  );

  it.each<readonly [string, Given, string, string | null, readonly string[]]>([
    [
      'a wrong name',
      { config: `${onnx}\n${x}\n${tensors('output', 'output')}\n`, onnx: {} },
      'the file has no output "output"; it has y',
      "unexpected inference output 'output', allowed outputs are: y",
      [`-${tensors('output', 'output')}`, `+${y}`],
    ],
    [
      'a wrong type',
      { config: `${onnx}\n${x.replace('FP32', 'FP16')}\n${y}\n`, onnx: {} },
      'the input x is TYPE_FP16 in config.pbtxt, but TYPE_FP32 in the file',
      "unable to load model 'm', configuration expects datatype TYPE_FP16 for input 'x', model provides TYPE_FP32",
      [`-${x.replace('FP32', 'FP16')}`, `+${x}`],
    ],
    [
      'wrong axes',
      { config: `${onnx}\n${x.replace('[ 3 ]', '[ 4 ]')}\n${y}\n`, onnx: {} },
      'the input x has dims [4] in config.pbtxt, but [3] in the file',
      "model 'm', tensor 'x': the model expects 2 dimensions (shape [-1,3]) but the model configuration specifies 2 dimensions (an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making complete shape [-1,4])",
      [`-${x.replace('[ 3 ]', '[ 4 ]')}`, `+${x}`],
    ],
    [
      'a fixed size for an output that varies',
      {
        config: `${onnx}\n${x}\n${y}\n`,
        onnx: { outputs: [{ name: 'y', shape: ['batch', 'n'] }] },
      },
      'the output y has dims [3] in config.pbtxt, but [-1] in the file',
      "tensor 'y': the model expects",
      [`-${y}`, `+${y.replace('[ 3 ]', '[ -1 ]')}`],
    ],
    [
      'batching of a file with a fixed batch',
      {
        config: `${onnx}\n${x}\n${y}\n`,
        onnx: { inputs: [{ name: 'x', shape: [1, 3] }], outputs: [{ name: 'y', shape: [1, 3] }] },
      },
      'max_batch_size is 8, but the first axis of the input x is 1',
      "autofill failed for model 'm': model does not support batching while non-zero max_batch_size is specified",
      [
        `-${onnx}`,
        `-${x}`,
        `-${y}`,
        `+${onnx.replace('8', '0')}`,
        `+${x.replace('[ 3 ]', '[ 1, 3 ]')}`,
        `+${y.replace('[ 3 ]', '[ 1, 3 ]')}`,
      ],
    ],
    [
      'a forgotten input',
      {
        config: `${onnx}\n${x}\n${y}\n`,
        onnx: { inputs: ['x', 'z'].map((name) => ({ name, shape: ['batch', 3] })) },
      },
      'the file has an input "z" that config.pbtxt lacks',
      "unable to load model 'm', configuration expects 1 inputs, model provides 2",
      [
        `-${x}`,
        `+input [ { name: "x" data_type: TYPE_FP32 dims: [ 3 ] }, { name: "z" data_type: TYPE_FP32 dims: [ 3 ] } ]`,
      ],
    ],
    [
      'another file name',
      { config: `${onnx}\n`, files: { '1/best.onnx': 'x' } },
      'the version folder has no model.onnx; it has best.onnx',
      "/m/1/model.onnx' for model instance 'm'",
      ['+default_model_filename: "best.onnx"'],
    ],
    [
      'no version folder',
      { config: `${onnx}\n`, files: { 'model.onnx': 'x' } },
      'the model has no version folder; model.onnx is beside config.pbtxt',
      "at least one version must be available under the version policy of model 'm'",
      [],
    ],
    [
      'a policy without its version',
      { ...fine, config: `${onnx}\nversion_policy { specific { versions: [ 3 ] } }\n${x}\n${y}\n` },
      'version_policy serves none of the version folders 1',
      'at least one version must be available',
      ['-version_policy { specific { versions: [ 3 ] } }'],
    ],
    [
      'another model’s name',
      { ...fine, config: `name: "other"\n${onnx}\n${x}\n${y}\n` },
      'config.pbtxt calls the model "other", its folder is "m"',
      "unexpected directory name 'm' for model 'other', directory name must equal model name",
      ['-name: "other"', '+name: "m"'],
    ],
    [
      'a preferred size beyond the maximum',
      { ...fine, config: `${onnx}\ndynamic_batching { preferred_batch_size: [ 4, 16 ] }\n${x}\n${y}\n` },
      'preferred_batch_size 16 is not between 1 and max_batch_size 8',
      'dynamic batching preferred size must be <= max batch size for m',
      [
        '-dynamic_batching { preferred_batch_size: [ 4, 16 ] }',
        '+dynamic_batching { preferred_batch_size: [ 4 ] }',
      ],
    ],
    [
      'a misnamed backend',
      { ...fine, config: `${onnx.replace('onnxruntime', 'onnx')}\n${x}\n${y}\n` },
      '"onnx" is not a backend of Triton; did you mean onnxruntime?',
      "unable to find backend library for backend 'onnx'",
      [`-${onnx.replace('onnxruntime', 'onnx')}`, `+${onnx}`],
    ],
    [
      'GPUs of a CPU group',
      { ...fine, config: `${onnx}\n${x}\n${y}\ninstance_group { kind: KIND_CPU gpus: [ 0 ] }\n` },
      'instance_group[0] is KIND_CPU and names GPUs',
      'instance group m_0 of model m has kind KIND_CPU but specifies one or more GPUs',
      ['-instance_group { kind: KIND_CPU gpus: [ 0 ] }', '+instance_group { kind: KIND_CPU }'],
    ],
    [
      'missing labels',
      { ...fine, config: `${onnx}\n${x}\noutput [ { name: "y" label_filename: "labels.txt" } ]\n` },
      'label_filename of the output y is missing: labels.txt',
      'failed to open text file for read',
      [],
    ],
    [
      'mistakes of writing, each corrected',
      {
        ...fine,
        config: `${onnx} # “tuned”\n${x.replace('"x"', '“x”').replace('FP32', 'FLOAT32')}\n${y.replace('3 ]', '3, ]')}\n`,
      },
      'Typographic quotes: “',
      'failed to read text proto from',
      [
        `-${x.replace('"x"', '“x”').replace('FP32', 'FLOAT32')}`,
        `-${y.replace('3 ]', '3, ]')}`,
        `+${x}`,
        `+${y}`,
      ],
    ],
    [
      'no backend',
      { config: 'max_batch_size: 1\n', files: { '1/weights.bin': 'x' } },
      'config.pbtxt names no backend',
      'Could not determine backend',
      [],
    ],
    [
      'a file that is something else',
      {
        config: `${onnx}\n`,
        files: { '1/model.onnx': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n' },
      },
      'Git LFS',
      null,
      [],
    ],
  ])('does not load with %s, and says what helps', async (_what, given, message, triton, diff) => {
    const model = await check({ m: given });
    expect(model.verdict).toBe('does not load');
    const said = model.problems.map((problem) => `${problem.message} ${problem.remedy}`).join('\n');
    expect(said).toContain(message);
    if (triton !== null) expect(model.problems.map((problem) => problem.triton).join('\n')).toContain(triton);
    expect(changes(model)).toStrictEqual(diff);
  });

  it('loads once the difference is applied', async () => {
    const given: Given = {
      config: `name: "a"\n${onnx}\n${x.replace('FP32', 'FP16')}\n${tensors('output', 'z')}\n`,
      onnx: {},
    };
    const before = await check({ m: given });
    expect(before.problems).toHaveLength(3);
    const lines = changes(before)
      .filter((line) => line.startsWith('+'))
      .map((line) => line.slice(1));
    const fixed = [lines[0], onnx, ...lines.slice(1), ''].join('\n');
    expect(await check({ m: { config: fixed, onnx: {} } })).toMatchObject({ verdict: 'loads', diff: null });
  });

  it('says "not checked" of what only a backend can read', async () => {
    const plan = Buffer.from('ftrt\0\0\0\0'.padEnd(24, '\0') + '\u000a\u0003\0\0', 'latin1');
    const models = {
      code: { config: `backend: "python"\n${x}\n${y}`, files: { '1/model.py': 'raise SystemExit' } },
      plan: { config: `platform: "tensorrt_plan"\n${x}\n${y}`, files: { '1/model.plan': plan } },
      script: {
        config: `platform: "pytorch_libtorch"\n${tensors('input', 'INPUT__0')}\n${tensors('output', 'OUTPUT__0')}`,
        files: {
          '1/model.pt': scripted(
            '  def forward(self: __torch__.M,\n    a: Tensor) -> Tensor:\n    return a\n',
          ),
        },
      },
      own: { config: `backend: "mine"\n${x}\n${y}`, files: { '1/model.bin': 'x' } },
    };
    const { repositories, text } = await checkRepositories([await repository(models)], directReaders);
    const found = repositories[0]?.models ?? [];
    expect(found.map(({ name, verdict }) => [name, verdict])).toStrictEqual(
      ['code', 'own', 'plan', 'script'].map((name) => [name, 'not checked']),
    );
    const said = Object.fromEntries(found.map(({ name, notChecked }) => [name, notChecked.join(' ')]));
    expect(said['code']).toContain('model.py is not executed');
    expect(said['plan']).toContain('TensorRT 10.3.0');
    expect(said['script']).toContain('the arguments of forward (a)');
    expect(said['own']).toContain('files of the backend mine are not read');
    expect(text).toBe('4 models: 4 not fully checked');
  });
});

describe('what is given', () => {
  it('is a repository, a model in it, or the config.pbtxt of one', async () => {
    const root = await repository({ a: fine, b: fine, e: { config: 'platform: "ensemble"' } });
    const of = async (...paths: readonly string[]) => {
      const { repositories } = await checkRepositories(paths, directReaders);
      return repositories.map(({ path, models }) => [path, models.map(({ name }) => name)]);
    };
    expect(await of(root)).toStrictEqual([[root, ['a', 'b', 'e']]]);
    expect(await of(join(root, 'b'))).toStrictEqual([[root, ['b']]]);
    expect(await of(join(root, 'a', 'config.pbtxt'), join(root, 'e'))).toStrictEqual([[root, ['a', 'e']]]);
    expect(await of(join(root, 'a'), root)).toStrictEqual([[root, ['a', 'b', 'e']]]);
  });

  it('is refused with the repository in it, where that is one folder below', async () => {
    const root = await repository({ a: fine });
    const error = await rejection(checkRepositories([dirname(root)], directReaders));
    expect(error).toMatchObject({
      ...{ code: 'input-invalid', message: `The repository is ${root}, not ${dirname(root)}` },
      remedy: `Give that folder: triton-workbench check ${root}`,
    });
  });

  it('names the file that cannot be read', async () => {
    const { problems, diff } = await check({ m: { ...fine, files: { '1/model.onnx': 'not a model' } } });
    expect(problems).toMatchObject([{ where: 'm/1/model.onnx' }]);
    expect(diff).toBeNull();
  });

  it('is refused where it is no repository', async () => {
    const file = await bench().put('x/readme.txt', 'x');
    for (const path of [file, dirname(file), join(dirname(file), 'nope')]) {
      const error = await rejection(checkRepositories([path], directReaders));
      expect(error.code).toBe('input-invalid');
      expect(error.where).toBe(path);
    }
  });
});
