import { cellText, titleWithUnit } from '../contract/measured/column';
import type { RunState } from '../contract/run/run-state';
import { coldStartOf } from '../domain/measured/cold/cold-start';
import type { Startup } from './manifests';

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** How long a start takes and its first requests, with the limit that the manifests have of it. */
export function coldSection(state: RunState, { limitS, text }: Startup): readonly string[] {
  const limit = `startupProbe in the manifests, and start_period in compose.yaml: ${limitS} s, ${text}.`;
  const found = coldStartOf(state);
  if (found === null) return ['## Cold start', '', limit, ''];
  const { lines, rows, columns } = found;
  return [
    '## Cold start',
    '',
    ...lines.map((line) => `- ${line}`),
    `- ${limit}`,
    '',
    ...(rows.length === 0
      ? []
      : [
          row(columns.map(titleWithUnit)),
          row(columns.map(() => '---')),
          ...rows.map((of) => row(columns.map((column) => cellText(column, of)))),
          '',
        ]),
  ];
}
