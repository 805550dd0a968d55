import type { PagePlace } from '../../stores/help';
import type { Route } from '../../stores/route';
import type { Workbench } from '../../workbench';

const articles: Readonly<Record<Exclude<Route['page'], 'runs'>, PagePlace>> = {
  new: { page: 'guide/window', heading: 'new-deployment' },
  run: { page: 'guide/window', heading: 'a-run' },
  compare: { page: 'guide/window', heading: 'compare' },
  studies: { page: 'guide/window', heading: 'studies' },
  deployments: { page: 'guide/deployments', heading: null },
  monitor: { page: 'guide/monitor', heading: null },
  containers: { page: 'guide/window', heading: 'containers' },
  hosts: { page: 'guide/hosts', heading: null },
  environment: { page: 'guide/window', heading: 'environment' },
  settings: { page: 'guide/settings', heading: null },
};

/** What the documentation opens at on a page; before the first run, the list of runs has the tutorial. */
export function articleOf(route: Route, hasRuns: boolean): PagePlace {
  const { page } = route;
  if (page === 'new' && route.repository === true) return { page: 'guide/repository', heading: null };
  if (page !== 'runs') return articles[page];
  return hasRuns
    ? { page: 'guide/window', heading: 'runs' }
    : { page: 'guide/first-deployment', heading: null };
}

export const pageArticle = ({ route, runs }: Pick<Workbench, 'route' | 'runs'>): PagePlace =>
  articleOf(route.getState().route, (runs.getState().value ?? []).length > 0);

export const changelog: PagePlace = { page: 'about/changelog', heading: null };
