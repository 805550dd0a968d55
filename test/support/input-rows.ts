import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { repository } from './home';
import { scripted } from './model-bench';
import { onnxBytes, type OnnxText } from './onnx-bytes';
import { savedModelBytes } from './savedmodel-bytes';
import { lightgbmText, skopsBytes, xgboostDocument } from './tree-files';
import { zipBytes } from './zip-bytes';

/** Makes what somebody has in an empty folder; the arguments of the command line that it is given to. */
export type MakeInput = (dir: string) => Promise<readonly string[]>;

const put = async (dir: string, name: string, content: string | Buffer): Promise<string> => {
  const path = join(dir, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, typeof content === 'string' ? Buffer.from(content, 'latin1') : content);
  return path;
};

const fixture = (name: string): string => join(repository, 'test', 'fixtures', 'inputs', name);
const own =
  (name: string, ...more: readonly string[]): MakeInput =>
  () =>
    Promise.resolve(['spec', fixture(name), ...more]);
const file =
  (name: string, content: string | Buffer, ...more: readonly string[]): MakeInput =>
  async (dir) => ['spec', await put(dir, name, content), ...more];
const onnx = (text: OnnxText, ...more: readonly string[]): MakeInput =>
  file('model.onnx', onnxBytes(text), ...more);

/** An ONNX file as a run reads it to its export; what is measured is as short as can be. */
const run =
  (name: string, ...more: readonly string[]): MakeInput =>
  () =>
    Promise.resolve([
      ...['run', fixture(name), '--quiet', '--batch-sizes', '1', '--concurrency', '1'],
      ...['--measurement-interval-ms', '200', '--set', 'performance.maxTrials=3', ...more],
    ]);

/** The template of a model folder with one change. */
const folder =
  (change: (path: string) => Promise<unknown>): MakeInput =>
  async (dir) => {
    const path = join(dir, 'folder');
    await cp(join(repository, 'resources', 'own', 'template'), path, { recursive: true });
    await change(path);
    return ['spec', path];
  };

const picture = { name: 'input.1', shape: ['batch', 3, 64, 64] };
const served = onnxBytes({ inputs: [picture], outputs: [{ name: '508', shape: ['batch', 8] }] });
const config = (
  input = 'name: "input.1" data_type: TYPE_FP32 dims: [3,64,64]',
  output = 'name: "508"',
): string =>
  `platform: "onnxruntime_onnx"\nmax_batch_size: 8\ninput [{ ${input} }]\noutput [{ ${output} data_type: TYPE_FP32 dims: [8] }]\n`;

/** A folder of a Triton repository; null: without a config.pbtxt. */
const model =
  (
    text: string | null,
    files: Readonly<Record<string, string | Buffer>> = { '1/model.onnx': served },
  ): MakeInput =>
  async (dir) => {
    if (text !== null) await writeFile(join(dir, 'config.pbtxt'), text);
    for (const [name, content] of Object.entries(files)) await put(dir, name, content);
    return ['spec', dir];
  };

const pickle = (name: string): Buffer =>
  Buffer.concat([Buffer.from([0x80, 4, 0x95, 0, 0, 0, 0, 0, 0, 0, 0, 0x8c, name.length]), Buffer.from(name)]);
const state = zipBytes({ 'm/data.pkl': 'x', 'm/data/0': 'w' });

/** What people have, by the first cell of its row in docs/guide/inputs.md. */
export const inputRows: Readonly<Record<string, MakeInput>> = {
  'numbers in and out, with a batch axis': onnx({}),
  'no batch axis (a first axis of fixed size)': onnx({ inputs: [{ name: 'x', shape: [1, 3] }] }),
  'axes of any length': onnx({ inputs: [{ name: 'ids', type: 7, shape: ['batch', 'length'] }] }),
  'text input': onnx({
    inputs: [{ name: 'text', type: 8, shape: ['N', 1] }],
  }),
  'a table with text columns (scikit-learn)': own('sklearn-zipmap/columns.onnx'),
  'text labels as output': own('string-input/label_out.onnx'),
  'a classifier with ZipMap (scikit-learn, LightGBM, CatBoost)': own('sklearn-zipmap/clf_zipmap.onnx'),
  'the same with `zipmap=False`': own('sklearn-zipmap/clf_nozipmap.onnx'),
  'bfloat16 in or out': onnx({ outputs: [{ name: 'y', type: 16, shape: ['batch', 3] }] }),
  'operators of com.microsoft': own('custom-op/ms_gelu.onnx'),
  'operators of onnxruntime-extensions': own('custom-op/tokenizer_ext.onnx'),
  'your own operators': onnx({ operators: ['com.acme::Own'] }),
  'TensorRT plugins (EfficientNMS_TRT)': own('custom-op/trt_nms.onnx'),
  'an input without a shape': own('wrong-declared-shape/norank_in.onnx'),
  'an output without a shape': own('wrong-declared-shape/nodecl.onnx'),
  'weights in a file that is missing': onnx({ external: 'model.onnx.data' }),
  'an incomplete download': file('model.onnx', served.subarray(0, served.length - 20)),
  'an empty file': file('model.onnx', ''),

  'a Git LFS pointer': file(
    'model.onnx',
    'version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 102400\n',
  ),
  'a web page in place of the file': file(
    'model.onnx',
    '<!DOCTYPE html><html><head><title>Sign in</title></head></html>',
  ),
  'a .gz file': file('model.onnx', gzipSync(served)),
  'a .zip file': file('model.zip', zipBytes({ 'best.onnx': 'x' })),
  'Keras, .keras': file('model.keras', zipBytes({ 'config.json': '{}', 'model.weights.h5': 'w' })),
  'Keras or weights, .h5': file('model.h5', Buffer.from('894844460d0a1a0a', 'hex')),
  'TensorFlow Lite, also named .onnx': file('model.onnx', `\x1c\0\0\0TFL3${'\0'.repeat(40)}`),
  'a frozen graph, .pb': file('frozen_graph.pb', Buffer.from('0a05', 'hex')),
  'scikit-learn, .pkl': file('model.pkl', pickle('sklearn.ensemble._forest')),
  'scikit-learn, .joblib': file('model.joblib', Buffer.from('80042e', 'hex')),
  'XGBoost, JSON or UBJSON': file('model.json', JSON.stringify(xgboostDocument())),
  'LightGBM, text': file('model.txt', lightgbmText()),
  'scikit-learn, .skops': file('model.skops', skopsBytes()),
  'XGBoost, a pickle': file('model.pkl', pickle('xgboost.sklearn')),
  'CatBoost, .cbm or JSON': file('model.cbm', 'CBM1'),
  'weights of PyTorch (.pth, .bin)': file('pytorch_model.bin', state),
  safetensors: file(
    'model.safetensors',
    Buffer.from('100000000000000 07b2261223a317d'.replace(' ', ''), 'hex'),
  ),
  GGUF: file('model.gguf', 'GGUF'),
  'OpenVINO, .xml': file('model.xml', '<net name="m" version="11"/>'),
  PaddlePaddle: file('model.pdmodel', Buffer.from('0a00', 'hex')),
  'Core ML': file('model.mlmodel', Buffer.from('0801', 'hex')),
  'ONNX Runtime’s own format, .ort': file('model.ort', '\0\0\0\0ORTM'),
  'a TensorRT engine (.plan, .engine)': file('model.engine', 'ftrt'),
  'raw weights, .bin': file('model.bin', Buffer.from([0])),

  'a TorchScript file': file('model.pt', scripted('  def forward(self: M,\n    x: Tensor) -> Tensor:\n')),
  'a .pt file of torch.save': file('weights.pt', state),
  'a SavedModel folder': async (dir) => [
    'spec',
    dirname(await put(dir, 'saved/saved_model.pb', savedModelBytes())),
  ],
  'a SavedModel with text input': async (dir) => [
    'spec',
    dirname(await put(dir, 'saved/saved_model.pb', savedModelBytes({ inputs: [{ name: 'text', type: 7 }] }))),
  ],

  'files that are missing': folder((path) =>
    Promise.all(['model.py', 'metrics.py'].map((name) => rm(join(path, name)))),
  ),
  'a preset.yaml with one key': folder((path) =>
    writeFile(join(path, 'preset.yaml'), 'title: Mine\nprecision: fp32\n'),
  ),
  'a forward that returns a dict': run(
    'dict-model',
    ...['--trust', '--format', 'ts-script', '--dataset', fixture('dict-model')],
  ),
  'no make_dataset.py, and no `--dataset`': folder((path) => rm(join(path, 'make_dataset.py'))),

  'no config.pbtxt, or an empty one': model(null),
  'no version folder': model(config(), { 'model.onnx': served }),
  'another file name': model(config(), { '1/best.onnx': served }),
  'a whole repository': async (dir) => {
    for (const name of ['a', 'b']) await put(dir, `${name}/1/model.onnx`, served);
    return ['spec', dir];
  },
  'a batch size for a file without batches': model(
    config('name: "x" data_type: TYPE_FP32 dims: [3]', 'name: "y"'),
    {
      '1/model.onnx': onnxBytes({ inputs: [{ name: 'x', shape: [1, 3] }] }),
    },
  ),
  'a name that the file does not have': model(config(undefined, 'name: "output"')),
  'a datatype that the file does not have': model(
    config('name: "input.1" data_type: TYPE_FP16 dims: [3,64,64]'),
  ),
  'a datatype that does not exist': model(config('name: "input.1" data_type: TYPE_FLOAT32 dims: [3,64,64]')),
  'typographic quotes': async (dir) => {
    await put(dir, '1/model.onnx', served);
    await writeFile(join(dir, 'config.pbtxt'), config().replace('"onnxruntime_onnx"', '“onnxruntime_onnx”'));
    return ['spec', dir];
  },
  'a trailing comma': model(config('name: "input.1" data_type: TYPE_FP32 dims: [3,64,64,]')),
  'a model of the Python backend': model('backend: "python"\n', {
    '1/model.py': 'class TritonPythonModel:\n    def execute(self, requests):\n        return []\n',
  }),
  'a model.py without execute': model('backend: "python"\n', {
    '1/model.py': 'class TritonPythonModel: pass',
  }),
  'a byte order mark': model(`\ufeff${config()}`),
  'a field that is written twice': model(`${config()}max_batch_size: 4\n`),
  'an ensemble without its models': model(
    'platform: "ensemble"\nensemble_scheduling { step [{ model_name: "first" model_version: -1 }] }\n',
    { '1/.keep': '' },
  ),

  'any number of boxes (NonMaxSuppression)': own('nms-zero-rows/yolo_nms.onnx'),
  'an output that may be empty': run('zero-output/zero.onnx'),
  'a batch size of 1, fixed in the graph (Reshape)': run('baked-batch/baked.onnx'),
  'a maximum sequence length': run('length-limit/pos.onnx'),
  'an operator set of a newer ONNX': run('too-new/opset99.onnx'),
  'a newer version of the file format': run('too-new/ir99.onnx'),
  'an operator set that is years old': own('too-new/opset6.onnx'),
  'a declared output shape that is wrong': run('wrong-declared-shape/wrongdecl.onnx'),
};

/** Rows whose words come from more than opening the model; and of the others one of each kind. */
export const rowsOfCommand: ReadonlySet<string> = new Set([
  'numbers in and out, with a batch axis',
  'axes of any length',
  'a classifier with ZipMap (scikit-learn, LightGBM, CatBoost)',
  'a web page in place of the file',
  'a TorchScript file',
  'a SavedModel folder',
  'a preset.yaml with one key',
  'no make_dataset.py, and no `--dataset`',
  'a forward that returns a dict',
  'a model of the Python backend',
  'a datatype that does not exist',
  'a declared output shape that is wrong',
  'an output that may be empty',
  'a batch size of 1, fixed in the graph (Reshape)',
  'a maximum sequence length',
  'an operator set of a newer ONNX',
  'a newer version of the file format',
]);

/** A row of a table in docs/guide/inputs.md. */
export interface PageRow {
  readonly name: string;
  readonly happens: string;
  readonly words: readonly string[];
}

export function pageRows(page: string): readonly PageRow[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (---|What you have)/.test(line))
    .map((line) => {
      const [, name = '', happens = '', words = ''] = line.split('|').map((cell) => cell.trim());
      return { name, happens, words: [...words.matchAll(/`([^`]+)`/g)].map(([, text]) => text ?? '') };
    });
}

/** What an error of an input never has: words of parsers, and remedies that say nothing. */
const neverSaid =
  /field of the unknown type|Correct the named field|std::|onnxruntime::|Use an ONNX or TorchScript file that|A model folder must contain/;

/** Asserts that the row says what is printed. `isOk`: the command ended with 0. */
export function expectRow({ name, happens, words }: PageRow, printed: string, isOk: boolean): void {
  for (const text of words) {
    const parts = text.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    expect(printed, name).toMatch(new RegExp(parts.join('.*')));
  }
  expect([name, isOk]).toEqual([name, /^(opens|runs)$/.test(happens)]);
  // Below the reason, the runtime's own words are shown whole.
  expect(printed.split('\n  details:')[0]).not.toMatch(neverSaid);
  if (!isOk) expect(printed).toMatch(/remedy: .{10}/);
}
