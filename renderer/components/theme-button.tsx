import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { themeText, useThemeChoice } from '../commands/use-theme-choice';

const icons = { auto: IconDeviceDesktop, dark: IconMoon, light: IconSun } as const;
const words = { auto: 'System', dark: 'Dark', light: 'Light' } as const;

/** Which colours are shown; a click takes the next. */
export function ThemeButton() {
  const { choice, next } = useThemeChoice();
  const ChoiceIcon = icons[choice];
  return (
    <button
      type="button"
      className="plain-button rail-entry rail-end"
      title="Change the colours (Ctrl+Shift+L)"
      aria-label={`Colours: ${themeText[choice]}`}
      onClick={next}
    >
      <ChoiceIcon size={20} stroke={1.75} aria-hidden="true" />
      {words[choice]}
    </button>
  );
}
