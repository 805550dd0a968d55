import { shellWord } from '../contract/flag-text';

/** A file that is not an openable model, and how to get one from it. */
export interface FileKind {
  /** A noun phrase: "model.h5 is …". */
  readonly what: string;
  readonly way: (path: string) => string;
}

const kind = (what: string, way: string | FileKind['way']): FileKind => ({
  what,
  way: typeof way === 'string' ? () => way : way,
});

const shellLine = (code: string): string => `python -c ${shellWord(code)}`;
const quoted = (path: string, ending: string): readonly [string, string] => [
  JSON.stringify(path),
  JSON.stringify(path.replace(/\.\w{1,8}$/, '') + ending),
];

/** Writes a pickled estimator as data; for a person who trusts the pickle. */
function toSkops(path: string): string {
  const [from, to] = quoted(path, '.skops');
  const line = shellLine(`import joblib, skops.io; skops.io.dump(joblib.load(${from}), ${to})`);
  return `Convert it where you trust it and have its libraries (pip install skops), and open the result: ${line}`;
}

/** The same of a booster, which its library writes itself. */
function toBooster(path: string, ending: string, ofModel: string): string {
  const [from, to] = quoted(path, ending);
  const line = shellLine(`import joblib; model = joblib.load(${from}); ${ofModel}.save_model(${to})`);
  return `Convert it where you trust it and have its libraries, and open the result: ${line}`;
}

/** ONNX of a model of CatBoost. */
function ofCatboost(path: string, format: string): string {
  const [from, to] = quoted(path, '.onnx');
  const code = `import catboost; model = catboost.CatBoost(); model.load_model(${from}, format="${format}"); model.save_model(${to}, format="onnx")`;
  return `Convert it to ONNX, if it has no columns of categories or texts (pip install catboost): ${shellLine(code)}`;
}

const original = 'Export ONNX from the framework in which the model was trained';
const elsewhere = 'where a Triton serves it, measure it there: perf -m MODEL -u HOST:PORT.';

/** By the names used in `recognize-file.ts` and `endings`. */
export const fileKinds = {
  lfs: kind(
    'a Git LFS pointer in place of the file itself',
    'Fetch the file: run "git lfs install" and "git lfs pull" in its repository, or download it directly.',
  ),
  annex: kind(
    'a git-annex pointer in place of the file itself',
    (path) => `Fetch the file: git annex get ${path}`,
  ),
  dvc: kind('a DVC pointer in place of the file itself', (path) => `Fetch the file: dvc pull ${path}`),
  html: kind(
    'a web page (HTML), not a model: the download got a page in place of the file',
    'Download it again by its direct link (GitHub: "raw"; Hugging Face: /resolve/ in place of /blob/), and sign in where the page asks for it.',
  ),
  message: kind(
    'a short text, not a model',
    'If a download wrote it, the server sent a message in place of the file: download it again.',
  ),
  zeros: kind(
    'a file that contains only zero bytes, as left by an interrupted download or copy',
    'Download or copy it again.',
  ),
  appleDouble: kind(
    'metadata of macOS (AppleDouble), not the model',
    'Give the file of the same name without "._" in front.',
  ),
  gzip: kind(
    'compressed with gzip',
    (path) => `Unpack it and give what is inside: gunzip ${path}, or tar -xzf for a .tar.gz file.`,
  ),
  bzip2: kind('compressed with bzip2', 'Unpack it with bunzip2, and give what is inside.'),
  xz: kind('compressed with xz', 'Unpack it with unxz, and give what is inside.'),
  zstd: kind('compressed with Zstandard', 'Unpack it with unzstd, and give what is inside.'),
  lz4: kind('compressed with LZ4', 'Unpack it with unlz4, and give what is inside.'),
  tar: kind('a tar archive', (path) => `Unpack it and give what is inside: tar -xf ${path}`),
  sevenZip: kind('a 7-Zip archive', 'Unpack it with 7z x, and give what is inside.'),
  rar: kind('a RAR archive', 'Unpack it with unrar x, and give what is inside.'),
  zip: kind('a ZIP archive', (path) => `Unpack it and give the model inside: unzip ${path}`),
  cutZip: kind('a ZIP archive that is cut off', 'Download or copy it again.'),
  keras: kind(
    'a Keras model',
    (path) =>
      `Save it as a SavedModel folder, and open that: keras.models.load_model("${path}").export("saved_model").`,
  ),
  hdf5: kind(
    'an HDF5 file, as Keras writes models and weights (.h5)',
    (path) =>
      `Save a Keras model as a SavedModel folder, and open that: keras.models.load_model("${path}").export("saved_model"). Weights need their code: build the model, then load_weights.`,
  ),
  tflite: kind(
    'a TensorFlow Lite model (LiteRT)',
    (path) =>
      `Convert it to ONNX (pip install tf2onnx): python -m tf2onnx.convert --tflite ${path} --output model.onnx`,
  ),
  frozenGraph: kind(
    'a TensorFlow graph (GraphDef, "frozen graph")',
    (path) =>
      `Convert it to ONNX (pip install tf2onnx): python -m tf2onnx.convert --graphdef ${path} --inputs NAME:0 --outputs NAME:0 --output model.onnx. A SavedModel is opened as a folder with saved_model.pb.`,
  ),
  savedModel: kind(
    'the graph of a TensorFlow SavedModel',
    'Name it saved_model.pb, beside its folder "variables", and open the folder.',
  ),
  tfCheckpoint: kind(
    'a part of a TensorFlow checkpoint: weights without a graph',
    'Load it into the code of the model, and save that: tf.saved_model.save(model, "saved_model").',
  ),
  tfjs: kind(
    'a TensorFlow.js model',
    `${original}; tensorflowjs_converter --input_format=tfjs_layers_model --output_format=keras_saved_model makes a SavedModel of a layers model.`,
  ),
  sklearn: kind('a pickle of scikit-learn; it is not opened, because unpickling can run any code', toSkops),
  trees: kind(
    'a model of XGBoost, LightGBM or scikit-learn (skops) under another name',
    (path) => `Name it by its format (.json, .ubj, .txt or .skops): mv ${path} model.json`,
  ),
  xgboost: kind('a pickle of XGBoost; it is not opened, because unpickling can run any code', (path) =>
    toBooster(path, '.ubj', 'model'),
  ),
  xgboostBinary: kind(
    'a model of XGBoost that is damaged, or in the binary format of old versions',
    'Save it again with the version that wrote it: model.save_model("model.ubj").',
  ),
  lightgbm: kind('a pickle of LightGBM; it is not opened, because unpickling can run any code', (path) =>
    toBooster(path, '.txt', 'getattr(model, "booster_", model)'),
  ),
  lightgbmOther: kind(
    'a model of LightGBM that is not in its text format',
    'Save it as text: booster.save_model("model.txt").',
  ),
  catboost: kind('a model of CatBoost', (path) => ofCatboost(path, 'cbm')),
  catboostJson: kind('a model of CatBoost in JSON', (path) => ofCatboost(path, 'json')),
  catboostPickle: kind(
    'a pickle of CatBoost; it is not opened, because unpickling can run any code',
    (path) => `${toBooster(path, '.cbm', 'model')} Then convert that to ONNX.`,
  ),
  pickle: kind(
    'a Python pickle; it is not opened, because unpickling can run any code',
    'Export the model where it is loaded: PyTorch with torch.onnx.export or torch.jit.trace(model, example).save("model.pt"), scikit-learn with skops.io.dump(model, "model.skops").',
  ),
  joblib: kind(
    'a file of joblib, as scikit-learn models are saved; it is not opened, because unpickling can run any code',
    toSkops,
  ),
  torchSave: kind(
    'a file of torch.save with weights or a pickled module, not TorchScript; it is not unpickled',
    'Export the model: torch.onnx.export(model, example, "model.onnx"), or torch.jit.trace(model, example).save("model.pt"). Weights need the code of their model: "init DIR" writes a model folder, --checkpoint takes the weights.',
  ),
  torchscript: kind(
    'a TorchScript file under another name',
    (path) => `Name it with the ending .pt: mv ${path} model.pt`,
  ),
  pt2: kind(
    'an exported program of PyTorch (torch.export)',
    (path) =>
      `Write ONNX from it: torch.onnx.export(torch.export.load("${path}"), dynamo=True).save("model.onnx").`,
  ),
  safetensors: kind(
    'a safetensors file: weights without a graph',
    'Of a Hugging Face model give its folder, with config.json. Export your own with torch.onnx.export, or write a model folder around its code ("init DIR").',
  ),
  gguf: kind(
    'weights for llama.cpp (GGUF or GGML)',
    `Export the model it was made from to ONNX: optimum-cli export onnx --model NAME OUT. Otherwise, ${elsewhere}`,
  ),
  huggingFace: kind(
    'the configuration of a Hugging Face model, not the model',
    'Give its folder, with model.safetensors.',
  ),
  flax: kind(
    'weights of Flax (msgpack) without a graph',
    'Export the model with its code: jax2tf, then a SavedModel, or optimum-cli export onnx with the PyTorch weights.',
  ),
  openvino: kind(
    'an OpenVINO model (IR)',
    `${original}: OpenVINO writes no ONNX. Triton serves it with its OpenVINO backend; ${elsewhere}`,
  ),
  pmml: kind('a PMML document', `${original}, for scikit-learn with skl2onnx.to_onnx.`),
  paddle: kind(
    'a PaddlePaddle model',
    'Convert it to ONNX (pip install paddle2onnx): paddle2onnx --model_dir . --model_filename inference.pdmodel --params_filename inference.pdiparams --save_file model.onnx',
  ),
  coreml: kind('a Core ML model', `${original}: coremltools converts to Core ML only.`),
  caffe: kind('a Caffe model', `${original}, or from a PyTorch version of it.`),
  mxnet: kind('a part of an MXNet model', 'Convert it to ONNX: mxnet.onnx.export_model(symbol, params, …).'),
  ncnn: kind('an ncnn model', `${original}; ncnn models are made from ONNX.`),
  mnn: kind('an MNN model', `${original}; MNN models are made from ONNX.`),
  rknn: kind('a model for Rockchip NPUs (RKNN)', `${original}; RKNN models are made from ONNX.`),
  darknet: kind(
    'weights of Darknet (YOLO) without a graph',
    'Load them with their .cfg file in a PyTorch version of Darknet, and use torch.onnx.export.',
  ),
  ort: kind(
    'a model in ONNX Runtime’s own format (.ort), made for one set of options',
    'Give the .onnx file that it was made from.',
  ),
  plan: kind(
    'a TensorRT engine, built for one kind of GPU and one version of TensorRT',
    `Give the ONNX file that it was built from; --format trt builds the engine on your GPU. An engine itself: ${elsewhere}`,
  ),
  onnx: kind(
    'an ONNX model under another name',
    (path) => `Name it with the ending .onnx: mv ${path} model.onnx`,
  ),
  onnxText: kind(
    'an ONNX model written as text',
    'Save it in the binary form: onnx.save(onnx.parser.parse_model(text), "model.onnx").',
  ),
  numpy: kind(
    'an array of NumPy: data, not a model',
    'Give the model. Pass data with --dataset or --input-data-file.',
  ),
  python: kind(
    'Python code',
    'Give the folder that holds it, with model.py and preset.yaml; "init DIR" writes a template.',
  ),
  notebook: kind('a Jupyter notebook', 'Export the model in it, for example with torch.onnx.export.'),
  picture: kind('a picture, not a model', 'Give the model file.'),
  pdf: kind('a PDF document, not a model', 'Give the model file.'),
  program: kind('a program or library, not a model', 'Give the model file.'),
  weights: kind(
    'a file of weights or raw data, without a graph',
    'Export ONNX or TorchScript from the code of the model. In a model folder ("init DIR"), --checkpoint takes the weights.',
  ),
  json: kind(
    'a JSON document, not a model',
    'Give the model file. XGBoost writes JSON with save_model, LightGBM text.',
  ),
  spec: kind('a YAML or shell file', (path) => `Pass the specification of a run with --spec ${path}`),
  configPbtxt: kind('a configuration of Triton, not the model', 'Give the folder that holds it.'),
} as const satisfies Readonly<Record<string, FileKind>>;

export type FileKindId = keyof typeof fileKinds;

/** By file ending, where the content is inconclusive. The first match counts. */
export const endings: readonly (readonly [RegExp, FileKindId])[] = [
  [/^config\.pbtxt$/i, 'configPbtxt'],
  [/\.(ya?ml|sh|env)$/i, 'spec'],
  [/\.keras$/i, 'keras'],
  [/\.(h5|hdf5|weights\.h5)$/i, 'hdf5'],
  [/\.(tflite|lite)$/i, 'tflite'],
  [/\.(ckpt\.(index|meta)|data-\d+-of-\d+)$/i, 'tfCheckpoint'],
  [/\.pb(txt)?$/i, 'frozenGraph'],
  [/\.(joblib|jl)$/i, 'joblib'],
  [/\.(pkl|pickle|p|dill|cloudpickle)$/i, 'pickle'],
  [/\.(ubj|xgb|bst)$/i, 'xgboostBinary'],
  [/\.(lgb|lgbm)$/i, 'lightgbmOther'],
  [/\.cbm$/i, 'catboost'],
  [/(pytorch_model.*\.bin|\.(ckpt|pth\.tar))$/i, 'torchSave'],
  [/\.pt2$/i, 'pt2'],
  [/\.safetensors$/i, 'safetensors'],
  [/\.(gguf|ggml)$/i, 'gguf'],
  [/\.msgpack$/i, 'flax'],
  [/\.xml$/i, 'openvino'],
  [/\.pmml$/i, 'pmml'],
  [/\.(pdmodel|pdiparams|pdparams)$/i, 'paddle'],
  [/\.(mlmodel|mlpackage|mlmodelc)$/i, 'coreml'],
  [/\.(caffemodel|prototxt)$/i, 'caffe'],
  [/\.params$|-symbol\.json$/i, 'mxnet'],
  [/\.(param|ncnn)$/i, 'ncnn'],
  [/\.mnn$/i, 'mnn'],
  [/\.rknn$/i, 'rknn'],
  [/\.weights$/i, 'darknet'],
  [/\.ort$/i, 'ort'],
  [/\.(plan|engine|trt)$/i, 'plan'],
  [/\.onnxtxt$/i, 'onnxText'],
  [/\.np[yz]$/i, 'numpy'],
  [/\.(bin|wts|dat)$/i, 'weights'],
  [/\.json$/i, 'json'],
  [/\.ipynb$/i, 'notebook'],
  [/\.py$/i, 'python'],
];
