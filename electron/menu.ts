import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron';
import type { MenuCommand } from '../main/contract/api';

/** Commands of the product are sent to the window, which knows the page that is shown. */
export function menuTemplate(
  send: (command: MenuCommand) => void,
  checkForUpdates: () => void,
): MenuItemConstructorOptions[] {
  const own = (label: string, command: MenuCommand, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    ...(accelerator === undefined ? {} : { accelerator }),
    click: () => send(command),
  });
  const line: MenuItemConstructorOptions = { type: 'separator' };
  return [
    {
      label: '&File',
      submenu: [
        own('New deployment', 'new-deployment', 'CmdOrCtrl+N'),
        own('Open configuration…', 'open-file', 'CmdOrCtrl+O'),
        line,
        own('Settings', 'settings', 'CmdOrCtrl+,'),
        line,
        { role: 'quit', label: 'Quit' },
      ],
    },
    {
      label: '&Edit',
      submenu: [
        { role: 'undo' },
        { role: 'redo' },
        line,
        { role: 'cut' },
        { role: 'copy' },
        { role: 'paste' },
        { role: 'selectAll' },
        line,
        own('Find on this page', 'find', 'CmdOrCtrl+F'),
      ],
    },
    {
      label: '&View',
      submenu: [
        own('Command palette', 'command-palette', 'CmdOrCtrl+K'),
        own('Change theme', 'toggle-theme', 'CmdOrCtrl+Shift+L'),
        line,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        line,
        { role: 'togglefullscreen' },
      ],
    },
    {
      label: '&Run',
      submenu: [
        own('Pause this run', 'pause'),
        own('Resume this run', 'resume'),
        own('Cancel this run', 'cancel'),
        line,
        own('Run again with changes', 'duplicate'),
      ],
    },
    {
      label: '&Help',
      submenu: [
        own('Documentation', 'documentation', 'F1'),
        own('What’s new', 'whats-new'),
        own('Changelog', 'changelog'),
        own('Keyboard shortcuts', 'shortcuts'),
        line,
        own('Report a problem…', 'report-problem'),
        own('Open logs folder', 'open-logs'),
        line,
        { label: 'Check for updates…', click: checkForUpdates },
        own('About Triton Workbench', 'about'),
      ],
    },
  ];
}

type ContextParams = Pick<ContextMenuParams, 'isEditable' | 'selectionText' | 'editFlags'>;

/** Editing in a field, copying where text is selected, else empty. */
export function contextMenuTemplate(params: ContextParams): MenuItemConstructorOptions[] {
  const { editFlags } = params;
  if (params.isEditable) {
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
  return params.selectionText.trim() === '' ? [] : [{ role: 'copy' }];
}
