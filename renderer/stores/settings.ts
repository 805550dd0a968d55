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

export type SoughtSetting = SettingKey | 'home' | 'clean-up';

export interface SettingsStore {
  readonly state: SettingsState | null;
  readonly error: WireError | null;
  /** Setting that the page scrolls to and focuses; null: none. */
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
