import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { shellLine } from '../contract/flag-text';
import type { ModelSource } from '../contract/run/run-spec';
import { someOf } from '../platform/lines';
import { fileRefused } from './model-files';
import { modelTitle } from './own-preset';
import type { Dimension, OnnxFacts, OnnxTensor } from './read-onnx';
import { type GivenShapes, requireTensors, sourceTensors } from './source-tensors';
import { type Unsendable, unsendableText } from './unsendable';

/** Plain files below the ONNX file's folder, without links. Throws model-file-invalid naming the first other one. */
export async function checkExternalFiles(path: string, locations: ReadonlySet<string>): Promise<string[]> {
  const folder = await realpath(dirname(path));
  const found: string[] = [];
  for (const location of locations) {
    const plain = normalize(location);
    if (
      isAbsolute(location) ||
      location === '' ||
      plain.split(sep).includes('..') ||
      location.includes('\\')
    ) {
      throw fileRefused(
        path,
        `Weights are outside the model folder: "${location}"`,
        'Put the file with the weights beside the model and save the model again with its plain name.',
      );
    }
    const full = join(folder, plain);
    const stats = await lstat(full).catch(() => null);
    if (stats === null) {
      throw fileRefused(path, `The file with weights "${location}" is missing`, 'Copy it beside the model.');
    }
    // null: a dangling or circular link.
    const real = await realpath(full).catch(() => null);
    if (!stats.isFile() || real !== full) {
      const leads = real === null ? 'nothing' : relative(folder, real) || real;
      throw fileRefused(
        path,
        `"${location}" is not a regular file (it leads to ${leads})`,
        'Links are not followed; put the file itself beside the model.',
      );
    }
    found.push(plain);
  }
  return found.sort();
}

/** Triton's names of ONNX's `TensorProto.DataType`. */
export const onnxDatatypes: Readonly<Record<number, string>> = {
  1: 'FP32',
  2: 'UINT8',
  3: 'INT8',
  4: 'UINT16',
  5: 'INT16',
  6: 'INT32',
  7: 'INT64',
  8: 'BYTES',
  9: 'BOOL',
  10: 'FP16',
  11: 'FP64',
  12: 'UINT32',
  13: 'UINT64',
};
const otherTypes: Readonly<Record<number, Unsendable>> = {
  14: 'complex',
  15: 'complex',
  16: 'bfloat16',
};

/** ONNX's operators, and those built into ONNX Runtime. */
const builtIn: ReadonlySet<string> = new Set(['', 'ai.onnx.ml', 'com.microsoft', 'com.microsoft.nchwc']);

const libraries: Readonly<Record<string, string>> = {
  'ai.onnx.contrib':
    'They are of onnxruntime-extensions, most often a tokenizer or image decoder: export the model without that part, and send the outputs of that part.',
};

function checkOperators(path: string, { operators }: OnnxFacts): void {
  const listed = (names: Iterable<string>) => [...names].slice(0, 5).join(', ');
  const plugins = [...(operators.get('') ?? [])].filter((name) => name.endsWith('_TRT'));
  if (plugins.length > 0) {
    throw fileRefused(
      path,
      `The model uses plugins of TensorRT that ONNX Runtime does not have: ${listed(plugins)}`,
      'Export it without them; of a detector, select the boxes outside (Ultralytics: nms=False). Or measure it on a Triton that serves its plan: perf -m MODEL -u HOST:PORT.',
    );
  }
  for (const [domain, names] of operators) {
    if (builtIn.has(domain)) continue;
    throw fileRefused(
      path,
      `The model uses custom operators of the domain "${domain}": ${listed(names)}`,
      `Custom operators run their own libraries and are not loaded. ${libraries[domain] ?? 'Export the model with standard ONNX operators only.'} Or measure it on a Triton that has the library: perf -m MODEL -u HOST:PORT.`,
    );
  }
}

const datatypeOf = ({ elementType }: OnnxTensor): string | undefined =>
  elementType === null ? undefined : onnxDatatypes[elementType];

/** null for a tensor of numbers or texts. */
function unsendable(tensor: OnnxTensor): Unsendable | null {
  if (datatypeOf(tensor) !== undefined) return null;
  if (tensor.kind !== 'tensor') return tensor.kind;
  return otherTypes[tensor.elementType ?? 0] ?? 'unknown';
}

function checkTensors(path: string, { inputs, outputs, zipMaps }: OnnxFacts): void {
  const named = (side: 'input' | 'output', tensors: readonly OnnxTensor[]) =>
    tensors.map((tensor) => ({ side, name: tensor.name, what: unsendable(tensor) }));
  const all = [...named('input', inputs), ...named('output', outputs)];
  const found = unsendableText(all, { path, zipMaps });
  if (found !== null) throw fileRefused(path, found.message, found.remedy);
}

/** Tensors of unknown rank: all of them, with a remedy. */
function checkRanks(path: string, { inputs, outputs }: OnnxFacts, given: GivenShapes): void {
  const open = inputs.filter(({ name, dimensions }) => dimensions === null && given[name] === undefined);
  const unknown = outputs.filter(({ dimensions }) => dimensions === null);
  if (open.length + unknown.length === 0) return;
  const names = (side: string, tensors: readonly OnnxTensor[]) =>
    tensors.length === 0
      ? []
      : [`the ${side}${tensors.length === 1 ? '' : 's'} ${someOf(tensors.map(({ name }) => `"${name}"`))}`];
  const all = [...names('input', open), ...names('output', unknown)].join(' and ');
  const verb = open.length + unknown.length === 1 ? 'has' : 'have';
  const target = path.replace(/(\.onnx)?$/i, '-shapes.onnx');
  const code = `import onnx; onnx.save(onnx.shape_inference.infer_shapes(onnx.load(${JSON.stringify(path)}), data_prop=True), ${JSON.stringify(target)})`;
  const ways = [
    ...(open.length === 0
      ? []
      : [
          `Give the shape of a sample: ${open.map(({ name }) => shellLine(['--shape', `${name}=1,3,224,224`])).join(' ')}.`,
        ]),
    ...(unknown.length === 0
      ? []
      : [
          `${open.length === 0 ? 'Write' : 'Export the model again with shapes, or write'} them into the file: ${shellLine(['python', '-c', code])}`,
        ]),
  ];
  throw fileRefused(path, `The file does not say how many axes ${all} ${verb}`, ways.join(' '));
}

/** What a ZipMap makes maps of is a tensor, which the export gives in its place: a column per class. */
function withoutZipMaps(facts: OnnxFacts): OnnxFacts {
  const [input] = facts.inputs;
  const first = input?.dimensions?.[0];
  const rows = typeof first === 'string' ? first : '';
  const outputs = facts.outputs.map((output): OnnxTensor => {
    const classes = facts.zipMapClasses.get(output.name);
    if (output.kind !== 'sequence' || classes === undefined) return output;
    return { name: output.name, kind: 'tensor', elementType: 1, dimensions: [rows, classes] };
  });
  return { ...facts, outputs };
}

/** One sentence per output that the export changes. */
export const zipMapNotes = ({ outputs, zipMapClasses }: OnnxFacts): readonly string[] =>
  outputs
    .filter(({ name, kind }) => kind === 'sequence' && zipMapClasses.has(name))
    .map(
      ({ name }) =>
        `"${name}" is a list of maps (ZipMap), which Triton cannot serve: the exported file gives a column per class in its place.`,
    );

/** An ONNX file as a model: tensors and sample shapes. Executes nothing. Throws model-file-invalid. */
export async function onnxSource(path: string, read: OnnxFacts, given: GivenShapes): Promise<ModelSource> {
  const facts = withoutZipMaps(read);
  checkOperators(path, facts);
  requireTensors(facts, (side) =>
    fileRefused(path, `The model has no ${side}`, 'Export it so that its graph has inputs and outputs.'),
  );
  checkTensors(path, facts);
  checkRanks(path, facts, given);
  const externalFiles = await checkExternalFiles(path, facts.externalFiles);
  const described = (tensors: readonly OnnxTensor[]) =>
    tensors.map((tensor) => ({
      name: tensor.name,
      datatype: datatypeOf(tensor) ?? '',
      dimensions: tensor.dimensions ?? (given[tensor.name] ?? []).map((): Dimension => ''),
      tableRows: facts.tableRows.get(tensor.name),
    }));
  const inputs = described(facts.inputs);
  const outputs = described(facts.outputs);
  const opset = facts.opsets.get('');
  return {
    kind: 'onnx',
    path,
    title: modelTitle(path),
    ...sourceTensors({ inputs, outputs }, given),
    ...(opset === undefined ? {} : { opset }),
    externalFiles,
  };
}
