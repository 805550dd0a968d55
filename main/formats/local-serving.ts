import { modelParameters } from '../triton/model-config';
import type { ConfigPart, ConfigPartInput, Serving, ServingChoice } from './format';

/** Triton of the PyPI wheel has the Python backend only, on CPU. */
export function servedLocally(choice: ServingChoice, shimFolder: string): Serving {
  if (choice.accelerator === 'none') return { ok: true, serving: 'shim', shimFolder };
  return {
    ok: false,
    reason: `This Triton runs on CPU; backend accelerator "${choice.accelerator}" needs a GPU and Triton's own backends`,
    remedy: 'Set the backend accelerator to "none", or choose the engine "docker" with GPUs, or "remote".',
  };
}

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

/** Automatic mixed precision is an accelerator of TensorFlow's backend alone. */
export const ampRefusal: Serving = {
  ok: false,
  reason: 'Backend accelerator "amp" exists for TensorFlow models only',
  remedy: 'Use precision fp16, or another backend accelerator.',
};
