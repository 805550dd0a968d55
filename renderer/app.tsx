import { useEffect } from 'react';
import { useStore } from 'zustand';
import { Commands } from './commands/commands';
import { useOpened } from './commands/use-opened';
import { useThemeOfSettings } from './commands/use-theme-choice';
import { ClosingBar } from './components/closing-bar';
import { leaveErrors } from './components/notices';
import { Rail } from './components/rail';
import { StatusBar } from './components/status-bar';
import { useRunNotices } from './components/use/use-run-notices';
import type { Route } from './stores/route';
import { HelpPane } from './views/help/help-pane';
import {
  ComparePage,
  ContainersPage,
  DeploymentsPage,
  EnvironmentPage,
  HostsPage,
  MonitorPage,
  NewDeploymentPage,
  RepositoryPage,
  RunPage,
  RunsPage,
  SettingsPage,
  StartPage,
  StudiesPage,
} from './views/pages';
import { useWorkbench } from './workbench';

function View({ route }: { route: Route }) {
  switch (route.page) {
    case 'runs':
      return <RunsPage />;
    case 'new':
      if (route.draft === true) return <NewDeploymentPage />;
      return route.repository === true ? <RepositoryPage /> : <StartPage />;
    case 'run':
      return <RunPage key={route.runId} runId={route.runId} />;
    case 'compare':
      return <ComparePage runIds={route.runIds} />;
    case 'deployments':
      return <DeploymentsPage />;
    case 'studies':
      return <StudiesPage name={route.name} />;
    case 'monitor':
      return <MonitorPage />;
    case 'containers':
      return <ContainersPage />;
    case 'hosts':
      return <HostsPage />;
    case 'environment':
      return <EnvironmentPage />;
    case 'settings':
      return <SettingsPage />;
  }
}

export function App() {
  const { route } = useWorkbench();
  const shown = useStore(route, (state) => state.route);
  useEffect(() => leaveErrors(), [shown]);
  useRunNotices();
  useOpened();
  useThemeOfSettings();
  return (
    <div className="frame">
      <Rail />
      <main className="page">
        <View route={shown} />
      </main>
      <HelpPane />
      <StatusBar />
      <ClosingBar />
      <Commands />
    </div>
  );
}
