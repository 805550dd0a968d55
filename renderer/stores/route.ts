import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { stored } from './stored';

const routeSchema = z.discriminatedUnion('page', [
  z.object({ page: z.literal('runs') }),
  z.object({
    page: z.literal('new'),
    draft: z.boolean().optional(),
    /** The models of a repository, of which one is chosen. */
    repository: z.boolean().optional(),
  }),
  z.object({ page: z.literal('run'), runId: z.string().min(1).max(200) }),
  z.object({ page: z.literal('compare'), runIds: z.array(z.string().min(1).max(200)).max(8) }),
  z.object({ page: z.literal('studies'), name: z.string().max(40).optional() }),
  z.object({ page: z.literal('monitor') }),
  z.object({ page: z.literal('deployments') }),
  z.object({ page: z.literal('containers') }),
  z.object({ page: z.literal('environment') }),
  z.object({ page: z.literal('hosts') }),
  z.object({ page: z.literal('settings') }),
]);
export type Route = z.infer<typeof routeSchema>;

export interface RouteState {
  readonly route: Route;
  readonly go: (route: Route) => void;
}

export const routeTo = (page: Exclude<Route['page'], 'run'>, compared: readonly string[]): Route =>
  page === 'compare' ? { page, runIds: [...compared] } : { page };

const key = 'workbench.route';

export function createRoute(storage: Storage): StoreApi<RouteState> {
  return createStore<RouteState>()((set) => ({
    route: stored(storage, key, routeSchema) ?? { page: 'runs' },
    go: (route) => {
      storage.setItem(key, JSON.stringify(route));
      set({ route });
    },
  }));
}
