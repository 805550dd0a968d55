import {
  type Icon,
  IconActivity,
  IconArrowsLeftRight,
  IconBox,
  IconCpu,
  IconDeviceDesktop,
  IconHelp,
  IconLayoutGrid,
  IconList,
  IconMoon,
  IconNetwork,
  IconPlus,
  IconServer2,
  IconSettings,
  IconStack3,
  IconSun,
} from '@tabler/icons-react';
import { type ComponentProps, useRef } from 'react';
import { useStore } from 'zustand';
import { Keys } from '../commands/command-palette';
import { themeChoices, themeText, useThemeChoice } from '../commands/use-theme-choice';
import { type Route, routeTo } from '../stores/route';
import { changelog, pageArticle } from '../views/help/article';
import { useWorkbench } from '../workbench';
import { ActionMenu, MenuAction } from './actions';
import { useCurrentInSight } from './use/use-current-in-sight';

const icons = { auto: IconDeviceDesktop, dark: IconMoon, light: IconSun } as const;

const RailButton = ({
  icon: Glyph,
  className = '',
  children,
  ...rest
}: ComponentProps<'button'> & { icon: Icon }) => (
  <button type="button" className={`plain-button rail-entry ${className}`.trimEnd()} {...rest}>
    <Glyph size={20} stroke={1.75} aria-hidden="true" />
    {children}
  </button>
);

function ThemeButton() {
  const { choice, choose } = useThemeChoice();
  return (
    <ActionMenu
      position="right-end"
      button={
        <RailButton
          icon={icons[choice]}
          className="rail-end"
          title="Ctrl+Shift+L switches to the next theme"
          aria-label={`Theme: ${themeText[choice]}`}
        >
          Theme
        </RailButton>
      }
    >
      {themeChoices.map((theme) => (
        <MenuAction
          key={theme}
          icon={icons[theme]}
          rightSection={theme === choice ? <span className="dim">current</span> : null}
          onClick={() => choose(theme)}
        >
          {themeText[theme]}
        </MenuAction>
      ))}
    </ActionMenu>
  );
}

const entries: readonly {
  readonly page: Exclude<Route['page'], 'run'>;
  readonly label: string;
  readonly icon: Icon;
}[] = [
  { page: 'runs', label: 'Runs', icon: IconList },
  { page: 'new', label: 'New deployment', icon: IconPlus },
  { page: 'studies', label: 'Studies', icon: IconLayoutGrid },
  { page: 'deployments', label: 'Deployments', icon: IconServer2 },
  { page: 'monitor', label: 'Monitor', icon: IconActivity },
  { page: 'containers', label: 'Containers', icon: IconBox },
  { page: 'compare', label: 'Compare', icon: IconArrowsLeftRight },
  { page: 'environment', label: 'Environment', icon: IconCpu },
  { page: 'hosts', label: 'Hosts', icon: IconNetwork },
];

const helpEntries = [
  ['whats-new', 'What’s new'],
  ['shortcuts', 'Keyboard shortcuts'],
  ['report', 'Report a problem…'],
  ['about', 'About Triton Workbench'],
] as const;

function HelpButton() {
  const workbench = useWorkbench();
  const { overlay, help } = workbench;
  return (
    <ActionMenu position="right-end" button={<RailButton icon={IconHelp}>Help</RailButton>}>
      <MenuAction
        rightSection={<Keys shortcut="F1" />}
        onClick={() => help.getState().open(pageArticle(workbench))}
      >
        Documentation
      </MenuAction>
      <MenuAction onClick={() => help.getState().open(changelog)}>Changelog</MenuAction>
      {helpEntries.map(([page, title]) => (
        <MenuAction key={page} onClick={() => overlay.getState().show(page)}>
          {title}
        </MenuAction>
      ))}
    </ActionMenu>
  );
}

export function Rail() {
  const { route, compared } = useWorkbench();
  const shown = useStore(route, (state) => state.route.page);
  const place = useRef<HTMLElement>(null);
  useCurrentInSight(place, shown);
  return (
    <nav ref={place} className="column rail" aria-label="Pages">
      <div className="rail-mark" aria-hidden="true">
        <IconStack3 size={24} stroke={1.75} />
      </div>
      {entries.map(({ page, label, icon }) => (
        <RailButton
          key={page}
          icon={icon}
          aria-current={shown === page || (shown === 'run' && page === 'runs') ? 'page' : undefined}
          onClick={() => route.getState().go(routeTo(page, compared.getState().runIds))}
        >
          {label}
        </RailButton>
      ))}
      <ThemeButton />
      <HelpButton />
      <RailButton
        icon={IconSettings}
        title="Ctrl+,"
        aria-current={shown === 'settings' ? 'page' : undefined}
        onClick={() => route.getState().go({ page: 'settings' })}
      >
        Settings
      </RailButton>
    </nav>
  );
}
