import { Menu } from '@mantine/core';
import {
  type Icon,
  IconActivity,
  IconArrowsLeftRight,
  IconBox,
  IconCpu,
  IconDeviceDesktop,
  IconList,
  IconMoon,
  IconPlus,
  IconServer2,
  IconStack3,
  IconSun,
} from '@tabler/icons-react';
import { useStore } from 'zustand';
import { themeChoices, themeText, useThemeChoice } from '../commands/use-theme-choice';
import { type Route, routeTo } from '../stores/route';
import { useWorkbench } from '../workbench';

const icons = { auto: IconDeviceDesktop, dark: IconMoon, light: IconSun } as const;

/** The theme of the window: light, dark, or that of the system. */
function ThemeButton() {
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

const entries: readonly {
  readonly page: Exclude<Route['page'], 'run'>;
  readonly label: string;
  readonly icon: Icon;
}[] = [
  { page: 'runs', label: 'Runs', icon: IconList },
  { page: 'new', label: 'New deployment', icon: IconPlus },
  { page: 'deployments', label: 'Deployments', icon: IconServer2 },
  { page: 'monitor', label: 'Monitor', icon: IconActivity },
  { page: 'containers', label: 'Containers', icon: IconBox },
  { page: 'compare', label: 'Compare', icon: IconArrowsLeftRight },
  { page: 'environment', label: 'Environment', icon: IconCpu },
];

/** The pages, always in reach. */
export function Rail() {
  const { route, compared } = useWorkbench();
  const shown = useStore(route, (state) => state.route.page);
  return (
    <nav className="rail" aria-label="Pages">
      <div className="rail-mark" aria-hidden="true">
        <IconStack3 size={24} stroke={1.75} />
      </div>
      {entries.map(({ page, label, icon: EntryIcon }) => (
        <button
          key={page}
          type="button"
          className="plain-button rail-entry"
          aria-current={shown === page || (shown === 'run' && page === 'runs') ? 'page' : undefined}
          onClick={() => {
            route.getState().go(routeTo(page, compared.getState().runIds));
          }}
        >
          <EntryIcon size={20} stroke={1.75} aria-hidden="true" />
          {label}
        </button>
      ))}
      <ThemeButton />
    </nav>
  );
}
