import { z } from 'zod';
import { hostNameSchema } from '../host/host-name';
import { type Host, type HostCheck, type HostStatus, newHostSchema } from '../host/hosts';
import type { Opened } from '../opened';
import { reportFileSchema } from '../run/run-events';
import { type SettingKey, settingKeys, type SettingsState } from '../settings/settings';
import type { CleanOffer, HomeMovePlan, HomeMoveWork, RetiredRun, StorageReport } from '../settings/storage';
import { call } from './call';

const runId = z.strictObject({ runId: z.string().max(200) });

/** Calls that need a desktop: dialogs, other programs, the clipboard, the end of the window. */
export const desktopApi = {
  /** Asks for a place and copies the report file there; null when the person cancels. */
  'desktop.saveReport': call<{ readonly path: string } | null>().with(
    z.strictObject({ runId: z.string().max(200), kind: reportFileSchema.shape.kind }),
  ),
  /** Writes the reports of a study, asks for a place and copies one there; null when the person cancels. */
  'desktop.saveStudy': call<{ readonly path: string } | null>().with(
    z.strictObject({ name: z.string().max(40), kind: z.enum(['pdf', 'html', 'csv', 'json']) }),
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

const key = z.enum(settingKeys as [SettingKey, ...SettingKey[]]);
const value = z.union([z.string().max(2000), z.number(), z.boolean(), z.null()]);
const cleaned = z.strictObject({
  cache: z.boolean(),
  trash: z.boolean(),
  /** Deleted for good. */
  runIds: z.array(z.string().max(128)).default([]),
});
export interface DocumentInfo {
  /** "guide/window". */
  readonly id: string;
  readonly title: string;
}

const target = z.strictObject({ to: z.string().min(1).max(4096) });

/** Calls about the settings and the home. */
export const settingsApi = {
  'settings.get': call<SettingsState>().with(z.undefined()),
  /** Throws input-invalid for a value out of range, and where the file cannot be read. */
  'settings.set': call<SettingsState>().with(z.strictObject({ key, value })),
  'settings.reset': call<SettingsState>().with(z.strictObject({ key })),
  /** Renames a file that cannot be read, so that settings can be written again. Gives its new path. */
  'settings.setAside': call<{ readonly path: string }>().with(z.undefined()),
  /** The runs that this retention would move to the trash at the next start of the window. */
  'settings.retired': call<readonly RetiredRun[]>().with(
    z.strictObject({ days: z.int().min(1).max(36_500) }),
  ),
  'home.storage': call<StorageReport>().with(z.undefined()),
  /** What a clean-up frees; it also stops processes and containers of crashed sessions. */
  'home.planClean': call<CleanOffer>().with(z.undefined()),
  'home.clean': call<{ readonly freedBytes: number }>().with(cleaned),
  /** Throws input-invalid where the home cannot move there, run-busy or deployment-busy while it is in use, disk-full. */
  'home.planMove': call<HomeMovePlan>().with(target),
  /** Starts; `home-move` events report the progress. Throws as `home.planMove`. */
  'home.move': call<null>().with(target),
  /** Stops it and removes what was copied; the home stays where it is. */
  'home.cancelMove': call<null>().with(z.undefined()),
  'home.moveWork': call<HomeMoveWork | null>().with(z.undefined()),
  /** Text for a problem report; names, paths and secrets of this machine are replaced. */
  'support.report': call<{ readonly text: string }>().with(z.undefined()),
  /** The last lines of the application log, oldest first. */
  'support.log': call<readonly string[]>().with(z.strictObject({ limit: z.int().min(1).max(20_000) })),
  /** Pages of the documentation that come with the program, the changelog last. */
  'support.documents': call<readonly DocumentInfo[]>().with(z.undefined()),
  /** A page as Markdown. */
  'support.document': call<{ readonly text: string }>().with(
    z.strictObject({ id: z.string().regex(/^[a-z]+\/[\w-]+$/) }),
  ),
} as const;

const hostName = z.strictObject({ name: hostNameSchema });

/** Calls about the machines to run on. */
export const hostsApi = {
  'hosts.list': call<readonly Host[]>().with(z.undefined()),
  /** Throws input-invalid where the name is taken. */
  'hosts.add': call<Host>().with(newHostSchema),
  /** Asks the host, for 10 s at most; eight hosts at a time. Throws host-unknown. */
  'hosts.status': call<HostStatus>().with(hostName),
  /** Asks the host and makes the preflight of it. Throws host-unknown. */
  'hosts.check': call<HostCheck>().with(hostName),
  /** The same of a host that is not in the list. */
  'hosts.try': call<HostCheck>().with(newHostSchema),
  /**
   * Takes it from the list; nothing is changed on the host. Throws host-unknown, and, unless `force`: run-busy and
   * deployment-busy while this home has containers running there, host-unreachable where that cannot be asked.
   */
  'hosts.remove': call<null>().with(hostName.extend({ force: z.boolean() })),
} as const;
