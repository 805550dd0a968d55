import { onDemand, pageOf, pageOnDemand } from './page-on-demand';
import { RunsView } from './runs/runs-view';

// Each page with its type of docs/design.md.
export const RunsPage = pageOf('list', RunsView);

// Each is a script of its own: the start does not need them.
export const ComparePage = pageOnDemand(
  'compare',
  async () => (await import('./compare/compare-view')).CompareView,
);
export const ContainersPage = pageOnDemand(
  'list',
  async () => (await import('./containers/containers-view')).ContainersView,
);
export const DeploymentsPage = pageOnDemand(
  'list',
  async () => (await import('./deployments/deployments-view')).DeploymentsView,
);
export const EnvironmentPage = pageOnDemand(
  'object',
  async () => (await import('./environment/environment-view')).EnvironmentView,
);
export const HostsPage = pageOnDemand('list', async () => (await import('./hosts/hosts-view')).HostsView);
export const MonitorPage = pageOnDemand(
  'live',
  async () => (await import('./monitor/monitor-view')).MonitorView,
);
export const NewDeploymentPage = pageOnDemand(
  'form',
  async () => (await import('./new-deployment/new-deployment-view')).NewDeploymentView,
);
export const StartPage = pageOnDemand(
  'form',
  async () => (await import('./new-deployment/start/start-view')).StartView,
);
export const RepositoryPage = pageOnDemand(
  'list',
  async () => (await import('./new-deployment/repository/repository-view')).RepositoryView,
);
export const RunPage = pageOnDemand('object', async () => (await import('./run/run-view')).RunView);
export const StudiesPage = pageOnDemand(
  'object',
  async () => (await import('./studies/studies-view')).StudiesView,
);
export const SettingsPage = pageOnDemand(
  'settings',
  async () => (await import('./settings/settings-view')).SettingsView,
);

export const HelpReader = onDemand(async () => (await import('./help/help-reader')).HelpReader);
export const MeasureDialog = onDemand(async () => (await import('./measure/measure-dialog')).MeasureDialog);
export const JointDialog = onDemand(async () => (await import('./studies/joint/joint-dialog')).JointDialog);
export const DuelDialog = onDemand(async () => (await import('./studies/duel-dialog')).DuelDialog);
export const SearchDialog = onDemand(async () => (await import('./studies/search-dialog')).SearchDialog);
export const SoakDialog = onDemand(async () => (await import('./studies/soak/soak-dialog')).SoakDialog);
export const UpgradeDialog = onDemand(
  async () => (await import('./studies/upgrade/upgrade-dialog')).UpgradeDialog,
);
export const VaryDialog = onDemand(async () => (await import('./studies/vary-dialog')).VaryDialog);
