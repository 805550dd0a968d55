import type { RunSummary } from '../../main/contract/api';
import type { Preset } from '../../main/contract/run/preset';

/** "nightly · ResNet-50 · onnx fp32 · quick". */
export const runTitle = (
  { name, preset, format, precision, profile }: RunSummary,
  presets: readonly Preset[],
): string =>
  [
    ...(name === null ? [] : [name]),
    presets.find(({ id }) => id === preset)?.title ?? preset,
    `${format} ${precision}`,
    profile,
  ].join(' · ');
