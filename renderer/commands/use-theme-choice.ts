import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { useEffect, useEffectEvent } from 'react';
import { useStore } from 'zustand';
import type { Settings } from '../../main/contract/settings/settings';
import { attempt } from '../components/notices';
import { useWorkbench } from '../workbench';

export const themeChoices: readonly MantineColorScheme[] = ['auto', 'dark', 'light'];
export const themeText: Readonly<Record<MantineColorScheme, string>> = {
  auto: 'System',
  dark: 'Dark',
  light: 'Light',
};

const settingOf = (scheme: MantineColorScheme): Settings['window.theme'] =>
  scheme === 'auto' ? 'system' : scheme;

/** Set once the theme of a window from before there were settings is in the settings. */
const takenOver = 'workbench.theme-in-settings';

/** The chosen theme, a way to choose one and the way to the next: system, dark, light. Kept in the settings. */
export function useThemeChoice() {
  const { settings } = useWorkbench();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const choose = (theme: MantineColorScheme): void => {
    setColorScheme(theme);
    attempt(() => settings.getState().set('window.theme', settingOf(theme)));
  };
  return {
    choice: colorScheme,
    choose,
    next: (): void =>
      choose(themeChoices[(themeChoices.indexOf(colorScheme) + 1) % themeChoices.length] ?? 'auto'),
  };
}

export function useThemeOfSettings(): void {
  const { settings } = useWorkbench();
  const state = useStore(settings, (one) => one.state);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const wanted = state?.values['window.theme'];
  // Only a change of the settings asks for it.
  const show = useEffectEvent(() => {
    if (state === null || wanted === undefined) return;
    const isFirst = window.localStorage.getItem(takenOver) === null;
    window.localStorage.setItem(takenOver, 'yes');
    if (isFirst && colorScheme !== 'auto' && !state.changed.includes('window.theme')) {
      attempt(() => settings.getState().set('window.theme', settingOf(colorScheme)));
    } else setColorScheme(wanted === 'system' ? 'auto' : wanted);
  });
  useEffect(() => show(), [wanted]);
}
