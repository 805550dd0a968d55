import { dirname } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { type Broken, refusesEach } from '../../support/model-bench';
import { field, onnxBytes } from '../../support/onnx-bytes';
import { zipBytes } from '../../support/zip-bytes';

/** A pickle of protocol 4 that names a class. */
const pickled = (module: string, name: string) =>
  Buffer.concat([
    Buffer.from('8004958000000000000000', 'hex'),
    Buffer.from([0x8c, module.length]),
    Buffer.from(module),
    Buffer.from([0x94, 0x8c, name.length]),
    Buffer.from(name),
    Buffer.from('9493942e', 'hex'),
  ]);
const safetensors = Buffer.concat([Buffer.from([16, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('{"w":{"dtype":1}}')]);
const node = Buffer.concat([field(1, 'x'), field(2, 'Placeholder')]);
const meta = field(1, field(1, '2.16'));
const description = field(2, field(1, field(1, 'image')));

const files: readonly (readonly [string, string | Buffer, ...(string | RegExp)[]])[] = [
  ['model.onnx', '<!DOCTYPE html><html><title>Log in</title></html>', 'web page', '"Log in"'],
  ['m.onnx', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 9876543\n', '9,876,543 bytes'],
  ['m.pt', 'version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 98\n', 'Git LFS pointer'],
  ['m.onnx', '/annex/objects/SHA256E-s1--00.onnx\n', 'git annex get'],
  ['m.onnx', 'Access denied: sign in first\n', 'a short text, not a model', '"Access denied: sign in first"'],
  ['m.onnx', Buffer.alloc(4000), 'only zero'],
  ['m.onnx', gzipSync(onnxBytes()), 'compressed with gzip', 'gunzip'],
  ['m.pt', gzipSync('x'), 'compressed with gzip'],
  ['m.onnx', zipBytes({ 'best.onnx': 'x' }), 'holds best.onnx', 'unzip'],
  ['m.pt', zipBytes({ 'best.onnx': 'x' }), 'holds best.onnx'],
  ['m.onnx', safetensors, 'safetensors file: weights without a graph', 'config.json'],
  ['m.onnx', `....TFL3${'\0'.repeat(40)}`, 'TensorFlow Lite', '--tflite'],
  ['m.onnx', Buffer.from('894844460d0a1a0a00', 'hex'), 'HDF5', 'load_model'],
  ['m.bin', onnxBytes(), 'an ONNX model under another name', 'mv '],
  ['m.onnx', zipBytes({ 'config.json': '{}', 'model.weights.h5': 'w' }), 'a Keras model', 'export'],
  ['m.onnx', zipBytes({ 'm/archive_format': 'pt2' }), 'torch.export'],
  ['m.zip', zipBytes({ 'm/code/__torch__.py': 'x', 'm/constants.pkl': 'x' }), 'TorchScript', 'model.pt'],
  ['m.bin', zipBytes({ 'm/data.pkl': 'x', 'm/data/0': 'w' }), 'torch.save', 'not unpickled'],
  [
    'm.pkl',
    pickled('sklearn.ensemble._forest', 'RandomForestClassifier'),
    'RandomForestClassifier',
    'skops.io.dump',
  ],
  ['m.onnx', pickled('xgboost.sklearn', 'XGBClassifier'), 'a pickle of XGBoost', 'm.ubj'],
  ['m.pkl', pickled('lightgbm.basic', 'Booster'), 'a pickle of LightGBM', 'booster_'],
  ['m.joblib', deflateSync('x'), 'joblib', 'skops.io.dump'],
  ['m.onnx', '{"learner":{"gradient_booster":{}}}', 'XGBoost', 'under another name'],
  ['m.pt', 'tree\nversion=v4\n', 'LightGBM', 'under another name'],
  ['m.onnx', '<?xml version="1.0"?>\n<net name="m" version="11">', 'OpenVINO'],
  ['m.pb', Buffer.concat([field(1, node), field(1, node)]), 'm.pb is a TensorFlow graph', '--graphdef'],
  ['m.pb', Buffer.concat([field(1, 1), field(2, meta)]), 'SavedModel', 'saved_model.pb'],
  ['m.pb', 'x', 'by its name, a TensorFlow graph'],
  ['m.onnx', Buffer.concat([field(1, 4), description, field(500, 'x')]), 'Core ML'],
  [
    'm.onnx',
    Buffer.concat([field(1, Buffer.concat([field(1, 0), field(2, 0)])), field(4, 'v')]),
    'PaddlePaddle',
    'paddle2onnx',
  ],
  ['m.gguf', 'GGUF\x03', 'GGUF', 'optimum-cli'],
  ['m.onnx', 'GGUF\x03', 'GGUF'],
  ['m.engine', 'ftrt\0', 'TensorRT engine', '--format trt'],
  ['config.json', '{"architectures":["Bert"],"model_type":"bert"}', 'Hugging Face', 'model.safetensors'],
  ['a.npy', '\x93NUMPY', 'data, not a model'],
  ['run.yaml', 'model: {preset: resnet50}', '--spec'],
];

refusesEach(
  'a file of another kind',
  files.map(([name, content, ...says], index): Broken => ({
    what: `${index}: ${name} that is ${String(says[0])}`,
    make: ({ put }) => put(name, typeof content === 'string' ? Buffer.from(content, 'latin1') : content),
    code: 'model-file-invalid',
    says,
  })),
);

refusesEach('a folder of another program', [
  {
    what: 'a folder with an OpenVINO model',
    make: async ({ put }) => dirname(await put('ir/model.xml', '<net name="m">')),
    code: 'model-folder-invalid',
    says: ['no model.py; model.xml is an OpenVINO model', 'OpenVINO backend'],
  },
]);
