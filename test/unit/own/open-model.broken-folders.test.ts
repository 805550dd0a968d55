import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ModelBench, refusesEach } from '../../support/model-bench';
import { onnxBytes } from '../../support/onnx-bytes';

const inFolder = 'model-folder-invalid';
const write = (name: string, text: string) => (path: string) => writeFile(join(path, name), text);
const drop = (name: string) => (path: string) => rm(join(path, name));
const repository = async (
  { put, dir }: ModelBench,
  config: string | null,
  files: Readonly<Record<string, string | Buffer>>,
) => {
  if (config !== null) await put('repo/config.pbtxt', config);
  for (const [name, content] of Object.entries(files)) await put(`repo/${name}`, content);
  return join(dir, 'repo');
};
const served = (backend: string) =>
  `name: "m"\nbackend: "${backend}"\nmax_batch_size: 4\ninput [{ name: "x" data_type: TYPE_FP32 dims: [3] }]\n`;

refusesEach('a folder', [
  {
    what: 'an empty folder',
    make: async ({ dir }) => {
      const path = join(dir, 'empty');
      await mkdir(path);
      return path;
    },
    code: inFolder,
    says: ['The folder holds no model', 'init DIR'],
  },
  {
    what: 'a folder of weights without code',
    make: async ({ put }) => dirname(await put('weights/model.pt', 'x')),
    code: inFolder,
    says: ['no model.py; it holds model.pt', 'Give the file itself'],
  },
  {
    what: 'a folder with a TorchScript file of another ending',
    make: async ({ put }) => dirname(await put('traced/model.jit', 'x')),
    code: inFolder,
    says: ['no model.py; it holds model.jit', 'Give the file itself'],
  },
  {
    what: 'a repository of two models',
    make: async ({ put }) => {
      await put('models/other/1/model.onnx', 'x');
      await put('models/notes/readme.txt', 'x');
      return dirname(dirname(await put('models/mine/config.pbtxt', 'name: "mine"')));
    },
    code: inFolder,
    says: ['a whole model repository with 2 models: mine, other', 'Give one of them: '],
  },
  {
    what: 'a folder without model.py',
    make: ({ folder }) => folder(drop('model.py')),
    code: inFolder,
    says: ['lacks model.py', 'init '],
  },
  {
    what: 'a folder without dataloader.py',
    make: ({ folder }) => folder(drop('dataloader.py')),
    code: inFolder,
    says: ['lacks dataloader.py', 'init '],
  },
  {
    what: 'a folder without metrics.py',
    make: ({ folder }) => folder(drop('metrics.py')),
    code: inFolder,
    says: ['lacks metrics.py', 'init '],
  },
  {
    what: 'a folder without preset.yaml',
    make: ({ folder }) => folder(drop('preset.yaml')),
    code: inFolder,
    says: ['The model folder lacks preset.yaml', 'triton-workbench init /'],
  },
  {
    what: 'a preset.yaml that is no YAML',
    make: ({ folder }) => folder(write('preset.yaml', 'id: [\n')),
    code: inFolder,
    says: ['preset.yaml: '],
  },
  {
    what: 'a preset.yaml without a signature',
    make: ({ folder }) => folder(write('preset.yaml', 'id: m\ntitle: M\nsummary: s\n')),
    code: inFolder,
    says: ['preset.yaml lacks formats, precisions', 'signature'],
  },
  {
    what: 'model.py without get_model',
    make: ({ folder }) => folder(write('model.py', 'import marks\ndef make():\n  pass\n')),
    code: inFolder,
    says: ['model.py does not define get_model', 'model.py'],
  },
  {
    what: 'dataloader.py without its function',
    make: ({ folder }) => folder(write('dataloader.py', 'import marks\n')),
    code: inFolder,
    says: ['does not define get_dataloader_fn'],
  },
  {
    what: 'metrics.py without its class',
    make: ({ folder }) => folder(write('metrics.py', 'import marks\n')),
    code: inFolder,
    says: ['does not define MetricsCalculator'],
  },
  {
    what: 'a link out of the folder',
    make: ({ folder }) => folder((path) => symlink('/etc/passwd', join(path, 'data.py'))),
    code: inFolder,
    says: ['data.py is a link that leads out', 'Copy its target'],
  },
  {
    what: 'a pipe in the folder',
    make: ({ folder }) => folder((path) => Promise.resolve(execFileSync('mkfifo', [join(path, 'pipe.py')]))),
    code: inFolder,
    says: ['pipe.py is not a regular file'],
  },
  {
    what: 'a whole repository',
    make: async ({ put, dir }) => {
      await put('all/a/config.pbtxt', '');
      await put('all/b/config.pbtxt', '');
      return join(dir, 'all');
    },
    code: inFolder,
    says: ['repository with 2 models', 'all/a'],
  },
  {
    what: 'a repository of models without config.pbtxt',
    make: async ({ put }) => {
      await put('all/b/1/model.onnx', onnxBytes());
      return dirname(dirname(dirname(await put('all/a/1/model.onnx', onnxBytes()))));
    },
    code: inFolder,
    says: ['repository with 2 models: a, b', 'Give one of them: '],
  },
  {
    what: 'a folder with a repository in it',
    make: async ({ put, dir }) => {
      await put('project/models/a/config.pbtxt', '');
      return join(dir, 'project');
    },
    code: inFolder,
    says: ['repository with 1 model: a', 'project/models/a'],
  },
  {
    what: 'a model without a version folder',
    make: (bench) => repository(bench, served('onnxruntime'), { 'model.onnx': onnxBytes() }),
    code: inFolder,
    says: ['no version folder; model.onnx is beside config.pbtxt', 'mkdir ', 'give the file: '],
  },
  {
    what: 'a model file of another name',
    make: (bench) => repository(bench, served('onnxruntime'), { '1/best.onnx': onnxBytes() }),
    code: inFolder,
    says: ['has no model.onnx; it has best.onnx', 'default_model_filename: "best.onnx"', '1/best.onnx'],
  },
  {
    what: 'an ensemble',
    make: (bench) =>
      repository(bench, 'platform: "ensemble"\nensemble_scheduling { step [{ model_name: "a" }] }', {}),
    code: inFolder,
    says: ['An ensemble has no model file of its own: its only step is "a"', 'perf -m'],
  },
  {
    what: 'an ensemble of two',
    make: (bench) =>
      repository(
        bench,
        'platform: "ensemble"\nensemble_scheduling { step [{ model_name: "ok" }, { model_name: "b" }] }',
        {},
      ),
    code: inFolder,
    says: ['its steps are "ok", "b"'],
  },
  {
    what: 'a damaged config.pbtxt',
    make: (bench) => repository(bench, 'name: "m\nmax_batch_size: {', {}),
    code: inFolder,
    says: ['config.pbtxt, line 1', 'A text is not closed'],
  },
  {
    what: 'a config.pbtxt without a version',
    make: (bench) => repository(bench, served('onnxruntime'), {}),
    code: inFolder,
    says: ['no version folder', 'folder "1"'],
  },
  {
    what: 'a version without the model file',
    make: (bench) => repository(bench, served('onnxruntime'), { '1/other': '' }),
    code: inFolder,
    says: ['lacks the model file', 'model.onnx'],
  },
  {
    what: 'a model of the Python backend',
    make: (bench) =>
      repository(bench, served('python'), { '1/model.py': `open(${JSON.stringify(bench.executed)}, "w")` }),
    code: inFolder,
    says: ['it is not executed', 'init DIR'],
  },
  {
    what: 'a model of an unknown backend',
    make: (bench) => repository(bench, served('tensorrt'), { '1/model.plan': '' }),
    code: inFolder,
    says: ['backend "tensorrt"'],
  },
]);
