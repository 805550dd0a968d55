import { isTree } from '../../../main/contract/trees';
import { pathOf } from './fields/field';
import { fieldText } from './read-text';
import { resetField, useWizard } from './wizard-context';

/** The fields of config.pbtxt that were edited by hand, as the file names them. */
export function editedText(patch: unknown): string {
  const names = isTree(patch) ? Object.keys(patch) : [];
  return names.length === 0
    ? 'none'
    : names.map((name) => name.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`)).join(', ');
}

/** Everything that the choice says otherwise than the defaults, in the words of the form. */
export function useNamedChanges() {
  const wizard = useWizard();
  const { changes, fields } = wizard;
  return changes.map(({ keys, from, to }) => {
    const path = pathOf({ keys });
    const isPatch = path === 'configure.configPatch';
    const field = fields.find((known) => pathOf(known) === path);
    return {
      path,
      label: field?.label ?? (isPatch ? 'Edited by hand in config.pbtxt' : path),
      /** The default, as text. */
      from: isPatch ? 'none' : fieldText(path, from),
      to: isPatch ? editedText(to) : fieldText(path, to),
      reset: () => resetField(wizard, keys),
    };
  });
}
