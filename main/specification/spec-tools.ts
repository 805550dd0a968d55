import { stringify } from 'yaml';
import type { Handlers } from '../contract/api';
import { unknownPreset } from '../contract/fields/nearest-name';
import { shellLine } from '../contract/flag-text';
import type { Preset } from '../contract/run/preset';
import type { RunSpec } from '../contract/run/run-spec';
import type { Choice, SpecProblem } from '../contract/run/spec-tools';
import { mergeTrees } from '../contract/trees';
import { createPresetOf, sourceOf } from '../own/own-preset';
import { hashValue } from '../platform/files';
import type { LoadedPreset, Presets } from '../presets/presets';
import { minimalOverrides, resolveSpec } from '../presets/resolve-spec';
import { commandScript } from './command-script';
import { type CheckPlaces, checkSpec, type PreviewPlaces, previewSpec } from './preview-spec';

interface ExportedSpec {
  readonly text: string;
  readonly fileName: string;
}

/** Lines as comments that their text cannot end. */
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

function endMark(yaml: string): string {
  const lines = new Set(yaml.split('\n'));
  let mark = 'RUN_YAML';
  while (lines.has(mark)) mark += '_';
  return mark;
}

function script(loaded: LoadedPreset, spec: RunSpec, yaml: string): string {
  const mark = endMark(yaml);
  const command = ['triton-workbench', 'run', '--spec', '-'];
  return [
    '#!/bin/sh',
    comment([
      'The whole run with the Triton Workbench command line, from export to report.',
      ...headline(loaded, spec),
      '',
      'More options of the command "run" may follow, for example: --out <folder>, --verbose, --json.',
    ]),
    'set -eu',
    '',
    '# The specification is given on standard input; it is complete, so that nothing depends on later defaults.',
    `${shellLine(command)} "$@" <<'${mark}'`,
    yaml.trimEnd(),
    mark,
    '',
  ].join('\n');
}

/** As run.yaml, or as a POSIX shell script that runs it. Throws spec-invalid or combination-unsupported. */
export function exportSpec(loaded: LoadedPreset, choice: Choice, as: 'run-yaml' | 'shell'): ExportedSpec {
  const spec = resolveSpec(loaded.preset, choice.overrides);
  const yaml = stringify(spec, { lineWidth: 0 });
  const base = `${spec.model.preset}-${spec.model.profile}-${spec.format}-${spec.precision}`;
  if (as === 'shell') return { text: script(loaded, spec, yaml), fileName: `${base}.run.sh` };
  const head = comment([...headline(loaded, spec), 'For the command: run --spec <this file>']);
  return { text: `${head}\n${yaml}`, fileName: `${base}.run.yaml` };
}

interface SpecToolsOptions {
  readonly presets: Presets;
  readonly places: PreviewPlaces;
  /** Whether a file's content may be used; absent: always. Its existence is reported anyway. */
  readonly mayRead?: (path: string) => Promise<boolean>;
}

/** Throws spec-invalid or combination-unsupported. */
async function commandsOf(
  loaded: LoadedPreset,
  choice: Choice,
  { places, mayRead }: SpecToolsOptions,
): Promise<ExportedSpec> {
  const spec = resolveSpec(loaded.preset, choice.overrides);
  const preview = await previewSpec(loaded, choice, places, mayRead);
  const { layout, resources } = places;
  return {
    text: commandScript({ spec, preview, layout, resources }),
    fileName: `${spec.model.preset}.commands.sh`,
  };
}

const choiceFor = (preset: Preset, spec: RunSpec): Choice => ({
  preset: spec.model.preset,
  overrides: { ...minimalOverrides(preset, spec) },
});

/** Calls that say what a choice is, without the steps of a run. Each throws preset-unknown. */
export interface SpecReading {
  readonly 'spec.check': (choice: Choice) => Promise<readonly SpecProblem[]>;
  readonly 'spec.export': (asked: Choice & { readonly as: 'run-yaml' | 'shell' }) => Promise<ExportedSpec>;
}

type CheckOptions = Pick<SpecToolsOptions, 'presets' | 'mayRead'> & { readonly places: CheckPlaces };

function presetsOf({ presets, places: { resources, readers } }: CheckOptions) {
  const load = createPresetOf(presets, resources, readers);
  const ofChoice = ({ preset, overrides }: Choice) => load({ preset, source: sourceOf(overrides['model']) });
  return { load, ofChoice };
}

export function createSpecReading(options: CheckOptions): SpecReading {
  const { ofChoice } = presetsOf(options);
  return {
    'spec.check': async (choice) =>
      (await checkSpec(await ofChoice(choice), choice, options.places, options.mayRead)).problems,
    'spec.export': async ({ as, ...choice }) => exportSpec(await ofChoice(choice), choice, as),
  };
}

/** Calls of the wizard's forms. Each throws preset-unknown. */
export function createSpecTools(
  options: SpecToolsOptions,
): Pick<Handlers, 'spec.preview' | 'spec.choice' | 'spec.editConfig' | 'spec.export' | 'spec.import'> &
  Pick<SpecReading, 'spec.check'> {
  const { readers } = options.places;
  const { load: loadPreset, ofChoice: presetOf } = presetsOf(options);
  const reading = createSpecReading(options);
  return {
    'spec.check': reading['spec.check'],
    'spec.preview': async (choice) =>
      previewSpec(await presetOf(choice), choice, options.places, options.mayRead),
    'spec.choice': async ({ spec }) => choiceFor((await loadPreset(spec.model)).preset, spec),
    'spec.editConfig': async ({ text, ...choice }) =>
      readers.configEdit({ loaded: await presetOf(choice), choice, text }),
    'spec.export': async ({ as, ...choice }) => {
      const loaded = await presetOf(choice);
      return as === 'commands' ? commandsOf(loaded, choice, options) : exportSpec(loaded, choice, as);
    },
    'spec.import': async ({ text, fileName, preset, overrides = {}, configuration }) => {
      const { source: inText } = await readers.specModel({ text, fileName });
      const ofDraft = inText === undefined ? sourceOf(overrides['model']) : undefined;
      const source = inText ?? ofDraft;
      const loaded = await loadPreset({ preset, source });
      const imported = await readers.spec({ loaded, text, fileName, overrides, configuration });
      const id = imported.choice?.preset;
      if (id === undefined || inText !== undefined || options.presets().has(id)) return imported;
      if (ofDraft !== undefined && imported.choice !== null && imported.source !== 'run-yaml') {
        // A partial deployment is assumed to be of the chosen model.
        const model = { source: ofDraft };
        return {
          ...imported,
          choice: { preset: id, overrides: mergeTrees({ model }, imported.choice.overrides) },
        };
      }
      const note = `${unknownPreset(id, [...options.presets().keys()])}.`;
      return { ...imported, choice: null, notes: [...imported.notes, note] };
    },
  };
}
