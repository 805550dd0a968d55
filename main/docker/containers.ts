import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { type ContainerInfo, type ContainerRole, containerRoles, containerStates } from '../contract/docker';
import { WorkbenchError } from '../contract/errors';
import { makeFolder } from '../platform/files';
import { ask, type DockerClient } from './client';

const portSchema = z.looseObject({
  PrivatePort: z.int(),
  IP: z.string().optional(),
  PublicPort: z.int().optional(),
});
type Port = z.infer<typeof portSchema>;
const entrySchema = z.looseObject({
  Id: z.string(),
  Names: z.array(z.string()),
  Image: z.string(),
  ImageID: z.string(),
  State: z.string(),
  Status: z.string(),
  Created: z.number(),
  Labels: z.record(z.string(), z.string()).nullable(),
  Ports: z.array(portSchema).nullable().optional(),
});
type Entry = z.infer<typeof entrySchema>;

export interface OwnContainer {
  readonly info: ContainerInfo;
  readonly labels: ContainerLabels;
}

const isIpv6 = ({ IP }: Port): boolean => IP?.includes(':') === true;

function addressOf(port: Port): string | null {
  const { IP: ip = '127.0.0.1', PublicPort: published } = port;
  if (published === undefined) return null;
  return `${isIpv6(port) ? `[${ip}]` : ip}:${published}`;
}

/** By number, IPv4 first: the engine lists them in another order each time. */
const portsOf = (ports: readonly Port[]): ContainerInfo['ports'] =>
  [...ports]
    .sort((a, b) => a.PrivatePort - b.PrivatePort || Number(isIpv6(a)) - Number(isIpv6(b)))
    .map((port) => ({ containerPort: port.PrivatePort, hostAddress: addressOf(port) }));

function toOwn(entry: Entry, instance: string, host: string): OwnContainer | null {
  const labels = parseLabels(entry.Labels, instance);
  if (labels === null) return null;
  const state = containerStates.find((known) => known === entry.State) ?? 'dead';
  const name = entry.Names[0]?.replace(/^\//, '') ?? entry.Id.slice(0, 12);
  const at = host === 'unix:///var/run/docker.sock' ? '' : ` -H ${host}`;
  return {
    labels,
    info: {
      id: entry.Id,
      name,
      role: labels.role,
      runId: labels.runId,
      step: labels.step,
      state,
      status: entry.Status,
      image: entry.Image,
      imageId: entry.ImageID,
      ports: portsOf(entry.Ports ?? []),
      gpus: labels.gpus,
      createdAt: new Date(entry.Created * 1000).toISOString(),
      shellCommand: `docker${at} exec -it ${name} sh`,
    },
  };
}

/** Containers of a home in any state, newest first. */
export async function listContainers(
  client: DockerClient,
  instance: string,
  options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined } = {},
): Promise<readonly OwnContainer[]> {
  const answer: unknown = await ask(
    'list the containers',
    (abortSignal) =>
      client.docker.listContainers({ all: true, filters: instanceFilter(instance), abortSignal }),
    options,
  );
  const entries = z.array(entrySchema).safeParse(answer);
  if (!entries.success) {
    // dockerode passes on bodies that are not JSON.
    throw new WorkbenchError(
      'docker-unreachable',
      'The Docker daemon returned a damaged list of containers',
      {
        details: entries.error.message.slice(0, 500),
      },
    );
  }
  return entries.data.flatMap((entry) => toOwn(entry, instance, client.address.host) ?? []);
}

const prefix = 'triton-workbench.';
/** Containers of other schemas belong to other versions. */
const schema = '1';

/** Labels of every container; networks have the first ones. Anything without all of them is never touched. */
export const labelNames = {
  schema: `${prefix}schema`,
  /** The home, so that several homes can share an engine. */
  instance: `${prefix}instance`,
  role: `${prefix}role`,
  runId: `${prefix}run`,
  /** Its lease tells whether the run is active. */
  runDir: `${prefix}run-dir`,
  step: `${prefix}step`,
  /** Hash of everything that affects the container. */
  key: `${prefix}key`,
  /** Whether `resume` may reuse the container. */
  adoptable: `${prefix}adoptable`,
  /** Id of the Triton container that a client uses. */
  server: `${prefix}server`,
  gpus: `${prefix}gpus`,
} as const;

/** On volumes: the machine that created it, to which the run folder's label refers. */
export const holderLabel = `${prefix}holder`;

export interface ContainerLabels {
  readonly instance: string;
  readonly role: ContainerRole;
  readonly runId: string;
  readonly runDir: string;
  readonly step: string;
  readonly key: string;
  readonly adoptable: boolean;
  readonly server: string;
  readonly gpus: readonly string[];
}

export function formatLabels(labels: ContainerLabels): Record<string, string> {
  return {
    ...instanceLabels(labels.instance),
    [labelNames.role]: labels.role,
    [labelNames.runId]: labels.runId,
    [labelNames.runDir]: labels.runDir,
    [labelNames.step]: labels.step,
    [labelNames.key]: labels.key,
    [labelNames.adoptable]: String(labels.adoptable),
    [labelNames.server]: labels.server,
    [labelNames.gpus]: labels.gpus.join(','),
  };
}

/** null for incomplete labels, another schema or instance. */
export function parseLabels(
  labels: Readonly<Record<string, string>> | null | undefined,
  instance: string,
): ContainerLabels | null {
  const of = (name: keyof typeof labelNames): string | undefined => labels?.[labelNames[name]];
  const role = containerRoles.find((known) => known === of('role'));
  const [runId, runDir, step, key] = [of('runId'), of('runDir'), of('step'), of('key')];
  const [adoptable, server, gpus] = [of('adoptable'), of('server'), of('gpus')];
  if (of('schema') !== schema || of('instance') !== instance || role === undefined) return null;
  if (runId === undefined || runDir === undefined || step === undefined || key === undefined) return null;
  if (adoptable === undefined || server === undefined || gpus === undefined) return null;
  return {
    instance,
    role,
    runId,
    runDir,
    step,
    key,
    server,
    adoptable: adoptable === 'true',
    gpus: gpus.split(',').filter((id) => id !== ''),
  };
}

/** Labels of everything that a home creates. */
export const instanceLabels = (instance: string): Readonly<Record<string, string>> => ({
  [labelNames.schema]: schema,
  [labelNames.instance]: instance,
});

/** The run or deployment that a network belongs to. */
export type NetworkLabels = Pick<ContainerLabels, 'instance' | 'runId' | 'runDir'> & {
  /** Belongs to a deployment, which outlives the process. */
  readonly role?: 'deployment';
};

export function formatNetworkLabels(labels: NetworkLabels): Record<string, string> {
  const { instance, runId, runDir, role } = labels;
  return {
    ...(role === undefined ? {} : { [labelNames.role]: role }),
    ...instanceLabels(instance),
    [labelNames.runId]: runId,
    [labelNames.runDir]: runDir,
  };
}

/** null for incomplete labels, another schema or instance. */
export function parseNetworkLabels(
  labels: Readonly<Record<string, string>> | null | undefined,
  instance: string,
): NetworkLabels | null {
  const of = (name: keyof typeof labelNames): string | undefined => labels?.[labelNames[name]];
  const [runId, runDir] = [of('runId'), of('runDir')];
  if (of('schema') !== schema || of('instance') !== instance) return null;
  if (runId === undefined || runDir === undefined) return null;
  return { instance, runId, runDir, ...(of('role') === 'deployment' ? { role: 'deployment' } : {}) };
}

export function instanceFilter(instance: string): { readonly label: string[] } {
  return { label: [`${labelNames.schema}=${schema}`, `${labelNames.instance}=${instance}`] };
}

/** The home's id, created on first use. */
export async function readInstanceId(path: string): Promise<string> {
  const read = async () => {
    const text = (await readFile(path, 'utf8')).trim();
    return /^[0-9a-f]{16}$/.test(text) ? text : null;
  };
  await makeFolder(dirname(path));
  for (let attempt = 0; ; attempt += 1) {
    const found = await read().catch(() => null);
    if (found !== null) return found;
    const flag = attempt === 0 ? 'wx' : 'w';
    await writeFile(path, `${randomBytes(8).toString('hex')}\n`, { flag }).catch((error: unknown) => {
      if (attempt > 0) throw error;
    });
  }
}
