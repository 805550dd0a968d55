import { pageOnDemand } from './page-on-demand';

/** Each is a script of its own: the start does not need them. */
export const ComparePage = pageOnDemand(async () => (await import('./compare/compare-view')).CompareView);
export const ContainersPage = pageOnDemand(
  async () => (await import('./containers/containers-view')).ContainersView,
);
export const DeploymentsPage = pageOnDemand(
  async () => (await import('./deployments/deployments-view')).DeploymentsView,
);
export const EnvironmentPage = pageOnDemand(
  async () => (await import('./environment/environment-view')).EnvironmentView,
);
export const HostsPage = pageOnDemand(async () => (await import('./hosts/hosts-view')).HostsView);
export const MonitorPage = pageOnDemand(async () => (await import('./monitor/monitor-view')).MonitorView);
export const NewDeploymentPage = pageOnDemand(
  async () => (await import('./new-deployment/new-deployment-view')).NewDeploymentView,
);
export const StartPage = pageOnDemand(
  async () => (await import('./new-deployment/start/start-view')).StartView,
);
export const RunPage = pageOnDemand(async () => (await import('./run/run-view')).RunView);
export const StudiesPage = pageOnDemand(async () => (await import('./studies/studies-view')).StudiesView);
export const SettingsPage = pageOnDemand(async () => (await import('./settings/settings-view')).SettingsView);
export const MeasureDialog = pageOnDemand(
  async () => (await import('./measure/measure-dialog')).MeasureDialog,
);
export const SearchDialog = pageOnDemand(async () => (await import('./studies/search-dialog')).SearchDialog);
export const VaryDialog = pageOnDemand(async () => (await import('./studies/vary-dialog')).VaryDialog);
