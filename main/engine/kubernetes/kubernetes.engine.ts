import { hostname } from 'node:os';
import type { InContainer, OwnJob } from '../job';
import { jobEngine } from '../job-engine';
import { podVariables } from './job-manifest';
import { createKubernetes } from './kubernetes';

/** A pod is the container: what its image has is started as it is. */
const unchanged: InContainer = (command) => {
  const [program = '', ...rest] = command;
  return [program, ...rest];
};

/**
 * The Job that this process runs in; null outside of one. Nobody says to a pod why it is stopped: after the pause that comes
 * before the deadline it is taken to be that, and the cluster otherwise. What the workbench cancels says so in the run.
 * @param upS how long this process has run, in seconds
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

/** Jobs of a Kubernetes cluster. */
export const kubernetesEngine = jobEngine({
  kind: 'kubernetes',
  inContainer: ({ triton }) => (triton === 'home' ? null : unchanged),
  createScheduler: ({ env, layout }) => createKubernetes({ env, home: layout.home }),
  ownJob: (env) => ownKubernetesJob(env),
});
