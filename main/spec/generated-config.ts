import type { Signature } from '../contract/artefacts';
import type { RunSpec } from '../contract/run-spec';
import { formatOf } from '../formats/formats';
import { generatedConfigOf } from '../formats/model-config-of';
import type { LoadedPreset } from '../presets/presets';
import { atPrecision, signatureOf } from '../presets/signature';
import type { ModelConfig } from '../triton/model-config';

/** Tensors of the file that will be served. Throws spec-invalid. */
export function servedSignature({ preset }: LoadedPreset, spec: RunSpec): Signature {
  return atPrecision(signatureOf(preset, spec), spec.precision);
}

/** config.pbtxt as the fields lead to it, whether or not they go together. Throws spec-invalid, config-invalid. */
export function generatedConfig(loaded: LoadedPreset, spec: RunSpec): ModelConfig {
  return generatedConfigOf({
    spec,
    signature: servedSignature(loaded, spec),
    format: formatOf(spec.format),
  });
}
