export type DropUse = 'import' | 'model' | 'checkpoint' | 'dataset';

/** Samples of a model file, which has no weights beside itself. */
const samples = /\.(npz|json)$/i;

/** What a dropped thing is taken for: a folder is a data set (a SavedModel by its usual name a model), a configuration is imported, an ONNX file is a model, any other file is weights, or of an own model file its samples. */
export function dropUse(name: string, isFolder: boolean, hasModelFile = false): DropUse {
  if (isFolder) return /^saved_?model$|\.savedmodel$/i.test(name) ? 'model' : 'dataset';
  // A .pt file may be weights as well: as a model it is chosen by its button.
  if (/\.(onnx|torchscript)$/i.test(name)) return 'model';
  if (hasModelFile && samples.test(name)) return 'dataset';
  return /\.(ya?ml|pbtxt|env|sh)$|^(\.env|environment|config\.pbtxt)/i.test(name) ? 'import' : 'checkpoint';
}
