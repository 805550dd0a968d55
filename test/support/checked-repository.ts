import { join } from 'node:path';
import type { CheckedModel } from '../../main/contract/repository-check';
import { checkRepositories } from '../../main/own/repository/check-repository';
import { directReaders } from './direct-readers';
import { type ModelBench, useModelBench } from './model-bench';
import { onnxBytes, type OnnxText } from './onnx-bytes';

export interface Given {
  /** null: without a file. */
  readonly config?: string | null;
  readonly onnx?: OnnxText;
  /** Further files, by their path in the model's folder. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
}

export const onnx = 'backend: "onnxruntime" max_batch_size: 8';
export const tensors = (side: string, name: string, rest = 'data_type: TYPE_FP32 dims: [ 3 ]') =>
  `${side} [ { name: "${name}" ${rest} } ]`;
export const x = tensors('input', 'x');
export const y = tensors('output', 'y');
/** An ONNX model x [batch, 3] -> y [batch, 3] whose configuration fits. */
export const fine: Given = { config: `${onnx}\n${x}\n${y}\n`, onnx: {} };

interface CheckedRepository {
  readonly bench: () => ModelBench;
  /** Writes models by name, and gives the repository's path. */
  readonly repository: (models: Readonly<Record<string, Given>>) => Promise<string>;
  /** Writes them and checks one of them: m, if no other is named. */
  readonly check: (models: Readonly<Record<string, Given>>, name?: string) => Promise<CheckedModel>;
}

/** Repositories that a test writes and checks. */
export function useCheckedRepository(): CheckedRepository {
  const bench = useModelBench();
  const repository: CheckedRepository['repository'] = async (models) => {
    const { put, dir } = bench();
    for (const [name, { config = null, onnx: text, files = {} }] of Object.entries(models)) {
      if (text !== undefined) await put(`r/${name}/1/model.onnx`, onnxBytes(text));
      if (config !== null) await put(`r/${name}/config.pbtxt`, config);
      for (const [path, content] of Object.entries(files)) await put(`r/${name}/${path}`, content);
    }
    return join(dir, 'r');
  };
  const check: CheckedRepository['check'] = async (models, name = 'm') => {
    const { repositories } = await checkRepositories([await repository(models)], directReaders);
    const found = repositories[0]?.models.find((model) => model.name === name);
    if (found === undefined) throw new Error(`no model ${name}`);
    return found;
  };
  return { bench, repository, check };
}
