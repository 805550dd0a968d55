import { z } from 'zod';
import type { ImageNeed } from './served-repository';

/** Repositories, models in them, or their config.pbtxt. */
export const checkRequestSchema = z.strictObject({
  paths: z.array(z.string().min(1).max(4096)).min(1).max(10_000).readonly(),
});

export interface CheckedTensor {
  readonly side: 'input' | 'output';
  readonly name: string;
  /** As written in config.pbtxt: "TYPE_FP32 [3, 64, 64]"; null where it is not. */
  readonly configured: string | null;
  /** Of the model file: "TYPE_FP32 [-1, 3, 64, 64]"; null where it has no such tensor, or cannot be read. */
  readonly file: string | null;
  /** `completed`: Triton takes it from the file. */
  readonly result: 'fits' | 'differs' | 'completed' | 'not checked';
}

/** Why Triton would not load a model. */
export interface CheckProblem {
  /** Path below the repository, with the line where it is known. */
  readonly where: string;
  readonly message: string;
  readonly remedy: string;
  /** Triton's own words; null where they depend on its release or backend. */
  readonly triton: string | null;
}

export interface CheckedModel {
  readonly name: string;
  /** `onnxruntime`, `ensemble`; '' where neither configuration nor files say it. */
  readonly backend: string;
  /** What executes it in the local Triton; null: the local Triton lacks the backend, or none is known. */
  readonly servedBy: string | null;
  /** One of NVIDIA's images that has the backend; null: none of them. */
  readonly image: string | null;
  /** `not checked`: no problem was found, and something was not looked at: see `notChecked`. */
  readonly verdict: 'loads' | 'does not load' | 'not checked';
  readonly problems: readonly CheckProblem[];
  /** Absent: none. */
  readonly needs?: readonly ImageNeed[] | undefined;
  /** What was not looked at, and why; a sentence each. */
  readonly notChecked: readonly string[];
  /** Versions that Triton would serve. */
  readonly versions: readonly number[];
  /** Models that an ensemble is made of; empty otherwise. */
  readonly steps: readonly string[];
  /** Other models of the repository that its model.py has in quotes: it may call them. */
  readonly named: readonly string[];
  readonly tensors: readonly CheckedTensor[];
  /** Unified diff of config.pbtxt, with paths below the repository; null without one that would help. */
  readonly diff: string | null;
}

export interface RepositoryCheck {
  readonly kind: 'triton-workbench-repository-check';
  readonly version: 1;
  readonly repositories: readonly { readonly path: string; readonly models: readonly CheckedModel[] }[];
  readonly text: string;
}
