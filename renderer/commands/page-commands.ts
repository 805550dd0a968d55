import type { Route } from '../stores/route';

/** Pages with their shortcuts, in the order of the rail. */
export const pageCommands: readonly {
  readonly page: Exclude<Route['page'], 'run'>;
  readonly title: string;
  readonly shortcut: string;
  /** More words that it is found by. */
  readonly note?: string;
}[] = [
  { page: 'runs', title: 'Runs', shortcut: 'Ctrl+1' },
  { page: 'new', title: 'New deployment', shortcut: 'Ctrl+N' },
  { page: 'deployments', title: 'Deployments', shortcut: 'Ctrl+2' },
  { page: 'monitor', title: 'Monitor', shortcut: 'Ctrl+3' },
  { page: 'containers', title: 'Containers', shortcut: 'Ctrl+4', note: 'Docker containers and images' },
  { page: 'compare', title: 'Compare', shortcut: 'Ctrl+5' },
  { page: 'environment', title: 'Environment', shortcut: 'Ctrl+6', note: 'tools, Docker, GPUs, checks' },
  { page: 'hosts', title: 'Hosts', shortcut: 'Ctrl+7', note: 'other machines with Docker and GPUs' },
  { page: 'settings', title: 'Settings', shortcut: 'Ctrl+,' },
];
