import { mkdir, symlink, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ModelBench, refusesEach } from '../../support/model-bench';
import { savedModelBytes, type SavedModelText } from '../../support/savedmodel-bytes';

const folder = 'model-folder-invalid';
const saved =
  (text: SavedModelText | Buffer | string) =>
  async ({ put }: ModelBench): Promise<string> => {
    const content = Buffer.isBuffer(text) || typeof text === 'string' ? text : savedModelBytes(text);
    return dirname(await put('saved/saved_model.pb', content));
  };

refusesEach('a SavedModel', [
  {
    what: 'an empty saved_model.pb',
    make: saved(''),
    code: folder,
    says: ['The SavedModel is incomplete', 'saved_model.pb is empty', 'export it again'],
  },
  {
    what: 'a text named saved_model.pb',
    make: saved('version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n'),
    code: folder,
    says: ['The SavedModel is incomplete'],
  },
  {
    what: 'a truncated file',
    make: saved(savedModelBytes().subarray(0, 60)),
    code: folder,
    says: ['The SavedModel is incomplete', 'beyond the end'],
  },
  {
    what: 'two gigabytes of zeros',
    make: async (bench) => {
      const path = await saved('')(bench);
      await truncate(join(path, 'saved_model.pb'), 2 ** 31);
      return path;
    },
    code: folder,
    says: ['The SavedModel is incomplete'],
  },
  {
    what: 'a saved_model.pb that is a folder',
    make: async ({ dir }) => {
      await mkdir(join(dir, 'saved', 'saved_model.pb'), { recursive: true });
      return join(dir, 'saved');
    },
    code: folder,
    says: ['no regular file'],
  },
  {
    what: 'a file without a graph',
    make: saved(Buffer.from([8, 1])),
    code: folder,
    says: ['it has no graph', 'tf.saved_model.save'],
  },
  {
    what: 'a graph for training alone',
    make: saved({ tags: ['train'] }),
    code: folder,
    says: ['no graph with the tag "serve"', /\[train\]/],
  },
  {
    what: 'another signature',
    make: saved({ signature: 'classify' }),
    code: folder,
    says: ['no signature "serving_default"; it has: classify', 'signatures='],
  },
  {
    what: 'no input',
    make: saved({ inputs: [] }),
    code: folder,
    says: ['no inputs'],
  },
  {
    what: 'no output',
    make: saved({ outputs: [] }),
    code: folder,
    says: ['no outputs'],
  },
  {
    what: 'a text input',
    make: saved({ inputs: [{ name: 'words', type: 7 }] }),
    code: folder,
    says: ['The input "words" is text (string', 'perf -m MODEL', 'inputs are numbers'],
  },
  {
    what: 'a sparse input',
    make: saved({ inputs: [{ name: 'ids', sparse: true }] }),
    code: folder,
    says: ['The input "ids" is a sparse or composite tensor'],
  },
  {
    what: 'an output of unknown rank',
    make: saved({ outputs: [{ name: 'y', shape: null }] }),
    code: folder,
    says: ['how many axes the output y has', 'tf.ensure_shape'],
  },
  {
    what: 'a call of a Python function',
    make: saved({ inFunction: ['EagerPyFunc'] }),
    code: folder,
    says: [/Python function \(EagerPyFunc\)/, "TensorFlow's own operations"],
  },
  {
    what: 'variables that are missing',
    make: saved({ operators: ['VarHandleOp'] }),
    code: folder,
    says: ['lacks its variables', 'Copy the whole folder'],
  },
  {
    what: 'a missing part of the variables',
    make: async (bench) => {
      await bench.put('saved/variables/variables.index', 'i');
      await bench.put('saved/variables/variables.data-00000-of-00002', 'w');
      return saved({})(bench);
    },
    code: folder,
    says: ['1 of the 2 files'],
  },
  {
    what: 'variables that are a link to another place',
    make: async (bench) => {
      const path = await saved({})(bench);
      await bench.put('elsewhere/variables.index', 'i');
      await symlink(join(bench.dir, 'elsewhere'), join(path, 'variables'));
      return path;
    },
    code: folder,
    says: ['a link that leads out of the model folder'],
  },
  {
    what: 'a graph written as text',
    make: async ({ put }) => dirname(await put('saved/saved_model.pbtxt', 'meta_graphs {}')),
    code: folder,
    says: ['saved_model.pbtxt', 'Save it again'],
  },
]);
