import { hostname } from 'node:os';
import type { InContainer, OwnJob } from '../job';
import { jobEngine } from '../job-engine';
import { podVariables } from './job-manifest';
import { createKubernetes } from './kubernetes';

/** The pod is the container, so commands stay unchanged. */
const unchanged: InContainer = (command) => {
  const [program = '', ...rest] = command;
  return [program, ...rest];
};

/**
 * The Job that this process runs in, or null. Kubernetes does not tell a pod why it is stopped: after the planned pause
 * the deadline is assumed, before it the cluster. A cancellation is recorded in the run.
 * @param upS seconds since the process started
 */
export function ownKubernetesJob(env: NodeJS.ProcessEnv, upS = () => process.uptime()): OwnJob | null {
  const id = env[podVariables.job];
  if (id === undefined) return null;
  const pauseAfterS = Number(env[podVariables.pauseAfter] ?? Number.POSITIVE_INFINITY);
  return {
    id,
    name: id.slice(id.indexOf('/') + 1),
    node: env[podVariables.node] ?? hostname(),
    end: () => Promise.resolve(upS() >= pauseAfterS ? 'time-limit' : 'stopped'),
  };
}

export const kubernetesEngine = jobEngine({
  kind: 'kubernetes',
  inContainer: ({ triton }) => (triton === 'home' ? null : unchanged),
  createScheduler: ({ env, layout }) => createKubernetes({ env, home: layout.home }),
  ownJob: (env) => ownKubernetesJob(env),
});
