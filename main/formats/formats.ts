import {
  type Format,
  type Framework,
  type Precision,
  repositoryOf,
  type RunSpec,
} from '../contract/run/run-spec';
import type { ModelFormat } from './format';
import { onnxFormat } from './onnx.format';
import { pytorchFormats } from './pytorch.format';
import { repositoryFormat } from './repository.format';
import { tfSavedmodelFormat } from './tf-savedmodel.format';
import { trtFormat } from './trt.format';

/** A missing format does not compile. */
export const modelFormats: Readonly<Record<Format, ModelFormat>> = {
  onnx: onnxFormat,
  ...pytorchFormats,
  'tf-savedmodel': tfSavedmodelFormat,
  trt: trtFormat,
  repository: repositoryFormat,
};

for (const [id, format] of Object.entries(modelFormats)) {
  if (format.id !== id) throw new Error(`Model format ${format.id} is registered as ${id}`);
}

export function formatOf(id: Format): ModelFormat {
  return modelFormats[id];
}

/** Python environment in which Triton's Python backend runs the model. */
export function servingFramework({ format, model }: Pick<RunSpec, 'format' | 'model'>): Framework {
  const isOfTensorflow = repositoryOf(model)?.models.some(({ backend }) => backend === 'tensorflow') ?? false;
  return isOfTensorflow ? 'tf' : (modelFormats[format].shimFramework ?? 'pyt');
}

export const tensorPrecisionOf = ({ format, precision }: Pick<RunSpec, 'format' | 'precision'>): Precision =>
  modelFormats[format].tensorPrecision ?? precision;

/** Output of the verb `export`: the format itself, or its source. */
export function exportedFormat(id: Format): Format {
  const [first = id] = modelFormats[id].convertsFrom;
  return first === 'framework' ? id : first;
}
