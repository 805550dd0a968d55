import type { MantineColorScheme } from '@mantine/core';
import { useMantineColorScheme } from '@mantine/core';

export const themeChoices: readonly MantineColorScheme[] = ['auto', 'dark', 'light'];
export const themeText: Readonly<Record<MantineColorScheme, string>> = {
  auto: 'System',
  dark: 'Dark',
  light: 'Light',
};

/** The chosen theme, a way to choose one and the way to the next: system, dark, light. Kept by the window. */
export function useThemeChoice(): {
  readonly choice: MantineColorScheme;
  readonly choose: (theme: MantineColorScheme) => void;
  readonly next: () => void;
} {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return {
    choice: colorScheme,
    choose: setColorScheme,
    next: () => {
      setColorScheme(themeChoices[(themeChoices.indexOf(colorScheme) + 1) % themeChoices.length] ?? 'auto');
    },
  };
}
