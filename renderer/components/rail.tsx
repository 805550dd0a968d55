import { Menu } from '@mantine/core';
import {
  type Icon,
  IconActivity,
  IconArrowsLeftRight,
  IconBox,
  IconCpu,
  IconDeviceDesktop,
  IconHelp,
  IconList,
  IconMoon,
  IconNetwork,
  IconPlus,
  IconServer2,
  IconSettings,
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
  { page: 'hosts', label: 'Hosts', icon: IconNetwork },
];

const helpEntries = [
  ['documentation', 'Documentation'],
  ['changelog', 'Changelog'],
  ['shortcuts', 'Keyboard shortcuts'],
  ['report', 'Report a problem…'],
  ['about', 'About Triton Workbench'],
] as const;

/** What the Help menu of the application has, for who does not see its bar. */
function HelpButton() {
  const { overlay } = useWorkbench();
  return (
    <Menu position="right-end" shadow="md" withinPortal>
      <Menu.Target>
        <button type="button" className="plain-button rail-entry">
          <IconHelp size={20} stroke={1.75} aria-hidden="true" />
          Help
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {helpEntries.map(([page, title]) => (
          <Menu.Item
            key={page}
            onClick={() => {
              overlay.getState().show(page);
            }}
          >
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

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
      <HelpButton />
      <button
        type="button"
        className="plain-button rail-entry"
        title="Ctrl+,"
        aria-current={shown === 'settings' ? 'page' : undefined}
        onClick={() => {
          route.getState().go({ page: 'settings' });
        }}
      >
        <IconSettings size={20} stroke={1.75} aria-hidden="true" />
        Settings
      </button>
    </nav>
  );
}
