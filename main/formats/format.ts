import { join } from 'node:path';
import type { BackendSet } from '../contract/run/engine-kinds';
import type { FormatFacts } from '../contract/run/model-formats';
import type { Accelerator, Format, Framework, Precision, RunSpec } from '../contract/run/run-spec';
import { type ModelConfig, type ModelOptimization, modelParameters } from '../triton/model-config';

/** What decides whether and how a model file can be served. */
interface ServingChoice {
  readonly backends: BackendSet;
  readonly precision: Precision;
  readonly accelerator: Accelerator;
}

/**
 * `native`: a backend of Triton's own reads the model file. `shim`: Triton's Python backend runs the `model.py` of
 * `resources/serving/<shimFolder>`, which lies beside the model file.
 */
export type Serving =
  | { readonly ok: true; readonly serving: 'native' }
  | { readonly ok: true; readonly serving: 'shim'; readonly shimFolder: string }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly remedy: string;
      /** Field of the specification that it is about; the backend accelerator when absent. */
      readonly field?: 'precision';
    };

export interface ConfigPartInput extends ServingChoice {
  /** Threads of one instance on CPU; 0 = the runtime's own choice. */
  readonly threads: number;
  readonly captureCudaGraph: boolean;
}

/** The part of config.pbtxt that depends on format and backends alone. */
type ConfigPart = Pick<ModelConfig, 'backend' | 'platform' | 'parameters' | 'optimization'>;

/** A kind of model file: data and pure functions. */
export interface ModelFormat extends FormatFacts {
  readonly id: Format;
  /** Environment whose Python runs the shim; PyTorch's own when absent. */
  readonly shimFramework?: Framework;
  /** Of the floating-point tensors of requests, whatever the precision of the model; the same when absent. */
  readonly tensorPrecision?: Precision;
  /** The newest NGC release whose Triton has the backend of its own for it; every one when absent. */
  readonly newestNgcRelease?: string;
  /** The oldest NGC release whose Triton serves it; every one when absent. */
  readonly oldestNgcRelease?: string;
  /** The largest `max_batch_size` that its own backend serves; any when absent. */
  readonly nativeMaxBatchSize?: number;
  /** What a file of this format is made from; `framework` = the model's own code. */
  readonly convertsFrom: readonly ('framework' | Format)[];
  /** Flags of the verb `export` beside the format, by name; the file depends on them. None when absent. */
  exportOptions?(spec: RunSpec): Readonly<Record<string, string | number>>;
  servedBy(choice: ServingChoice): Serving;
  /** For choices that `servedBy` allows. */
  configPart(input: ConfigPartInput): ConfigPart;
}

/** Triton of the PyPI wheel has the Python backend only, on CPU. */
export function servedLocally(choice: ServingChoice, shimFolder: string): Serving {
  if (choice.accelerator === 'none') return { ok: true, serving: 'shim', shimFolder };
  return {
    ok: false,
    reason: `This Triton runs on CPU; backend accelerator "${choice.accelerator}" needs a GPU and Triton's own backends`,
    remedy: 'Set the backend accelerator to "none", or choose the engine "docker" with GPUs, or "remote".',
  };
}

/** What lies beside the model file: the shim of its format, and what all shims share. @param resources of the product */
export const shimFiles = (resources: string, shimFolder: string): readonly string[] => [
  join(resources, 'serving', shimFolder, 'model.py'),
  join(resources, 'serving', 'shared', 'serving_shim.py'),
];

/** The parameters that the shims in `resources/serving` read, by these names. */
export function localConfigPart(input: ConfigPartInput, fileName: string): ConfigPart {
  return {
    backend: 'python',
    parameters: modelParameters({
      model_filename: fileName,
      execution_providers: 'CPUExecutionProvider',
      intra_op_threads: String(input.threads),
      // One operator at a time: more instances, not more operators, are what config.pbtxt scales by.
      inter_op_threads: '1',
    }),
  };
}

/** The threads of one instance, by the names that a backend of Triton's own has for them; nothing for its own choice. */
export const threadParameters = (
  { threads }: Pick<ConfigPartInput, 'threads'>,
  names: { readonly intra: string; readonly inter: string },
): Pick<ConfigPart, 'parameters'> =>
  threads === 0
    ? {}
    : { parameters: modelParameters({ [names.intra]: String(threads), [names.inter]: '1' }) };

/** Automatic mixed precision is an accelerator of TensorFlow's backend alone. */
export const ampRefusal: Serving = {
  ok: false,
  reason: 'Backend accelerator "amp" exists for TensorFlow models only',
  remedy: 'Use precision fp16, or another backend accelerator.',
};

/**
 * The optimization of config.pbtxt with which a backend hands what it can to TensorRT.
 * @param parameters of the backend's own, beside the precision.
 */
export function tensorrtAccelerator(
  input: Pick<ConfigPartInput, 'precision'>,
  parameters: Readonly<Record<string, string>> = {},
): ModelOptimization {
  const precision = { precision_mode: input.precision.toUpperCase() };
  return {
    executionAccelerators: {
      gpuExecutionAccelerator: [{ name: 'tensorrt', parameters: { ...precision, ...parameters } }],
    },
  };
}
