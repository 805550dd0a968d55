import type { Preset } from '../../contract/run/preset';
import { hanging } from './terminal';

export const presetLines = (preset: Preset): readonly string[] =>
  [
    `${preset.id}  ${preset.title}`,
    `    ${preset.summary}`,
    `    formats ${preset.formats.join(', ')}; precisions ${preset.precisions.join(', ')}`,
    ...(preset.notOffered ?? []).map(
      ({ format, title, reason }) => `    not offered: ${format} (${title}). ${reason}`,
    ),
    ...Object.entries(preset.profiles).map(([name, { summary }]) => `    --profile ${name}: ${summary}`),
  ].map((line) => hanging(line));
