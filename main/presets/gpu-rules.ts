import type { Preset } from '../contract/preset';
import type { RunSpec } from '../contract/run-spec';
import { gpuDefaultsOff } from './gpu-defaults';
import { note, problem } from './rule-finding';
import type { RuleFinding } from './rule-finding';

const field = 'targetGpu';

/** Where the defaults of a chosen GPU come from, or why they are not taken. */
export function gpuFindings(preset: Preset, { targetGpu, model, engine }: RunSpec): RuleFinding[] {
  if (targetGpu === undefined) return [];
  const known = Object.keys(preset.byGpu ?? {});
  if (preset.byGpu?.[targetGpu] === undefined) {
    return [
      problem(
        field,
        `Nothing is published of ${preset.title} on ${targetGpu}`,
        known.length === 0 ? 'Choose no GPU.' : `Choose ${known.join(', ')}, or none.`,
        'combination-unsupported',
      ),
    ];
  }
  const document = preset.origin.deployment ?? 'its published deployment';
  switch (gpuDefaultsOff(model.profile, engine)) {
    case null:
      return [
        note(
          field,
          `Format, precision, batch sizes, instances and loads are, where not chosen, those published for ${targetGpu}: ${document}`,
          null,
        ),
      ];
    case 'quick':
      return [
        note(
          field,
          `The published defaults of ${targetGpu} are of the full size and not taken for the profile quick; its published figures are shown beside the measured ones`,
          'Choose the profile full for them.',
        ),
      ];
    case 'cpu':
      return [
        note(
          field,
          `The published defaults of ${targetGpu} are not taken where no GPU serves; its published figures are shown beside the measured ones`,
          'Choose the engine "docker" with GPUs, or "remote", for them.',
        ),
      ];
  }
}
