import type { GoldenHeader } from '../contract/golden';
import type { Truth } from '../contract/measured/task-figures';
import type { WantedTensors } from '../perf/input/wanted-tensor';
import type { Tensor } from '../triton/tensor';

/** A request with the outputs that are expected; with the batch dimension, if the model has one. */
export interface GoldenSample {
  readonly id: string;
  readonly inputs: readonly Tensor[];
  readonly outputs: readonly Tensor[];
  /** Further outputs of the reference, for figures only. */
  readonly notCompared?: readonly Tensor[];
  readonly truth?: Truth;
}

export interface Golden {
  /** null: a file of another tool. */
  readonly header: GoldenHeader | null;
  readonly samples: readonly GoldenSample[];
}

export interface GoldenRequest {
  readonly path: string;
  /** Of the served model, without the batch dimension: what an npz file does not say. */
  readonly wanted: WantedTensors;
  readonly batched: boolean;
}

/** Runs in the reader process; throws input-invalid, which names the file, the sample and the tensor. */
export interface GoldenReaders {
  /** The model that the file names; null without. */
  goldenModel: (file: { readonly path: string }) => Promise<string | null>;
  goldenRead: (request: GoldenRequest) => Promise<Golden>;
}
