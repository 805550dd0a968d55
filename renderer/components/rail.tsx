import type { Icon } from '@tabler/icons-react';
import {
  IconActivity,
  IconArrowsLeftRight,
  IconBox,
  IconCpu,
  IconList,
  IconPlus,
  IconStack3,
} from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { Route } from '../stores/route';
import { routeTo } from '../stores/route';
import { useWorkbench } from '../workbench';
import { ThemeButton } from './theme-button';

const entries: readonly {
  readonly page: Exclude<Route['page'], 'run'>;
  readonly label: string;
  readonly icon: Icon;
}[] = [
  { page: 'runs', label: 'Runs', icon: IconList },
  { page: 'new', label: 'New deployment', icon: IconPlus },
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
