import type { Accelerator, Format, Framework, Precision } from '../contract/run-spec';
import type { BackendSet } from '../contract/serving';
import type { ModelConfig } from '../triton/model-config';

/** What decides whether and how a model file can be served. */
export interface ServingChoice {
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
export type ConfigPart = Pick<ModelConfig, 'backend' | 'platform' | 'parameters' | 'optimization'>;

/** A kind of model file: data and pure functions. */
export interface ModelFormat {
  readonly id: Format;
  readonly title: string;
  /** Name in the version folder of the model repository: a file, or a folder. */
  readonly fileName: string;
  /** Environment whose Python runs the shim; PyTorch's own when absent. */
  readonly shimFramework?: Framework;
  /** The newest NGC release whose Triton has the backend of its own for it; every one when absent. */
  readonly newestNgcRelease?: string;
  /** What a file of this format is made from; `framework` = the model's own code. */
  readonly convertsFrom: readonly ('framework' | Format)[];
  servedBy(choice: ServingChoice): Serving;
  /** For choices that `servedBy` allows. */
  configPart(input: ConfigPartInput): ConfigPart;
}
