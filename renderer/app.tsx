import { useEffect } from 'react';
import { useStore } from 'zustand';
import { Commands } from './commands/commands';
import { useOpened } from './commands/use-opened';
import { useThemeOfSettings } from './commands/use-theme-choice';
import { ClosingBar } from './components/closing-bar';
import { leaveErrors } from './components/notices';
import { Rail } from './components/rail';
import { StatusBar } from './components/status-bar';
import { useRunEndNotice } from './components/use-run-end-notice';
import type { Route } from './stores/route';
import { CompareView } from './views/compare/compare-view';
import { ContainersView } from './views/containers/containers-view';
import { DeploymentsView } from './views/deployments/deployments-view';
import { EnvironmentView } from './views/environment/environment-view';
import { MonitorView } from './views/monitor/monitor-view';
import { NewDeploymentView } from './views/new-deployment/new-deployment-view';
import { StartView } from './views/new-deployment/start/start-view';
import { RunView } from './views/run/run-view';
import { RunsView } from './views/runs/runs-view';
import { SettingsView } from './views/settings/settings-view';
import { useWorkbench } from './workbench';

function View({ route }: { route: Route }) {
  switch (route.page) {
    case 'runs':
      return <RunsView />;
    case 'new':
      return route.draft === true ? <NewDeploymentView /> : <StartView />;
    case 'run':
      return <RunView key={route.runId} runId={route.runId} />;
    case 'compare':
      return <CompareView runIds={route.runIds} />;
    case 'deployments':
      return <DeploymentsView />;
    case 'monitor':
      return <MonitorView />;
    case 'containers':
      return <ContainersView />;
    case 'environment':
      return <EnvironmentView />;
    case 'settings':
      return <SettingsView />;
  }
}

/** The frame: rail, page, status bar. */
export function App() {
  const { route } = useWorkbench();
  const shown = useStore(route, (state) => state.route);
  useEffect(() => {
    leaveErrors();
  }, [shown]);
  useRunEndNotice();
  useOpened();
  useThemeOfSettings();
  return (
    <div className="frame">
      <Rail />
      <main className="page">
        <View route={shown} />
      </main>
      <StatusBar />
      <ClosingBar />
      <Commands />
    </div>
  );
}
