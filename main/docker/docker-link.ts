import { statfs } from 'node:fs/promises';
import { z } from 'zod';
import { toWire, WorkbenchError } from '../contract/errors';
import type { DockerFacts } from '../contract/machine';
import { whenAborted } from '../platform/abort';
import { type DockerAddress, readDockerAddress } from './address';
import { ask, connectDocker, type DockerClient } from './client';
import { readInstanceId } from './containers';
import { hasNvidiaHook, knowsCdiAtStart } from './gpu-access';

const infoSchema = z.looseObject({
  /** Engine id, stable with its data; '' if not reported. */
  ID: z.string().default(''),
  /** Host name of the engine's machine. */
  Name: z.string().default(''),
  ServerVersion: z.string().default(''),
  DockerRootDir: z.string().default(''),
  MemTotal: z.number().default(0),
  NCPU: z.number().default(0),
  OperatingSystem: z.string().default(''),
  KernelVersion: z.string().default(''),
  Architecture: z.string().default(''),
  Runtimes: z.record(z.string(), z.unknown()).nullish(),
  SecurityOptions: z.array(z.string()).nullish(),
  CDISpecDirs: z.array(z.string()).nullish(),
  DiscoveredDevices: z.array(z.looseObject({ Source: z.string().optional(), ID: z.string() })).nullish(),
});
type DockerInfo = z.infer<typeof infoSchema>;

export interface DockerLink {
  /** Throws input-invalid for an unusable address in the environment. */
  address(): Promise<DockerAddress>;
  /** Connects or reuses. Throws docker-unreachable, docker-permission, docker-failed. */
  connect(signal?: AbortSignal): Promise<DockerClient>;
  /** Reconnects, because the engine may have been replaced. */
  reconnect(signal?: AbortSignal): Promise<DockerClient>;
  info(signal?: AbortSignal): Promise<DockerInfo>;
  /** Never throws; reports an unreachable engine. */
  facts(limits?: { readonly connectMs?: number }): Promise<DockerFacts>;
  /** Id of the home, used in labels. */
  instance(): Promise<string>;
}

/** Whether container users have other ids on the host. */
export const remapsUsers = (info: DockerInfo) =>
  (info.SecurityOptions ?? []).some((option) => option.startsWith('name=userns'));

export const isRootless = (info: DockerInfo) =>
  (info.SecurityOptions ?? []).some((option) => option.startsWith('name=rootless'));

export const runtimesOf = (info: Pick<DockerInfo, 'Runtimes'>): readonly string[] =>
  Object.keys(info.Runtimes ?? {});

/** CDI device names; null if supported but not listed (empty lists are omitted). */
export function cdiDevicesOf({
  CDISpecDirs,
  DiscoveredDevices,
  ServerVersion,
}: Pick<DockerInfo, 'CDISpecDirs' | 'DiscoveredDevices' | 'ServerVersion'>): readonly string[] | null {
  const isUnlisted = DiscoveredDevices === undefined && !knowsCdiAtStart(ServerVersion);
  if (isUnlisted && (CDISpecDirs ?? []).length > 0) return null;
  return (DiscoveredDevices ?? [])
    .filter((device) => device.Source === undefined || device.Source === 'cdi')
    .map((device) => device.ID);
}

type Reason = Extract<DockerFacts, { reachable: false }>['reason'];

function reasonOf(error: unknown): Reason {
  const { code, message } = toWire(error);
  if (code === 'docker-permission') return 'permission';
  if (/did not answer within/.test(message)) return 'timeout';
  if (/speaks API/.test(message)) return 'api-version';
  if (/ENOENT/.test(message)) return 'absent';
  if (/ECONNREFUSED/.test(message)) return 'refused';
  return 'other';
}

/** Address for messages while it is unresolved. */
function nameOf(env: NodeJS.ProcessEnv): string {
  const [host, context] = [env['DOCKER_HOST'] ?? '', env['DOCKER_CONTEXT'] ?? ''];
  if (host !== '') return host;
  return context === '' ? 'unix:///var/run/docker.sock' : `context:${context}`;
}

/** Stops waiting without aborting shared work. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { aborted, done } = whenAborted(signal);
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    if (signal.aborted) throw new WorkbenchError('cancelled', 'Cancelled: reach the Docker Engine');
    throw error;
  } finally {
    done();
  }
}

/** The daemon runs on this machine. */
const seesDaemon = ({ kind }: DockerAddress, { OperatingSystem }: DockerInfo): boolean =>
  kind === 'unix' && !OperatingSystem.includes('Docker Desktop');

const readInfo = async ({ docker }: DockerClient, limits: Parameters<typeof ask>[2]): Promise<DockerInfo> =>
  infoSchema.parse(await ask('read the settings of the Docker daemon', () => docker.info(), limits));

export function createDockerLink(options: {
  readonly env: NodeJS.ProcessEnv;
  /** File with the home's id. */
  readonly instanceFile: string;
}): DockerLink {
  const known: { client: Promise<DockerClient> | null; instance: Promise<string> | null } = {
    client: null,
    instance: null,
  };
  const address = () => readDockerAddress(options.env);
  const connect = (signal?: AbortSignal): Promise<DockerClient> => {
    if (known.client === null) {
      // No signal: the connection is shared, and has its own timeout.
      const client = address().then((found) => connectDocker(found, options.env));
      client.catch(() => {
        if (known.client === client) known.client = null;
      });
      known.client = client;
    }
    return signal === undefined ? known.client : unlessAborted(known.client, signal);
  };
  return {
    address,
    connect,
    reconnect: (signal) => {
      known.client = null;
      return connect(signal);
    },
    info: async (signal) => readInfo(await connect(signal), { signal }),
    instance: () => (known.instance ??= readInstanceId(options.instanceFile)),
    facts: async ({ connectMs = 3000 } = {}) => {
      let host = nameOf(options.env);
      try {
        const found = await address();
        host = found.host;
        const client = await connectDocker(found, options.env, { timeoutMs: connectMs });
        const about = await readInfo(client, { timeoutMs: 5000 });
        const disk = found.kind === 'unix' ? await statfs(about.DockerRootDir).catch(() => null) : null;
        return {
          reachable: true,
          host,
          serverVersion: client.serverVersion,
          apiVersion: client.apiVersion,
          runtimes: runtimesOf(about),
          cdiDevices: cdiDevicesOf(about),
          nvidiaHook: seesDaemon(found, about) ? await hasNvidiaHook(options.env['PATH']) : null,
          rootDir: about.DockerRootDir,
          rootFreeBytes: disk === null ? null : disk.bavail * disk.bsize,
          rootless: isRootless(about),
        };
      } catch (error) {
        return { reachable: false, host, reason: reasonOf(error), message: toWire(error).message };
      }
    },
  };
}
