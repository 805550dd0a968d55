import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, sep } from 'node:path';
import type { ModelSource } from '../contract/run/run-spec';
import { fileRefused } from './model-files';
import { modelTitle } from './own-preset';
import type { Dimension, OnnxFacts, OnnxTensor } from './read-onnx';
import { type GivenShapes, requireTensors, sourceTensors } from './source-tensors';

/**
 * Weights of an ONNX file that stand in files beside it, relative to its folder, each checked: a plain file below that
 * folder, reached through no link. Throws model-file-invalid naming the first that is not.
 */
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
      throw fileRefused(
        path,
        `The file with weights "${location}" is not there`,
        'Copy it beside the model.',
      );
    }
    // null: a link to nothing, or in a circle.
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

/** `TensorProto.DataType` of ONNX as Triton names it. */
const datatypes: Readonly<Record<number, string>> = {
  1: 'FP32',
  2: 'UINT8',
  3: 'INT8',
  4: 'UINT16',
  5: 'INT16',
  6: 'INT32',
  7: 'INT64',
  9: 'BOOL',
  10: 'FP16',
  11: 'FP64',
  12: 'UINT32',
  13: 'UINT64',
};
const otherTypes: Readonly<Record<number, string>> = {
  8: 'text',
  14: 'complex numbers',
  15: 'complex numbers',
  16: 'bfloat16',
};

/** ONNX's own operators, and those that ONNX Runtime has built in. */
const builtIn: ReadonlySet<string> = new Set(['', 'ai.onnx.ml', 'com.microsoft', 'com.microsoft.nchwc']);

function checkOperators(path: string, { operators }: OnnxFacts): void {
  for (const [domain, names] of operators) {
    if (builtIn.has(domain)) continue;
    throw fileRefused(
      path,
      `The model uses custom operators of the domain "${domain}": ${[...names].slice(0, 5).join(', ')}`,
      'Custom operators run their own libraries and are not loaded. Export the model with standard ONNX operators only.',
    );
  }
}

function datatypeOf(path: string, side: string, tensor: OnnxTensor): string {
  const { name, elementType } = tensor;
  const found = elementType === null ? undefined : datatypes[elementType];
  if (found !== undefined) return found;
  const what =
    elementType === null
      ? 'no tensor (a sequence, a map or an optional value)'
      : `of ${otherTypes[elementType] ?? `the element type ${elementType}`}`;
  throw fileRefused(
    path,
    `The ${side} ${name} is ${what}, which cannot be sent and compared here`,
    'Cut the part before or behind it off the graph, so that numbers go in and out.',
  );
}

function dimensionsOf(
  path: string,
  side: string,
  tensor: OnnxTensor,
  given: GivenShapes,
): readonly Dimension[] {
  const shape = given[tensor.name];
  if (tensor.dimensions === null) {
    if (shape !== undefined) return shape.map(() => '');
    const remedy =
      side === 'input'
        ? `Say its shape: --shape ${tensor.name}=1,3,224,224`
        : 'Write the shape into the file: onnx.shape_inference.infer_shapes does it.';
    throw fileRefused(path, `The file does not say how many axes the ${side} ${tensor.name} has`, remedy);
  }
  return tensor.dimensions;
}

/** An ONNX file as a model: its tensors and what samples of them look like. Executes nothing. Throws model-file-invalid. */
export async function onnxSource(path: string, facts: OnnxFacts, given: GivenShapes): Promise<ModelSource> {
  checkOperators(path, facts);
  requireTensors(facts, (side) =>
    fileRefused(path, `The model has no ${side}`, 'Export it so that its graph has inputs and outputs.'),
  );
  const externalFiles = await checkExternalFiles(path, facts.externalFiles);
  const described = (side: 'input' | 'output', tensors: readonly OnnxTensor[], shapes: GivenShapes) =>
    tensors.map((tensor) => ({
      name: tensor.name,
      datatype: datatypeOf(path, side, tensor),
      dimensions: dimensionsOf(path, side, tensor, shapes),
    }));
  const inputs = described('input', facts.inputs, given);
  const outputs = described('output', facts.outputs, {});
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
