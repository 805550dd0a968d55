import type { Preset } from '../contract/preset';
import type { RunSpec } from '../contract/run-spec';
import { gpuDefaultsOff, gpuSettings, planText } from './gpu-defaults';
import type { RuleFinding } from './rule-finding';
import { note, problem } from './rule-finding';

const field = 'targetGpu';

const listed = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');

/** Where the defaults of a chosen GPU come from, and which of them are not taken. */
export function gpuFindings(preset: Preset, { targetGpu, model, engine, format }: RunSpec): RuleFinding[] {
  if (targetGpu === undefined) return [];
  const known = Object.keys(preset.byGpu ?? {});
  if (preset.byGpu?.[targetGpu] === undefined) {
    return [
      problem(
        field,
        `No defaults are published for ${preset.title} on ${targetGpu}`,
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
          `Unless you change them, format, precision, batch sizes, instances and loads are those published for ${targetGpu}: ${document}`,
          null,
        ),
      ];
    case 'quick':
      return [
        note(
          field,
          `The published defaults of ${targetGpu} apply only to the profile full. The profile quick shows only its published figures beside the measured ones`,
          'To use them, choose the profile full.',
        ),
      ];
    case 'cpu': {
      const without = gpuSettings(preset, targetGpu, format);
      const left =
        without.length === 0
          ? ''
          : `; ${listed(without)} ${without.length === 1 ? 'needs the GPU and is' : 'need the GPU and are'} not used`;
      return [
        note(
          field,
          `Unless you change them, batch sizes, instances and loads are those published for ${targetGpu}: ${document}; the model is served without a GPU${left}`,
          without.includes(planText)
            ? 'To use all of them, choose the engine "docker" with GPUs.'
            : 'To use all of them, choose the engine "docker" with GPUs, or "remote".',
        ),
      ];
    }
  }
}
