import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { WorkbenchError } from '../contract/errors';
import { ask, type DockerClient, dockerError, isUncertain, statusOf } from './client';
import { labelNames } from './containers';
import { gpuRemedy } from './gpu-access';

const firstDelayMs = 250;
const longestDelayMs = 5000;

/** 250 ms, doubled up to 5 s, with jitter of half. */
export function backOffMs(attempt: number, random: () => number = Math.random): number {
  const whole = Math.min(longestDelayMs, firstDelayMs * 2 ** attempt);
  return whole / 2 + (whole / 2) * random();
}

export interface PersistOptions {
  readonly signal: AbortSignal;
  /** Milliseconds to keep trying; absent: forever. */
  readonly patienceMs?: number | undefined;
  readonly onTrouble?: ((text: string) => void) | undefined;
}

/** `work` must detect effects of earlier tries. Throws cancelled, refusals, or the last error after `patienceMs`. */
export async function persist<Value>(options: PersistOptions, work: () => Promise<Value>): Promise<Value> {
  const started = performance.now();
  const stopped = () => options.signal.aborted;
  for (let attempt = 0; ; attempt += 1) {
    if (stopped()) throw new WorkbenchError('cancelled', 'Cancelled');
    try {
      return await work();
    } catch (error) {
      const over = options.patienceMs !== undefined && performance.now() - started > options.patienceMs;
      if (stopped() || over || !isUncertain(error)) throw error;
      options.onTrouble?.(error instanceof Error ? error.message : String(error));
    }
    await sleep(backOffMs(attempt), undefined, { signal: options.signal }).catch(() => undefined);
  }
}

/** Wait for an unreachable engine during work. */
const patienceMs = 60_000;
/** The same after a cancel. */
export const cancelPatienceMs = 5000;
const stopGraceS = 10;

export type Inspected = Docker.ContainerInspectInfo;

const byName = (client: DockerClient, idOrName: string) => client.docker.getContainer(idOrName);

/** null if it does not exist. */
export async function inspectContainer(
  client: DockerClient,
  idOrName: string,
  signal?: AbortSignal,
): Promise<Inspected | null> {
  try {
    const found = await ask(
      `inspect the container ${idOrName}`,
      (abortSignal) => byName(client, idOrName).inspect({ abortSignal }),
      { signal },
    );
    // dockerode passes on bodies that are not JSON.
    if (typeof (found.Id as unknown) === 'string') return found;
    throw new WorkbenchError(
      'docker-unreachable',
      `The Docker daemon returned a damaged description of ${idOrName}`,
    );
  } catch (error) {
    if (statusOf((error as Error).cause) === 404) return null;
    throw error;
  }
}

const keyOf = (found: Inspected) => found.Config.Labels[labelNames.key];
const instanceOf = (found: Inspected) => found.Config.Labels[labelNames.instance];

/** Aborts some time after `signal`, so that a pending request can finish. */
function laterAbort(signal: AbortSignal): { readonly signal: AbortSignal; readonly dispose: () => void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const follow = () => {
    timer = setTimeout(() => controller.abort(signal.reason), cancelPatienceMs);
  };
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    dispose: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', follow);
    },
  };
}

/** Not aborted: the engine may have created the container, which would be left behind. */
async function askForContainer(
  client: DockerClient,
  name: string,
  body: Docker.ContainerCreateOptions,
  signal: AbortSignal,
): Promise<Docker.Container> {
  const later = laterAbort(signal);
  try {
    return await ask(
      `create the container ${name}`,
      (abortSignal) => client.docker.createContainer({ ...body, name, abortSignal }),
      { signal: later.signal },
    );
  } catch (error) {
    if (signal.aborted) throw new WorkbenchError('cancelled', `Cancelled: create the container ${name}`);
    throw error;
  } finally {
    later.dispose();
  }
}

/**
 * Creates a container exactly once, identified by name. After a lost response it checks what exists, and reuses a
 * container with the same key and instance. @returns the id, even if aborted; the caller removes it. Throws
 * image-missing, and docker-failed for a name of others.
 */
export async function createContainer(
  client: DockerClient,
  name: string,
  body: Docker.ContainerCreateOptions,
  options: Pick<PersistOptions, 'signal' | 'onTrouble'>,
): Promise<string> {
  const own = body.Labels ?? {};
  const taken = async (): Promise<string | null> => {
    const found = await inspectContainer(client, name, options.signal);
    if (found === null) return null;
    if (instanceOf(found) !== own[labelNames.instance] || keyOf(found) !== own[labelNames.key]) {
      throw new WorkbenchError('docker-failed', `The name ${name} belongs to another container`, {
        where: found.Id,
        remedy: `Inspect it with "docker inspect ${name}". The workbench does not change it.`,
      });
    }
    return found.Id;
  };
  let tries = 0;
  return persist({ ...options, patienceMs }, async () => {
    if (tries > 0) {
      const found = await taken();
      if (found !== null) return found;
    }
    tries += 1;
    try {
      const created = await askForContainer(client, name, body, options.signal);
      // dockerode returns no id for a body that is not JSON.
      if (typeof (created.id as unknown) === 'string') return created.id;
      throw new WorkbenchError(
        'docker-unreachable',
        `The Docker daemon returned a damaged response to the creation of ${name}`,
      );
    } catch (error) {
      if (statusOf((error as Error).cause) !== 409) throw error;
      const found = await taken();
      if (found === null) throw new WorkbenchError('docker-unreachable', `The name ${name} is being freed`);
      return found;
    }
  });
}

/** Permanent failures that engines report with status 500. */
const finalCauses = /oci runtime|driver failed|mount|could not select device driver|cdi device|unresolvable/i;

/** No-op if started already. Throws port-taken, container-failed, docker-failed. */
export async function startContainer(
  client: DockerClient,
  id: string,
  options: Pick<PersistOptions, 'signal' | 'onTrouble'>,
): Promise<void> {
  let tries = 0;
  await persist({ ...options, patienceMs }, async () => {
    if (tries > 0) {
      const found = await inspectContainer(client, id, options.signal);
      if (found === null)
        throw new WorkbenchError('container-failed', `The container ${id} no longer exists`);
      if (found.State.Status !== 'created') return;
    }
    tries += 1;
    try {
      await ask('start the container', (abortSignal) => byName(client, id).start({ abortSignal }), {
        signal: options.signal,
        timeoutMs: 60_000,
      });
    } catch (error) {
      const status = statusOf((error as Error).cause);
      if (status === 304) return;
      // Engines also answer 500 for permanent failures such as a taken port.
      const failure = dockerError((error as Error).cause ?? error, 'start the container');
      if (failure.code === 'port-taken') throw failure;
      // 404: removed, and 400: program not in the image.
      const final = status === 500 && finalCauses.test(failure.message);
      if (final || status === 404 || status === 400) {
        const remedy = gpuRemedy(failure.message);
        throw new WorkbenchError('container-failed', failure.message, { remedy, cause: error });
      }
      throw error;
    }
  });
}

/** No-op if it is gone. */
export async function setRestartPolicy(
  client: DockerClient,
  id: string,
  name: 'always' | 'no',
): Promise<void> {
  await ask('change when the container is started again', (abortSignal) =>
    byName(client, id).update({ RestartPolicy: { Name: name }, abortSignal }),
  ).catch((error: unknown) => {
    if (statusOf((error as Error).cause) !== 404) throw error;
  });
}

/** Stops, then kills. No-op if it ended or is gone. */
export async function stopContainer(client: DockerClient, id: string, graceS = stopGraceS): Promise<void> {
  await ask('stop the container', (abortSignal) => byName(client, id).stop({ t: graceS, abortSignal }), {
    timeoutMs: (graceS + 20) * 1000,
  }).catch((error: unknown) => {
    const status = statusOf((error as Error).cause);
    if (status !== 304 && status !== 404) throw error;
  });
}

/** Removes it with anonymous volumes. Throws if the engine fails within the patience (default: a minute). */
export async function removeContainer(
  client: DockerClient,
  id: string,
  options: { readonly signal?: AbortSignal | undefined; readonly patienceMs?: number | undefined } = {},
): Promise<void> {
  const own = options.signal ?? new AbortController().signal;
  const patience = options.patienceMs ?? patienceMs;
  await persist({ signal: own, patienceMs: patience }, async () => {
    let polls = 40;
    try {
      await ask(
        'remove the container',
        (abortSignal) => byName(client, id).remove({ force: true, v: true, abortSignal }),
        {
          signal: own,
          timeoutMs: Math.min(30_000, patience),
        },
      );
    } catch (error) {
      const status = statusOf((error as Error).cause);
      if (status === 404) return;
      // 409: "removal … is already in progress".
      if (status !== 409) {
        if (!isUncertain(error)) throw error;
        // The removal may not have begun: retry soon.
        polls = 4;
      }
    }
    for (let poll = 0; poll < polls; poll += 1) {
      if ((await inspectContainer(client, id, own)) === null) return;
      await sleep(50);
    }
    throw new WorkbenchError('docker-unreachable', `The container ${id} still exists`);
  });
}
