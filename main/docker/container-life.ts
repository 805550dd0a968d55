import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { WorkbenchError } from '../contract/errors';
import { ask, type DockerClient, dockerError, isUncertain, statusOf } from './client';
import { labelNames } from './containers';
import { gpuRemedy } from './gpu-access';

const firstDelayMs = 250;
const longestDelayMs = 5000;

/** 250 ms, doubled up to 5 s, each between half and the whole of that. */
export function backOffMs(attempt: number, random: () => number = Math.random): number {
  const whole = Math.min(longestDelayMs, firstDelayMs * 2 ** attempt);
  return whole / 2 + (whole / 2) * random();
}

export interface PersistOptions {
  readonly signal: AbortSignal;
  /** Milliseconds after which an engine that does not answer is given up; for ever when absent. */
  readonly patienceMs?: number | undefined;
  readonly onTrouble?: ((text: string) => void) | undefined;
}

/**
 * Repeats `work` while the engine gives no answer. `work` must find out for itself what an earlier try did.
 * Throws cancelled, an answer that is a refusal, or the last trouble when the patience is over.
 */
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

/** How long an engine that is gone is waited for in the middle of work. */
const patienceMs = 60_000;
/** An engine that is away keeps nobody longer who has cancelled. */
export const cancelPatienceMs = 5000;
const stopGraceS = 10;

export type Inspected = Docker.ContainerInspectInfo;

const byName = (client: DockerClient, idOrName: string) => client.docker.getContainer(idOrName);

/** null when there is no such container. */
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
    // The library hands on what is no JSON as it came.
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

/** Follows the other signal a while later: what is asked at that moment still gets its answer. */
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

/**
 * Asks for it. An abort does not take back what the engine has begun: its answer is waited for, as a container that
 * nobody knows of would be left.
 */
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
 * Creates the container, once: its name is the identity. A reply that was lost, or an engine that was away, leads to a
 * look at what there is, never to a second container. A container of the same name, key and instance is taken.
 * @returns the id, also where the signal was aborted meanwhile: the caller removes it. Throws image-missing, docker-failed when the name belongs to somebody else.
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
      // An answer that is no JSON leaves the library without an id; it does not say so.
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

/** What an engine says with status 500 of what it will not do the next time either. */
const finalCauses = /oci runtime|driver failed|mount|could not select device driver|cdi device|unresolvable/i;

/** Starts it, or finds that it was started. Throws port-taken, container-failed, docker-failed. */
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
      // An engine answers 500 for what will fail again, such as a port that is taken.
      const failure = dockerError((error as Error).cause ?? error, 'start the container');
      if (failure.code === 'port-taken') throw failure;
      // 404: gone, and 400: a program that is not in the image.
      const final = status === 500 && finalCauses.test(failure.message);
      if (final || status === 404 || status === 400) {
        const remedy = gpuRemedy(failure.message);
        throw new WorkbenchError('container-failed', failure.message, { remedy, cause: error });
      }
      throw error;
    }
  });
}

/** Whether the engine starts it again when it ends, and with itself. Quiet when it has gone. */
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

/** Asks the main process to end, then kills it. Quiet when it has ended or gone. */
export async function stopContainer(client: DockerClient, id: string, graceS = stopGraceS): Promise<void> {
  await ask('stop the container', (abortSignal) => byName(client, id).stop({ t: graceS, abortSignal }), {
    timeoutMs: (graceS + 20) * 1000,
  }).catch((error: unknown) => {
    const status = statusOf((error as Error).cause);
    if (status !== 304 && status !== 404) throw error;
  });
}

/**
 * Removes it with its anonymous volumes, running or not, and waits until it has gone; 404 is what is wanted.
 * Throws when the engine does not let it go within the patience, a minute where none is named.
 */
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
        // It may not have begun: ask again soon.
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
