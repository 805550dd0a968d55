import type { Format, Precision, RunSpec } from '../contract/run/run-spec';
import type { ModelFormat } from './format';
import { onnxFormat } from './onnx.format';
import { pytorchFormats } from './pytorch.format';
import { tfSavedmodelFormat } from './tf-savedmodel.format';
import { trtFormat } from './trt.format';

/** Every model format by its id; a missing one does not compile. */
export const modelFormats: Readonly<Record<Format, ModelFormat>> = {
  onnx: onnxFormat,
  ...pytorchFormats,
  'tf-savedmodel': tfSavedmodelFormat,
  trt: trtFormat,
};

for (const [id, format] of Object.entries(modelFormats)) {
  if (format.id !== id) throw new Error(`Model format ${format.id} is registered as ${id}`);
}

export function formatOf(id: Format): ModelFormat {
  return modelFormats[id];
}

/** Number format of the floating-point inputs and outputs as they are served. */
export const tensorPrecisionOf = ({ format, precision }: Pick<RunSpec, 'format' | 'precision'>): Precision =>
  modelFormats[format].tensorPrecision ?? precision;

/** What the verb `export` writes for a format: the format itself, or the one that it is made from. */
export function exportedFormat(id: Format): Format {
  const [first = id] = modelFormats[id].convertsFrom;
  return first === 'framework' ? id : first;
}
