import { isAbsolute, relative } from 'node:path';
import type { KubernetesEngineSpec } from '../../contract/job/kubernetes-engine';
import { exists } from '../../platform/files';
import type { JobScheduler } from '../job';
import type { KubeClient } from './kube-client';

/** What is missing, by the field that it is of. */
type Refusal = Awaited<ReturnType<JobScheduler['refusal']>>;

const isBelow = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
};

/** What the engine and this machine say without the cluster; null where nothing is missing. */
export async function refusalHere(engine: KubernetesEngineSpec, home: string): Promise<Refusal> {
  const { image, claim, mountPath } = engine;
  if (image === undefined) {
    return {
      field: 'engine.image',
      message: 'The Job has no container image',
      remedy: 'Set an image that has triton-workbench, or a profile with one.',
    };
  }
  if (claim === undefined) {
    return {
      field: 'engine.claim',
      message: 'The Job has no volume with the workbench home',
      remedy: 'Set the persistent volume claim that holds the workbench home, or a profile with one.',
    };
  }
  if (mountPath === undefined || !(await exists(mountPath))) {
    return {
      field: 'engine.mountPath',
      message:
        mountPath === undefined
          ? `Where the volume of ${claim} is mounted on this machine is not set`
          : `${mountPath} does not exist on this machine`,
      remedy: `Mount the volume of the claim ${claim} on this machine, and set its path: the pod has it at the same one.`,
    };
  }
  if (isBelow(mountPath, home)) return null;
  return {
    field: 'engine.mountPath',
    message: `The workbench home ${home} is not on the volume that is mounted at ${mountPath}`,
    remedy: `Move the home into ${mountPath} on the Settings page, or set TRITON_WORKBENCH_HOME to a folder in it.`,
  };
}

/** Whether the namespace has the claim; null: it has. Throws KubeRefusal. */
export async function claimRefusal(client: KubeClient, namespace: string, claim: string): Promise<Refusal> {
  if ((await client.claim(namespace, claim)) !== null) return null;
  return {
    field: 'engine.claim',
    message: `The namespace ${namespace} has no persistent volume claim ${claim}`,
    remedy: `Create it, or choose one of: ${client.kubectl} --namespace ${namespace} get pvc.`,
  };
}
