import { join } from 'node:path';
import type { BackendSet } from '../contract/run/engine-kinds';
import type { FormatFacts } from '../contract/run/model-formats';
import type { Accelerator, Format, Framework, Precision, RunSpec } from '../contract/run/run-spec';
import { type ModelConfig, type ModelOptimization, modelParameters } from '../triton/model-config';

interface ServingChoice {
  readonly backends: BackendSet;
  readonly precision: Precision;
  readonly accelerator: Accelerator;
}

/** `shim`: the Python backend runs `resources/serving/<shimFolder>/model.py`, which is beside the file. */
export type Serving =
  | { readonly ok: true; readonly serving: 'native' }
  | { readonly ok: true; readonly serving: 'shim'; readonly shimFolder: string }
  | {
      readonly ok: false;
      readonly reason: string;
      readonly remedy: string;
      /** Field concerned; absent: the backend accelerator. */
      readonly field?: 'precision';
    };

export interface ConfigPartInput extends ServingChoice {
  /** Threads per instance on CPU; 0: the runtime's choice. */
  readonly threads: number;
  readonly captureCudaGraph: boolean;
}

/** Part of config.pbtxt that depends only on format and backends. */
type ConfigPart = Pick<ModelConfig, 'backend' | 'platform' | 'parameters' | 'optimization'>;

export interface ModelFormat extends FormatFacts {
  readonly id: Format;
  /** Python environment of the shim; absent: PyTorch's. */
  readonly shimFramework?: Framework;
  /** Precision of floating-point request tensors; absent: the model's. */
  readonly tensorPrecision?: Precision;
  /** Newest NGC release with its own backend; absent: any. */
  readonly newestNgcRelease?: string;
  /** Oldest NGC release that serves it; absent: any. */
  readonly oldestNgcRelease?: string;
  /** Largest `max_batch_size` of its own backend; absent: any. */
  readonly nativeMaxBatchSize?: number;
  /** Sources of a file; `framework`: the model's own code. */
  readonly convertsFrom: readonly ('framework' | Format)[];
  /** Further flags of the verb `export`, on which the file depends. */
  exportOptions?(spec: RunSpec): Readonly<Record<string, string | number>>;
  servedBy(choice: ServingChoice): Serving;
  /** For choices that `servedBy` allows. */
  configPart(input: ConfigPartInput): ConfigPart;
}

/** The PyPI wheel's Triton has only the Python backend, on CPU. */
export function servedLocally(choice: ServingChoice, shimFolder: string): Serving {
  if (choice.accelerator === 'none') return { ok: true, serving: 'shim', shimFolder };
  return {
    ok: false,
    reason: `This Triton runs on CPU; backend accelerator "${choice.accelerator}" needs a GPU and Triton's own backends`,
    remedy: 'Set the backend accelerator to "none", or choose the engine "docker" with GPUs, or "remote".',
  };
}

/** Files beside the model file: its shim, and the shims' shared part. @param resources of the product */
export const shimFiles = (resources: string, shimFolder: string): readonly string[] => [
  join(resources, 'serving', shimFolder, 'model.py'),
  join(resources, 'serving', 'shared', 'serving_shim.py'),
];

/** Parameters read by the shims in `resources/serving`. */
export function localConfigPart(input: ConfigPartInput, fileName: string): ConfigPart {
  return {
    backend: 'python',
    parameters: modelParameters({
      model_filename: fileName,
      execution_providers: 'CPUExecutionProvider',
      intra_op_threads: String(input.threads),
      // One operator at a time: config.pbtxt scales by instances.
      inter_op_threads: '1',
    }),
  };
}

/** Threads per instance under a backend's own names; empty for its own choice. */
export const threadParameters = (
  { threads }: Pick<ConfigPartInput, 'threads'>,
  names: { readonly intra: string; readonly inter: string },
): Pick<ConfigPart, 'parameters'> =>
  threads === 0
    ? {}
    : { parameters: modelParameters({ [names.intra]: String(threads), [names.inter]: '1' }) };

/** Automatic mixed precision exists only in the TensorFlow backend. */
export const ampRefusal: Serving = {
  ok: false,
  reason: 'Backend accelerator "amp" exists for TensorFlow models only',
  remedy: 'Use precision fp16, or another backend accelerator.',
};

/** Hands work to TensorRT. @param parameters of the backend, beside the precision */
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
