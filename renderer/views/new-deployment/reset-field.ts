import type { Keys } from '../../../main/contract/trees';
import type { useWizard } from './wizard-context';

/** Back to the default. Without a chosen engine a published GPU asks for containers, whatever this machine has. */
export function resetField(
  { draft, valueAt, defaultOf }: Pick<ReturnType<typeof useWizard>, 'draft' | 'valueAt' | 'defaultOf'>,
  keys: Keys,
): void {
  if (keys.join('.') === 'engine.kind' && valueAt(['targetGpu']) !== undefined)
    draft.change(keys, defaultOf(keys));
  else draft.reset(keys);
}
