import { z } from 'zod';
import { type SettingKey, settingKeys, type SettingsState } from '../settings/settings';
import type { HomeMovePlan, HomeMoveWork, RetiredRun, StorageReport } from '../settings/storage';
import { call } from './call';

const key = z.enum(settingKeys as [SettingKey, ...SettingKey[]]);
const value = z.union([z.string().max(2000), z.number(), z.boolean(), z.null()]);
const cleaned = z.strictObject({ cache: z.boolean(), trash: z.boolean() });
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
  /** What a clean-up frees, in bytes; it also stops processes and containers of crashed sessions. */
  'home.planClean': call<{
    readonly cacheBytes: number;
    readonly trashBytes: number;
    readonly trashRuns: number;
  }>().with(z.undefined()),
  'home.clean': call<null>().with(cleaned),
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
