import type { Preset } from '../contract/preset';
import type { RunSpec } from '../contract/run-spec';
import { gpuDefaultsOff, gpuSettings, planText } from './gpu-defaults';
import { note, problem } from './rule-finding';
import type { RuleFinding } from './rule-finding';

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
    case 'cpu': {
      const without = gpuSettings(preset, targetGpu, format);
      const left =
        without.length === 0
          ? ''
          : `; ${listed(without)} ${without.length === 1 ? 'needs the GPU and is' : 'need the GPU and are'} not taken`;
      return [
        note(
          field,
          `Batch sizes, instances and loads are, where not chosen, those published for ${targetGpu}: ${document}; no GPU serves${left}`,
          without.includes(planText)
            ? 'Choose the engine "docker" with GPUs for all of it.'
            : 'Choose the engine "docker" with GPUs, or "remote", for all of it.',
        ),
      ];
    }
  }
}
