import { contextBridge, ipcRenderer, type IpcRendererEvent, webUtils } from 'electron';
import { channels } from '../main/contract/calls/call';

// Small: every page waits for it. Whether there is such a call, and what it takes, is checked where it arrives.

contextBridge.exposeInMainWorld('workbench', {
  call: (name: unknown, input: unknown): Promise<unknown> => ipcRenderer.invoke(channels.call, name, input),
  pathOf: (file: unknown): string => {
    // An object of the page's own says any path; only the browser makes files that lie somewhere.
    if (!(file instanceof File)) return '';
    // Before Electron 29 the file itself says its path; from 32 on only webUtils does.
    const path = 'path' in file && typeof file.path === 'string' ? file.path : webUtils.getPathForFile(file);
    if (path !== '') ipcRenderer.send(channels.given, path);
    return path;
  },
  // As text: what crosses into the page is copied value by value, which takes fifty times as long as to parse it there.
  on: (listener: (events: string) => void): (() => void) => {
    // The IPC event object carries `sender`; the page gets the plain events only.
    const receive = (_event: IpcRendererEvent, events: string) => {
      listener(events);
    };
    ipcRenderer.on(channels.event, receive);
    return () => ipcRenderer.off(channels.event, receive);
  },
});
