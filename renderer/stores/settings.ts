import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../main/contract/api';
import { toWire, type WireError } from '../../main/contract/errors';
import {
  defaultSettings,
  type SettingKey,
  type Settings,
  type SettingsState,
  type SettingValue,
} from '../../main/contract/settings/settings';
import type { HomeMoveWork } from '../../main/contract/settings/storage';
import type { Client } from '../client';

/** `home`: where the workbench home is, which no key of the file says. */
export type SoughtSetting = SettingKey | 'home' | 'clean-up';

export interface SettingsStore {
  /** null until they have come for the first time. */
  readonly state: SettingsState | null;
  readonly error: WireError | null;
  /** The setting that the page is to show and to focus; null: none. */
  readonly sought: SoughtSetting | null;
  readonly move: HomeMoveWork | null;
  readonly load: () => Promise<void>;
  /** Throws input-invalid for a value out of range. */
  readonly set: (key: SettingKey, value: SettingValue) => Promise<void>;
  readonly reset: (key: SettingKey) => Promise<void>;
  readonly seek: (sought: SoughtSetting | null) => void;
  readonly onEvent: (event: WindowEvent) => void;
}

export const settingsOf = ({ state }: Pick<SettingsStore, 'state'>): Settings =>
  state?.values ?? defaultSettings;

/** The settings of the home, and a move of it to another folder. */
export function createSettings(client: Client): StoreApi<SettingsStore> {
  return createStore<SettingsStore>()((set) => ({
    state: null,
    error: null,
    sought: null,
    move: null,
    load: async () => {
      try {
        set({ state: await client.call('settings.get'), error: null });
      } catch (error) {
        set({ error: toWire(error) });
      }
    },
    set: async (key, value) => {
      set({ state: await client.call('settings.set', { key, value }) });
    },
    reset: async (key) => {
      set({ state: await client.call('settings.reset', { key }) });
    },
    seek: (sought) => set({ sought }),
    onEvent: (event) => {
      if (event.type === 'settings-changed') set({ state: event.state });
      if (event.type === 'home-move') set({ move: event.work });
    },
  }));
}
