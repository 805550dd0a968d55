import { z } from 'zod';
import { toWire, WorkbenchError } from '../contract/errors';
import { backendsOf } from '../contract/run/engine-kinds';
import { formatFacts } from '../contract/run/model-formats';
import type { Preset } from '../contract/run/preset';
import { type Format, formats, runSpecSchema } from '../contract/run/run-spec';
import type { Choice, ImportedSpec } from '../contract/run/spec-tools';
import { mergeTrees, type Tree } from '../contract/trees';
import { requireInertConfig, requireInertPatch } from '../formats/inert-config';
import { backendOf } from '../formats/patched-config';
import { sourceOf } from '../own/own-preset';
import { someOf } from '../platform/lines';
import { parseYaml } from '../platform/parse-yaml';
import type { LoadedPreset } from '../presets/presets';
import { resolveSpec } from '../presets/resolve-spec';
import { formatConfigPbtxt, parseConfigPbtxt } from '../triton/config/config-pbtxt';
import type { ModelConfig } from '../triton/model-config';
import { editConfig } from './edit-config';
import { generatedConfig, readChoice } from './read-choice';
import { importRunner, isRunnerConfig, readVariables } from './read-variables';
import { parseShellEnvironment } from './shell-environment';
import { sizeProblem, specKind, type SpecModel } from './spec-readers';

const source = 'config-pbtxt';

const threadNames: Readonly<Record<string, string>> = {
  intra_op_thread_count: 'intra_op_threads',
  INTRA_OP_THREAD_COUNT: 'intra_op_threads',
};

/** Backend and platform give way where the chosen engine serves the file in another way. */
function servedHere(config: ModelConfig, generated: ModelConfig): ModelConfig {
  const { parameters = {} } = config;
  const threads = Object.entries(threadNames).flatMap(([name, here]) => {
    const value = parameters[name];
    return value === undefined ? [] : [[here, value] as const];
  });
  const others = Object.entries(parameters).filter(([name]) => !/^int(er|ra)_op_thread_count$/i.test(name));
  return {
    ...config,
    backend: generated.backend ?? '',
    platform: generated.platform ?? '',
    parameters: { ...generated.parameters, ...Object.fromEntries([...others, ...threads]) },
  };
}

/** The chosen format where it fits the file, else one offered for its backend. */
function formatFor(config: ModelConfig, preset: Preset, chosen: Format | undefined): Format | undefined {
  const ofPlatform = formats.filter((format) => formatFacts[format].platform === config.platform);
  const ofBackend = formats.filter((format) => formatFacts[format].backend === backendOf(config));
  const known = ofPlatform.length > 0 ? ofPlatform : ofBackend;
  if (chosen !== undefined && known.includes(chosen)) return chosen;
  return known.find((format) => preset.formats.includes(format));
}

/** Problem and remedy where `check` throws; null otherwise. */
export function refusalOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    return [error.message, error.remedy].filter((part) => part !== undefined).join('. ');
  }
}

/** A foreign config.pbtxt as a choice over `over`: its fields, and a patch of the rest, so that every stated field is kept. */
export function importConfig(
  loaded: LoadedPreset,
  text: string,
  over: Choice['overrides'] = {},
): ImportedSpec {
  let config: ModelConfig;
  try {
    config = parseConfigPbtxt(text);
  } catch (error) {
    const { message, where, remedy } = toWire(error);
    const said = [message, remedy].filter((part) => part !== undefined).join('. ');
    return { source, choice: null, notes: [`${where ?? 'config.pbtxt'}: ${said}`] };
  }
  const unsafe = refusalOf(() => requireInertConfig(config));
  if (unsafe !== null) return { source, choice: null, notes: [unsafe] };
  const { preset } = loaded;
  const notes: string[] = [];
  const backend = backendOf(config);
  const format = formatFor(
    config,
    preset,
    readChoice(preset, { preset: preset.id, overrides: over }).nearest?.format,
  );
  const overrides: Record<string, unknown> = format === undefined ? {} : { format };
  const choice: Choice = { preset: preset.id, overrides: mergeTrees(over, overrides) };
  try {
    // Problems of a draft's other fields are fixed there.
    const spec = readChoice(preset, choice).nearest ?? resolveSpec(preset, choice.overrides);
    const generated = generatedConfig(loaded, spec);
    if (backend !== backendOf(generated)) {
      const how = backendsOf(spec.engine) === 'python' ? "Triton's Python backend" : backendOf(generated);
      // Without a backend the engine decides.
      if (backend !== '')
        notes.push(
          `The file is for the backend "${backend}"; the engine "${spec.engine.kind}" serves ${spec.format} by ${how}, ` +
            'and config.pbtxt says so.',
        );
      config = servedHere(config, generated);
    }
    if (/^[^\S\n]*#/m.test(text)) notes.push('Comments are left out.');
    const edit = editConfig(loaded, choice, formatConfigPbtxt(config));
    if (edit.problem !== null) return { source, choice: null, notes: [edit.problem.message] };
    return { source, choice: { preset: preset.id, overrides: { ...overrides, ...edit.overrides } }, notes };
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    return { source, choice: null, notes: [error.message] };
  }
}

function importEnvironment(loaded: LoadedPreset, text: string): ImportedSpec {
  const source = 'shell-environment';
  const { variables, unknown } = parseShellEnvironment(text);
  const { overrides, notes, refusal } = readVariables(loaded.preset, variables);
  if (refusal !== null) return { source, choice: null, notes: [refusal] };
  const reasons = new Map<string, string[]>();
  for (const [name, why] of unknown) {
    const names = reasons.get(why);
    if (names === undefined) reasons.set(why, [name]);
    else names.push(name);
  }
  const open = [...reasons].map(([why, names]) => `${someOf(names)}: ${why}; left out.`);
  if (variables.size + unknown.size === 0) {
    return { source, choice: null, notes: ['The file sets no variable.'] };
  }
  return {
    source,
    choice: { preset: loaded.preset.id, overrides: { ...overrides } },
    notes: [...open, ...notes],
  };
}

const withPatch = z.looseObject({
  configure: z.looseObject({ configPatch: z.record(z.string(), z.unknown()) }),
});

function importRunYaml(loaded: LoadedPreset, tree: Tree): ImportedSpec {
  const source = 'run-yaml';
  const known = Object.keys(tree).filter((key) => Object.hasOwn(runSpecSchema.shape, key));
  if (known.length === 0) {
    const notes = ['The file is neither a run specification nor a runner configuration.'];
    return { source, choice: null, notes };
  }
  const patched = withPatch.safeParse(tree);
  const unsafe = patched.success ? refusalOf(() => requireInertPatch(patched.data.configure)) : null;
  if (unsafe !== null) return { source, choice: null, notes: [unsafe] };
  const model = tree['model'] as { preset?: unknown } | null | undefined;
  const preset = typeof model?.preset === 'string' ? model.preset : loaded.preset.id;
  return { source, choice: { preset, overrides: { ...tree } }, notes: [] };
}

/**
 * Imports run.yaml, whole or in part; runner configurations of both generations; shell environment files; config.pbtxt.
 * Unreadable text gives notes and no choice; never throws for it.
 * @param over overrides of the draft under a config.pbtxt, which is a partial deployment
 * @param configuration number in a runner's file, from 1
 */
export function importSpec(
  loaded: LoadedPreset,
  text: string,
  fileName: string,
  over: Tree = {},
  configuration?: number,
): ImportedSpec {
  const kind = specKind(text, fileName);
  const tooLarge = sizeProblem(kind, text);
  if (tooLarge !== null) {
    return { source: kind === 'yaml' ? 'run-yaml' : kind, choice: null, notes: [tooLarge] };
  }
  switch (kind) {
    case 'config-pbtxt':
      return importConfig(loaded, text, over);
    case 'shell-environment':
      return importEnvironment(loaded, text);
    case 'yaml': {
      let tree: unknown;
      try {
        tree = parseYaml(text);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { source: 'run-yaml', choice: null, notes: [message] };
      }
      if (tree === null || typeof tree !== 'object' || Array.isArray(tree)) {
        return { source: 'run-yaml', choice: null, notes: ['The file does not contain a mapping.'] };
      }
      const found = tree as Tree;
      return isRunnerConfig(found)
        ? importRunner(loaded.preset, found, configuration)
        : importRunYaml(loaded, found);
    }
  }
}

/** Preset and own model named by a run.yaml; empty for other texts. Never throws. */
export function readSpecModel(text: string, fileName: string): SpecModel {
  const kind = specKind(text, fileName);
  const tooLarge = sizeProblem(kind, text);
  if (tooLarge !== null) return { problem: tooLarge };
  if (kind !== 'yaml') return {};
  try {
    const { model } = (parseYaml(text) ?? {}) as { model?: { preset?: unknown } | null };
    return {
      preset: typeof model?.preset === 'string' ? model.preset : undefined,
      source: sourceOf(model),
    };
  } catch (error) {
    const { message, remedy } = toWire(error);
    return { problem: remedy === undefined ? message : `${message}. ${remedy}` };
  }
}
