import { useMantineColorScheme } from '@mantine/core';
import type { MantineColorScheme } from '@mantine/core';

const order: readonly MantineColorScheme[] = ['auto', 'dark', 'light'];
export const themeText: Readonly<Record<MantineColorScheme, string>> = {
  auto: 'as the system',
  dark: 'dark',
  light: 'light',
};

/** The colours that were chosen, and the way to the next choice: system, dark, light. Kept by the window. */
export function useThemeChoice(): { readonly choice: MantineColorScheme; readonly next: () => void } {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return {
    choice: colorScheme,
    next: () => {
      setColorScheme(order[(order.indexOf(colorScheme) + 1) % order.length] ?? 'auto');
    },
  };
}
