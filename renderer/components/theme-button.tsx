import { Menu } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import { themeChoices, themeText, useThemeChoice } from '../commands/use-theme-choice';

const icons = { auto: IconDeviceDesktop, dark: IconMoon, light: IconSun } as const;

/** The theme of the window: light, dark, or that of the system. */
export function ThemeButton() {
  const { choice, choose } = useThemeChoice();
  const ChoiceIcon = icons[choice];
  return (
    <Menu position="right-end" shadow="md" withinPortal>
      <Menu.Target>
        <button
          type="button"
          className="plain-button rail-entry rail-end"
          title="Ctrl+Shift+L switches to the next theme"
          aria-label={`Theme: ${themeText[choice]}`}
        >
          <ChoiceIcon size={20} stroke={1.75} aria-hidden="true" />
          Theme
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {themeChoices.map((theme) => {
          const ThemeIcon = icons[theme];
          return (
            <Menu.Item
              key={theme}
              leftSection={<ThemeIcon size={14} aria-hidden="true" />}
              rightSection={theme === choice ? <span className="dim">current</span> : null}
              onClick={() => {
                choose(theme);
              }}
            >
              {themeText[theme]}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
