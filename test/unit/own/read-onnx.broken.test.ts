import { execFileSync } from 'node:child_process';
import { symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { fileLimits } from '../../../main/contract/reader-limits';
import { refusesEach } from '../../support/model-bench';
import { field, onnxBytes } from '../../support/onnx-bytes';
import { zipBytes } from '../../support/zip-bytes';

const file = 'model-file-invalid';
const { protobufModel } = fileLimits;
const nested = (depth: number): Buffer => {
  let graph: Buffer = field(4, 'If');
  for (let level = 0; level < depth; level += 1)
    graph = Buffer.concat([field(4, 'If'), field(5, field(6, field(1, graph)))]);
  return field(1, graph);
};

refusesEach('an ONNX file', [
  {
    what: 'a path that is not there',
    make: ({ dir }) => Promise.resolve(join(dir, 'none.onnx')),
    code: 'input-invalid',
    says: ['none.onnx does not exist', 'an .onnx file'],
  },
  {
    what: 'a link that leads nowhere',
    make: async ({ dir }) => {
      const path = join(dir, 'link.onnx');
      await symlink('/nowhere', path);
      return path;
    },
    code: 'input-invalid',
    says: ['leads nowhere'],
  },
  {
    what: 'an empty file',
    make: ({ put }) => put('a.onnx', ''),
    code: file,
    says: ['a.onnx is empty', 'export it again'],
  },
  {
    what: 'a text named .onnx',
    make: ({ put }) => put('a.onnx', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\n'),
    code: file,
    says: ['a.onnx is a Git LFS pointer', 'git lfs pull'],
  },
  {
    what: 'an archive named .onnx',
    make: ({ put }) => put('a.onnx', zipBytes({ a: 'b' })),
    code: file,
    says: ['a.onnx is a ZIP archive (holds a)', 'unzip'],
  },
  {
    what: 'a truncated file',
    make: ({ put }) => put('a.onnx', onnxBytes().subarray(0, 40)),
    code: file,
    says: [/incomplete: it has 40 of at least \d+ bytes/],
  },
  {
    what: 'a file with thousands of inputs',
    make: ({ put }) => {
      const inputs = Array.from({ length: protobufModel.tensors + 1 }, (_unused, index) => ({
        name: `x${index}`,
        shape: [1],
      }));
      return put('a.onnx', onnxBytes({ inputs }));
    },
    code: file,
    says: [`More than ${protobufModel.tensors} inputs`],
  },
  {
    what: 'a file with a tensor of a hundred axes',
    make: ({ put }) => put('a.onnx', onnxBytes({ inputs: [{ name: 'x', shape: Array(100).fill(1) }] })),
    code: file,
    says: [`More than ${protobufModel.axes} axes`],
  },
  {
    what: 'more imported sets of operators than any',
    make: ({ put }) => {
      const sets = Array.from({ length: protobufModel.domains + 1 }, (_unused, index) =>
        field(8, field(1, `domain-${index}`)),
      );
      return put('a.onnx', Buffer.concat([onnxBytes(), ...sets]));
    },
    code: file,
    says: [`More than ${protobufModel.domains} imported sets`],
  },
  {
    what: 'operators of more domains than any',
    make: ({ put }) => {
      const operators = Array.from(
        { length: protobufModel.domains + 1 },
        (_unused, index) => `domain-${index}::Own`,
      );
      return put('a.onnx', onnxBytes({ operators }));
    },
    code: file,
    says: [`More than ${protobufModel.domains} domains`],
  },
  {
    what: 'a file of nothing but long names',
    make: ({ put }) => {
      const weight = field(5, field(8, 'n'.repeat(4096)));
      const count = Math.ceil(protobufModel.textBytes / 4096) + 1;
      return put('a.onnx', onnxBytes({ graph: [Buffer.concat(Array(count).fill(weight))] }));
    },
    code: file,
    says: [`Names of more than ${protobufModel.textBytes} bytes`],
  },
  {
    what: 'a file without a graph',
    make: ({ put }) => put('a.onnx', field(1, 8)),
    code: file,
    says: ['it has no graph'],
  },
  {
    what: 'no output',
    make: ({ put }) => put('a.onnx', onnxBytes({ outputs: [] })),
    code: file,
    says: ['no outputs', 'Export it so'],
  },
  {
    what: 'no input',
    make: ({ put }) => put('a.onnx', onnxBytes({ inputs: [] })),
    code: file,
    says: ['no inputs'],
  },
  {
    what: 'a bfloat16 output',
    make: ({ put }) => put('a.onnx', onnxBytes({ outputs: [{ name: 'out', type: 16, shape: [1] }] })),
    code: file,
    says: ['output "out" is bfloat16', 'FP32'],
  },
  {
    what: 'an output that is a sequence',
    make: ({ put }) =>
      put(
        'a.onnx',
        onnxBytes({
          outputs: [],
          graph: [field(12, Buffer.concat([field(1, 'list'), field(2, field(4, ''))]))],
        }),
      ),
    code: file,
    says: [
      'output "list" is a sequence and not a tensor',
      'Export the model with tensors as inputs and outputs',
    ],
  },
  {
    what: 'an input of unknown rank',
    make: ({ put }) => put('a.onnx', onnxBytes({ inputs: [{ name: 'x', shape: null }] })),
    code: file,
    says: ['how many axes the input "x" has', '--shape x=1,3,224,224.'],
  },
  {
    what: 'an output of unknown rank',
    make: ({ put }) => put('a.onnx', onnxBytes({ outputs: [{ name: 'y', shape: null }] })),
    code: file,
    says: ['how many axes the output "y" has', 'infer_shapes(onnx.load("', 'a-shapes.onnx'],
  },
  {
    what: 'an input and outputs of unknown rank',
    make: ({ put }) =>
      put(
        'a.onnx',
        onnxBytes({
          inputs: [{ name: 'x', shape: null }],
          outputs: [
            { name: 'y', shape: null },
            { name: 'z', shape: null },
          ],
        }),
      ),
    code: file,
    says: [
      'how many axes the input "x" and the outputs "y", "z" have',
      '--shape x=',
      'Export the model again',
    ],
  },
  {
    what: 'a custom operator',
    make: ({ put }) => put('a.onnx', onnxBytes({ operators: ['com.acme::Own'] })),
    code: file,
    says: ['custom operators of the domain "com.acme": Own', 'perf -m MODEL'],
  },
  {
    what: 'a tokenizer of another library',
    make: ({ put }) => put('a.onnx', onnxBytes({ operators: ['ai.onnx.contrib::BertTokenizer'] })),
    code: file,
    says: ['"ai.onnx.contrib": BertTokenizer', 'onnxruntime-extensions'],
  },
  {
    what: 'a plugin of TensorRT',
    make: ({ put }) => put('a.onnx', onnxBytes({ operators: ['Conv', 'EfficientNMS_TRT'] })),
    code: file,
    says: ['plugins of TensorRT that ONNX Runtime does not have: EfficientNMS_TRT', 'nms=False'],
  },
  {
    what: 'weights above the folder',
    make: ({ put }) => put('a.onnx', onnxBytes({ external: '../weights.bin' })),
    code: file,
    says: ['outside the model folder: "../weights.bin"', 'beside the model'],
  },
  {
    what: 'weights hidden in a path',
    make: ({ put }) => put('a.onnx', onnxBytes({ external: 'a/../../weights.bin' })),
    code: file,
    says: ['outside the model folder'],
  },
  {
    what: 'weights at a full path',
    make: ({ put }) => put('a.onnx', onnxBytes({ external: '/etc/passwd' })),
    code: file,
    says: ['"/etc/passwd"'],
  },
  {
    what: 'weights behind a link',
    make: async ({ put, dir }) => {
      await symlink('/etc/passwd', join(dir, 'w'));
      return put('a.onnx', onnxBytes({ external: 'w' }));
    },
    code: file,
    says: ['"w" is not a regular file', 'Links are not followed'],
  },
  {
    what: 'weights in a linked folder',
    make: async ({ put, dir }) => {
      await symlink('/etc', join(dir, 'd'));
      return put('a.onnx', onnxBytes({ external: 'd/passwd' }));
    },
    code: file,
    says: ['"d/passwd" is not a regular file'],
  },
  {
    what: 'weights that are missing',
    make: ({ put }) => put('a.onnx', onnxBytes({ external: 'w.bin' })),
    code: file,
    says: ['weights "w.bin" is missing'],
  },
  {
    what: 'graphs nested without end',
    make: ({ put }) => put('a.onnx', onnxBytes({ graph: [nested(200)] })),
    code: file,
    says: ['nested more than 32 deep'],
  },
  {
    what: 'two gigabytes of nothing',
    make: async ({ put }) => {
      const path = await put('a.onnx', '');
      await truncate(path, 2 ** 31);
      return path;
    },
    code: file,
    says: ['only zero bytes'],
  },
  {
    what: 'a pipe',
    make: ({ dir }) => {
      const path = join(dir, 'pipe.onnx');
      execFileSync('mkfifo', [path]);
      return Promise.resolve(path);
    },
    code: file,
    says: ['pipe.onnx is a pipe, socket or device'],
  },
  {
    what: 'a device',
    make: async ({ dir }) => {
      const path = join(dir, 'zero.onnx');
      await symlink('/dev/zero', path);
      return path;
    },
    code: file,
    says: ['device'],
  },
  {
    what: 'an unknown ending',
    make: ({ put }) => put('model.bin', 'x'),
    code: file,
    says: ['model.bin is, by its name, a file of weights', 'Export ONNX'],
  },
]);
