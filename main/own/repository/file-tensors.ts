import { lstat } from 'node:fs/promises';
import { toWire, type WireError } from '../../contract/errors';
import type { ModelReaders } from '../model-readers';
import { onnxDatatypes } from '../onnx-source';
import type { Dimension, OnnxFacts, OnnxTensor } from '../read-onnx';
import type { SavedModelFacts, SavedModelTensor } from '../read-savedmodel';
import type { FileTensor, FileTensors } from '../repository-fit';
import { tensorflowDatatypes } from '../savedmodel-source';
import { planVersion } from './model-folder';

/** What a model file says of itself, without executing it. */
export type FileReading =
  | { readonly kind: 'tensors'; readonly tensors: FileTensors }
  /** TorchScript: the names of forward's arguments only. */
  | { readonly kind: 'arguments'; readonly names: readonly string[] }
  | { readonly kind: 'plan'; readonly version: string | null }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly problem: WireError }
  | { readonly kind: 'unread' };

const shapeOf = (dimensions: readonly Dimension[] | null): readonly number[] | null =>
  dimensions === null ? null : dimensions.map((size) => (typeof size === 'number' ? size : -1));

/** Bfloat16, and types that requests carry as text. */
const onnxOthers: Readonly<Record<number, string>> = { 16: 'BF16' };
const tensorflowOthers: Readonly<Record<number, string>> = { 7: 'BYTES', 14: 'BF16' };

const onnxTensor = ({ name, kind, elementType, dimensions }: OnnxTensor): FileTensor => {
  const type = kind === 'tensor' ? (elementType ?? 0) : 0;
  return { name, datatype: onnxDatatypes[type] ?? onnxOthers[type] ?? null, shape: shapeOf(dimensions) };
};

const savedTensor = ({ name, dataType, dimensions }: SavedModelTensor): FileTensor => {
  const type = dataType ?? 0;
  const datatype = tensorflowDatatypes[type] ?? tensorflowOthers[type] ?? null;
  return { name, datatype, shape: shapeOf(dimensions) };
};

const onnxTensors = ({ inputs, outputs }: OnnxFacts): FileTensors => ({
  inputs: inputs.map(onnxTensor),
  outputs: outputs.map(onnxTensor),
});

const savedTensors = ({ inputs, outputs }: SavedModelFacts): FileTensors => ({
  inputs: inputs.map(savedTensor),
  outputs: outputs.map(savedTensor),
});

const readings: Readonly<
  Record<string, (path: string, readers: ModelReaders) => Promise<FileReading> | FileReading>
> = {
  onnxruntime: async (path, { onnx }) => ({ kind: 'tensors', tensors: onnxTensors(await onnx({ path })) }),
  tensorflow: async (path, { savedModel }) => ({
    kind: 'tensors',
    tensors: savedTensors(await savedModel({ path })),
  }),
  pytorch: async (path, { torchscript }) => ({ kind: 'arguments', names: await torchscript({ path }) }),
  tensorrt: async (path) => ({ kind: 'plan', version: await planVersion(path) }),
};

/** Reads the file that a backend would load; foreign formats in their own process. Does not reject for a bad file. */
export async function readModelFile(
  backend: string,
  path: string,
  readers: ModelReaders,
): Promise<FileReading> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null) return { kind: 'missing' };
  const reading = readings[backend];
  if (reading === undefined) return { kind: 'unread' };
  try {
    return await reading(path, readers);
  } catch (error) {
    return { kind: 'refused', problem: toWire(error) };
  }
}
