import { pathOf } from './fields/field';
import { fieldText } from './read-text';
import { resetField } from './reset-field';
import { useWizard } from './wizard-context';

export interface NamedChange {
  readonly path: string;
  readonly label: string;
  /** The default, as text. */
  readonly from: string;
  readonly to: string;
  readonly reset: () => void;
}

/** Everything that the choice says otherwise than the defaults, in the words of the form. */
export function useNamedChanges(): readonly NamedChange[] {
  const wizard = useWizard();
  const { changes, fields } = wizard;
  return changes.map(({ keys, from, to }) => {
    const path = pathOf({ keys });
    const field = fields.find((known) => pathOf(known) === path);
    return {
      path,
      label: field?.label ?? (path === 'configure.configPatch' ? 'Edited by hand in config.pbtxt' : path),
      from: fieldText(field?.control, from),
      to: fieldText(field?.control, to),
      reset: () => {
        resetField(wizard, keys);
      },
    };
  });
}
