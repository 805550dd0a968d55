import type { Format, Precision, RunSpec } from '../contract/run/run-spec';
import type { ModelFormat } from './format';
import { onnxFormat } from './onnx.format';
import { pytorchFormats } from './pytorch.format';
import { tfSavedmodelFormat } from './tf-savedmodel.format';
import { trtFormat } from './trt.format';

/** A missing format does not compile. */
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

export const tensorPrecisionOf = ({ format, precision }: Pick<RunSpec, 'format' | 'precision'>): Precision =>
  modelFormats[format].tensorPrecision ?? precision;

/** Output of the verb `export`: the format itself, or its source. */
export function exportedFormat(id: Format): Format {
  const [first = id] = modelFormats[id].convertsFrom;
  return first === 'framework' ? id : first;
}
