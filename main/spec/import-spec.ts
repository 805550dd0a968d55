import { z } from 'zod';
import { toWire } from '../contract/errors';
import { runSpecSchema } from '../contract/run/run-spec';
import type { ImportedSpec } from '../contract/run/spec-tools';
import type { Tree } from '../contract/trees';
import { requireInertPatch } from '../formats/inert-config';
import { sourceOf } from '../own/own-preset';
import { someOf } from '../platform/clean-text';
import { parseYaml } from '../platform/parse-yaml';
import type { LoadedPreset } from '../presets/presets';
import { importConfig, refusalOf } from './import-config';
import { importRunner, isRunnerConfig, readVariables } from './read-variables';
import { parseShellEnvironment } from './shell-environment';
import { sizeProblem, specKind, type SpecModel } from './spec-readers';

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
  const unsafe = patched.success
    ? refusalOf(() => {
        requireInertPatch(patched.data.configure);
      })
    : null;
  if (unsafe !== null) return { source, choice: null, notes: [unsafe] };
  const model = tree['model'] as { preset?: unknown } | null | undefined;
  const preset = typeof model?.preset === 'string' ? model.preset : loaded.preset.id;
  return { source, choice: { preset, overrides: { ...tree } }, notes: [] };
}

/**
 * Understands this workbench's run.yaml, whole or in part; runner configurations of both generations; shell environment
 * files; and config.pbtxt. What cannot be read is told in the notes, with no choice. Pure, never throws for a bad text.
 * @param over overrides of the draft that config.pbtxt, which says a part of a deployment, is laid over.
 * @param configuration which one of a runner's file, from 1 on.
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

/** The preset and the own model that a run.yaml names; nothing of a text of another kind. Pure, never throws. */
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
