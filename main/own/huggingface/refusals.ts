import { join } from 'node:path';
import type { WorkbenchError } from '../../contract/errors';
import { shellWord } from '../../contract/flag-text';
import { isTree, type Tree } from '../../contract/trees';
import { shortText, someOf } from '../../platform/lines';
import { folderRefused } from '../model-files';
import type { FolderFiles } from './folder-files';
import { hasWeights } from './weights';

const pickles = /\.(bin|pt|pth|pkl|pickle|joblib|ckpt)$/i;
/** Of a training that was saved, beside the weights: nothing reads them. */
const leftOver = /^(training_args\.bin|optimizer\.(bin|pt)|scheduler\.(bin|pt)|rng_state.*|scaler\.pt)$/i;

/** Weights as pickles. */
export const picklesOf = (files: FolderFiles): readonly string[] =>
  [...files.keys()].filter((name) => pickles.test(name) && !leftOver.test(name)).sort();

/** Code beside the model; transformers runs it only where a configuration names it. */
export const codeOf = (files: FolderFiles): readonly string[] =>
  [...files.keys()].filter((name) => /\.pyc?$/i.test(name)).sort();

/** The line that converts pickled weights, for a person who trusts them. */
function conversionLine(folder: string): string {
  const [from, to] = [folder, `${folder.replace(/\/+$/, '')}-safetensors`].map((path) =>
    JSON.stringify(path),
  );
  const code = `import transformers as t; c = t.AutoConfig.from_pretrained(${from}); getattr(t, c.architectures[0]).from_pretrained(${from}).save_pretrained(${to})`;
  return `python -c ${shellWord(code)}`;
}

/** Weights that are missing, or pickled; null where there are safetensors. */
export function weightsRefusal(folder: string, files: FolderFiles): WorkbenchError | null {
  if (hasWeights(files)) return null;
  const [pickle, ...more] = picklesOf(files);
  if (pickle !== undefined) {
    const others = more.length === 0 ? '' : ` and ${more.length} more`;
    return folderRefused(
      join(folder, pickle),
      `The weights are pickles (${pickle}${others}), which are not read: unpickling can run any code`,
      `Convert them where you trust them, copy the tokenizer's files beside the result, and give that folder: ${conversionLine(folder)}`,
    );
  }
  const names = [...files.keys()].filter((name) => /\.(safetensors|gguf|h5|msgpack|onnx)$/i.test(name));
  const found = names.length === 0 ? '' : `; it holds ${someOf(names)}`;
  return folderRefused(
    folder,
    `The folder has no model.safetensors${found}`,
    'Give a folder as save_pretrained writes it: model.safetensors, or its parts with model.safetensors.index.json.',
  );
}

/** Only the method is shown, which is text from outside. */
function quantization(config: Tree): string | null {
  const found = config['quantization_config'] ?? config['compression_config'];
  if (!isTree(found)) return null;
  const method = found['quant_method'] ?? (found['load_in_4bit'] === true ? 'bitsandbytes' : 'unknown');
  return typeof method === 'string' ? shortText(method) : 'unknown';
}

const methodTitles: Readonly<Record<string, string>> = {
  awq: 'AWQ',
  gptq: 'GPTQ',
  bitsandbytes: 'bitsandbytes',
  fp8: 'FP8',
  'compressed-tensors': 'compressed-tensors',
};

/** Weights of a kind that cannot be exported. */
export function quantizedRefusal(folder: string, config: Tree): WorkbenchError | null {
  const method = quantization(config);
  if (method === null) return null;
  return folderRefused(
    join(folder, 'config.json'),
    `The weights are quantized (${methodTitles[method] ?? method}), which the ONNX exporter cannot write`,
    'Give the folder of the model that was quantized. A server that runs this one, such as vLLM, is measured with perf.',
  );
}

/** Code of the folder that a configuration names. @param named the configurations, by file */
export function customCodeRefusal(
  folder: string,
  named: readonly (readonly [string, Tree | null])[],
): WorkbenchError | null {
  const found = named.find(([, config]) => config?.['auto_map'] !== undefined);
  if (found === undefined) return null;
  const [file] = found;
  return folderRefused(
    join(folder, file),
    `${file} names Python code of the folder (auto_map), which is not run`,
    'Give a folder of an architecture that transformers has itself, or write a model folder around the code: "init DIR".',
  );
}

/** Folders of the hub that are not a model with config.json. */
export function otherFolderRefusal(folder: string, files: FolderFiles): WorkbenchError | null {
  if (files.has('adapter_config.json')) {
    return folderRefused(
      join(folder, 'adapter_config.json'),
      'The folder holds an adapter (PEFT, LoRA): a part of a model, which needs the model that it was trained on',
      'Merge it into that model, and give the merged folder: PeftModel.from_pretrained(model, folder).merge_and_unload().save_pretrained(other folder).',
    );
  }
  if (files.has('model_index.json')) {
    return folderRefused(
      join(folder, 'model_index.json'),
      'The folder is a pipeline of diffusers: several models that call each other',
      'Export each of its models to ONNX, and give those files.',
    );
  }
  return null;
}
