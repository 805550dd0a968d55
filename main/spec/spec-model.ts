import { toWire } from '../contract/errors';
import { sourceOf } from '../own/own-preset';
import { parseYaml } from '../platform/parse-yaml';
import { sizeProblem, specKind, type SpecModel } from './spec-readers';

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
