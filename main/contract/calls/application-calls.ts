import { z } from 'zod';
import { hostNameSchema } from '../host/host-name';
import { type Host, type HostCheck, type HostStatus, newHostSchema } from '../host/hosts';
import type { Opened } from '../opened';
import { reportFileSchema } from '../run/run-events';
import { type SettingKey, settingKeys, type SettingsState } from '../settings/settings';
import type { CleanOffer, HomeMovePlan, HomeMoveWork, RetiredRun, StorageReport } from '../settings/storage';
import { call } from './call';

const runId = z.strictObject({ runId: z.string().max(200) });

/** Calls that need a desktop: dialogs, other programs, the clipboard, the window. */
export const desktopApi = {
  'desktop.saveReport': call<{ readonly path: string } | null>().with(
    z.strictObject({ runId: z.string().max(200), kind: reportFileSchema.shape.kind }),
  ),
  /** Writes the reports of a study and copies one to a path that is asked for; null when the person cancels. */
  'desktop.saveStudy': call<{ readonly path: string } | null>().with(
    z.strictObject({ name: z.string().max(40), kind: z.enum(['pdf', 'html', 'csv', 'json', 'markdown']) }),
  ),
  'desktop.saveText': call<{ readonly path: string } | null>().with(
    z.strictObject({ fileName: z.string().max(200), text: z.string().max(2_000_000) }),
  ),
  /** Saves the monitor's history to a path that is asked for; null when the person cancels. */
  'desktop.saveMonitor': call<{ readonly path: string } | null>().with(
    z.strictObject({ kind: z.enum(['csv', 'html', 'pdf']) }),
  ),
  /** null when the person cancels. */
  'desktop.openText': call<{ readonly fileName: string; readonly text: string } | null>().with(z.undefined()),
  /** What was opened from outside the window, oldest first; null when nothing waits. */
  'desktop.takeOpened': call<Opened | null>().with(z.undefined()),
  /** Asks for a file or folder (weights, data set, model); null when the person cancels. */
  'desktop.choosePath': call<{ readonly path: string } | null>().with(
    z.strictObject({ kind: z.enum(['file', 'folder']), title: z.string().max(120) }),
  ),
  'desktop.openReport': call<null>().with(
    z.strictObject({ runId: z.string().max(200), kind: reportFileSchema.shape.kind }),
  ),
  /** Opens what was saved here, or its folder. Throws input-invalid for a path that the person did not choose. */
  'desktop.openSaved': call<null>().with(
    z.strictObject({ path: z.string().max(4096), how: z.enum(['file', 'folder']) }),
  ),
  'desktop.showRunFolder': call<null>().with(runId),
  /** Stops the runs of this workbench so that each can be resumed, and closes the window. */
  'desktop.close': call<null>().with(z.undefined()),
  /** The result is shown in dialogs, as from the menu. */
  'desktop.checkForUpdates': call<null>().with(z.undefined()),
  'desktop.openFolder': call<null>().with(z.strictObject({ folder: z.enum(['home', 'logs']) })),
  /** Opens addresses of allowed hosts in the browser; every other one is copied instead. */
  'desktop.openLink': call<{ readonly opened: boolean }>().with(
    z.strictObject({ address: z.string().max(2000) }),
  ),
} as const;

const key = z.enum(settingKeys as [SettingKey, ...SettingKey[]]);
const value = z.union([z.string().max(2000), z.number(), z.boolean(), z.null()]);
const cleaned = z.strictObject({
  cache: z.boolean(),
  trash: z.boolean(),
  runIds: z.array(z.string().max(128)).default([]),
});
/** An article of the documentation. */
export interface Document {
  /** Its folder and name: "guide/monitor". */
  readonly id: string;
  readonly group: string;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
}

const target = z.strictObject({ to: z.string().min(1).max(4096) });

/** Entry of `licenses.json`, which the build of a package writes. */
export const licensedSoftwareSchema = z.strictObject({
  kind: z.enum(['program', 'npm', 'pypi']),
  name: z.string(),
  version: z.string(),
  license: z.string(),
  /** Empty: it comes with the installed package. */
  text: z.string(),
});
export type LicensedSoftware = Readonly<z.infer<typeof licensedSoftwareSchema>>;

export const settingsApi = {
  'settings.get': call<SettingsState>().with(z.undefined()),
  /** Throws input-invalid for a value out of range and for an unreadable file. */
  'settings.set': call<SettingsState>().with(z.strictObject({ key, value })),
  'settings.reset': call<SettingsState>().with(z.strictObject({ key })),
  /** Renames an unreadable settings file, so that settings can be written again. @returns its new path */
  'settings.setAside': call<{ readonly path: string }>().with(z.undefined()),
  /** The runs that this retention would move to the trash at the next start. */
  'settings.retired': call<readonly RetiredRun[]>().with(
    z.strictObject({ days: z.int().min(1).max(36_500) }),
  ),
  'home.storage': call<StorageReport>().with(z.undefined()),
  'home.planClean': call<CleanOffer>().with(z.undefined()),
  'home.clean': call<{ readonly freedBytes: number }>().with(cleaned),
  /** Throws input-invalid where the home cannot move there, run-busy or deployment-busy while it is in use, disk-full. */
  'home.planMove': call<HomeMovePlan>().with(target),
  /** Starts; `home-move` events report the progress. Throws as `home.planMove`. */
  'home.move': call<null>().with(target),
  /** Stops it and removes the copies; the home stays where it is. */
  'home.cancelMove': call<null>().with(z.undefined()),
  'home.moveWork': call<HomeMoveWork | null>().with(z.undefined()),
  /** Text for a problem report; names, paths and secrets of this machine are replaced. */
  'support.report': call<{ readonly text: string }>().with(z.undefined()),
  'support.log': call<readonly string[]>().with(z.strictObject({ limit: z.int().min(1).max(20_000) })),
  /** In the order in which they are listed. */
  'support.documents': call<readonly Document[]>().with(z.undefined()),
  /** The software in this package and that its set-up installs; null in a clone. */
  'support.licenses': call<{ readonly software: readonly LicensedSoftware[] | null }>().with(z.undefined()),
} as const;

const hostName = z.strictObject({ name: hostNameSchema });

export const hostsApi = {
  'hosts.list': call<readonly Host[]>().with(z.undefined()),
  /** Throws input-invalid where the name is taken. */
  'hosts.add': call<Host>().with(newHostSchema),
  /** Takes at most 10 s per host, eight hosts at a time. Throws host-unknown. */
  'hosts.status': call<HostStatus>().with(hostName),
  'hosts.check': call<HostCheck>().with(hostName),
  /** As `hosts.check`, for a host that is not in the list. */
  'hosts.try': call<HostCheck>().with(newHostSchema),
  /**
   * Removes it from the list; nothing changes on the host. Throws host-unknown, and, unless `force`, run-busy and
   * deployment-busy while this home has containers there, host-unreachable where that cannot be checked.
   */
  'hosts.remove': call<null>().with(hostName.extend({ force: z.boolean() })),
} as const;
