import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron';

type Place = Pick<ContextMenuParams, 'isEditable' | 'selectionText' | 'editFlags'>;

/** What a right click offers: editing in a field, copying where text is marked, else nothing. */
export function contextMenuTemplate(place: Place): MenuItemConstructorOptions[] {
  const { editFlags } = place;
  if (place.isEditable) {
    return [
      { role: 'undo', enabled: editFlags.canUndo },
      { role: 'redo', enabled: editFlags.canRedo },
      { type: 'separator' },
      { role: 'cut', enabled: editFlags.canCut },
      { role: 'copy', enabled: editFlags.canCopy },
      { role: 'paste', enabled: editFlags.canPaste },
      { role: 'selectAll', enabled: editFlags.canSelectAll },
    ];
  }
  return place.selectionText.trim() === '' ? [] : [{ role: 'copy' }];
}
