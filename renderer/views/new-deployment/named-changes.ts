import { isTree } from '../../../main/contract/trees';
import { pathOf } from './fields/field';
import { fieldText } from './read-text';
import { resetField, useWizard } from './wizard-context';

export function editedText(patch: unknown): string {
  const names = isTree(patch) ? Object.keys(patch) : [];
  return names.length === 0
    ? 'none'
    : names.map((name) => name.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`)).join(', ');
}

/** What differs from the run that the draft changes; empty until it is known. */
export function useChangesOfRun() {
  const { draft, fields } = useWizard();
  return (draft.plan?.changed ?? []).map(({ path, from, to }) => ({
    path,
    label: fields.find((field) => pathOf(field) === path)?.label ?? path,
    from: fieldText(path, from),
    to: fieldText(path, to),
  }));
}

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
      from: isPatch ? 'none' : fieldText(path, from),
      to: isPatch ? editedText(to) : fieldText(path, to),
      reset: () => resetField(wizard, keys),
    };
  });
}
