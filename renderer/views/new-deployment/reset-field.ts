import type { Keys } from '../../../main/contract/trees';
import type { useWizard } from './wizard-context';

/**
 * Back to the default. Without a chosen engine a published GPU asks for containers, whatever this machine has, and any other
 * draft for the engine of the preset, whatever the settings say.
 */
export function resetField(
  { draft, valueAt, defaultOf }: Pick<ReturnType<typeof useWizard>, 'draft' | 'valueAt' | 'defaultOf'>,
  keys: Keys,
): void {
  const isNamed =
    valueAt(['targetGpu']) !== undefined || defaultOf(keys) !== draft.preview?.defaults?.engine.kind;
  if (keys.join('.') === 'engine.kind' && isNamed) draft.change(keys, defaultOf(keys));
  else draft.reset(keys);
}
