import { stringify } from 'yaml';
import type { RunSpec } from '../contract/run-spec';
import type { Choice } from '../contract/spec-tools';
import { hashValue } from '../platform/files';
import { shellLine } from '../platform/shell-line';
import type { LoadedPreset } from '../presets/presets';
import { resolveSpec } from '../presets/resolve-spec';

export interface ExportedSpec {
  readonly text: string;
  readonly fileName: string;
}

/** Lines of a person's text as comments; nothing in them can end the comment. */
function comment(lines: readonly string[]): string {
  return lines.map((line) => `# ${line.replace(/[\r\n\t]+/g, ' ')}`.trimEnd()).join('\n');
}

function headline(loaded: LoadedPreset, spec: RunSpec): string[] {
  const { model, format, precision, engine } = spec;
  return [
    `${loaded.preset.title}, profile ${model.profile}: ${format}, ${precision}, engine ${engine.kind}.`,
    `Specification ${hashValue(spec)}.`,
  ];
}

/** A mark that ends the here-document and no line of it. */
function endMark(yaml: string): string {
  const lines = new Set(yaml.split('\n'));
  let mark = 'RUN_YAML';
  while (lines.has(mark)) mark += '_';
  return mark;
}

function script(loaded: LoadedPreset, spec: RunSpec, yaml: string): string {
  const mark = endMark(yaml);
  const command = ['npm', 'run', 'cli', '--', 'run', '--spec', '-'];
  return [
    '#!/bin/sh',
    comment([
      'The whole run with the Triton Workbench command line, from export to report.',
      ...headline(loaded, spec),
      '',
      "Start it in the workbench's folder, or name that folder in TRITON_WORKBENCH_DIR. More options of the command",
      '"run" may follow, for example: --out <folder>, --verbose, --json.',
    ]),
    'set -eu',
    '',
    '# The folder that holds the package.json of the workbench.',
    'cd "${TRITON_WORKBENCH_DIR:-.}"',
    '',
    '# The specification is given on standard input; it is complete, so that nothing depends on later defaults.',
    `${shellLine(command)} "$@" <<'${mark}'`,
    yaml.trimEnd(),
    mark,
    '',
  ].join('\n');
}

/**
 * The complete specification of a choice as run.yaml, or as a POSIX shell script that does the run with it.
 * Throws spec-invalid or combination-unsupported where the choice cannot be run.
 */
export function exportSpec(loaded: LoadedPreset, choice: Choice, as: 'run-yaml' | 'shell'): ExportedSpec {
  const spec = resolveSpec(loaded.preset, choice.overrides);
  const yaml = stringify(spec, { lineWidth: 0 });
  const base = `${spec.model.preset}-${spec.model.profile}-${spec.format}-${spec.precision}`;
  if (as === 'shell') return { text: script(loaded, spec, yaml), fileName: `${base}.run.sh` };
  const head = comment([...headline(loaded, spec), 'For the command: run --spec <this file>']);
  return { text: `${head}\n${yaml}`, fileName: `${base}.run.yaml` };
}
