import { z } from 'zod';
import type { Opened } from '../opened';
import { reportFileSchema } from '../run/run-events';
import { call } from './call';

const runId = z.strictObject({ runId: z.string().max(200) });

/** Calls that need a desktop: dialogs, other programs, the clipboard, the end of the window. */
export const desktopApi = {
  /** Asks for a place and copies the report file there; null when the person cancels. */
  'desktop.saveReport': call<{ readonly path: string } | null>().with(
    z.strictObject({ runId: z.string().max(200), kind: reportFileSchema.shape.kind }),
  ),
  /** Asks for a place and writes the text there; null when the person cancels. */
  'desktop.saveText': call<{ readonly path: string } | null>().with(
    z.strictObject({ fileName: z.string().max(200), text: z.string().max(2_000_000) }),
  ),
  /** Asks for a place and writes what the monitor has kept there; null when the person cancels. */
  'desktop.saveMonitor': call<{ readonly path: string } | null>().with(
    z.strictObject({ kind: z.enum(['csv', 'html', 'pdf']) }),
  ),
  /** Asks for a text file and reads it; null when the person cancels. */
  'desktop.openText': call<{ readonly fileName: string; readonly text: string } | null>().with(z.undefined()),
  /** What was opened from outside the window, the oldest first; null when nothing waits. */
  'desktop.takeOpened': call<Opened | null>().with(z.undefined()),
  /** Asks for a file or folder (weights, data set, model); null when the person cancels. */
  'desktop.choosePath': call<{ readonly path: string } | null>().with(
    z.strictObject({ kind: z.enum(['file', 'folder']), title: z.string().max(120) }),
  ),
  /** Opens the report file with the desktop's own program. */
  'desktop.openReport': call<null>().with(
    z.strictObject({ runId: z.string().max(200), kind: reportFileSchema.shape.kind }),
  ),
  /** Shows the folder of a run in the file manager. */
  'desktop.showRunFolder': call<null>().with(runId),
  /** Stops the runs of this workbench, so that each can be resumed, and closes the window. */
  'desktop.close': call<null>().with(z.undefined()),
  /** As the menu's entry: what comes of it is shown in dialogs. */
  'desktop.checkForUpdates': call<null>().with(z.undefined()),
  /** Shows the workbench home, or its folder of logs, in the file manager. */
  'desktop.openFolder': call<null>().with(z.strictObject({ folder: z.enum(['home', 'logs']) })),
  /** Opens an address of the list of allowed hosts in the browser; every other one is copied instead. */
  'desktop.openLink': call<{ readonly opened: boolean }>().with(
    z.strictObject({ address: z.string().max(2000) }),
  ),
} as const;
