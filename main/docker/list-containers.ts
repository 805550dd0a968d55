import { z } from 'zod';
import { type ContainerInfo, containerStates } from '../contract/docker';
import { WorkbenchError } from '../contract/errors';
import { ask, type DockerClient } from './client';
import { type ContainerLabels, instanceFilter, parseLabels } from './labels';

const portSchema = z.looseObject({
  PrivatePort: z.int(),
  IP: z.string().optional(),
  PublicPort: z.int().optional(),
});
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
      ports: (entry.Ports ?? []).map((port) => ({
        containerPort: port.PrivatePort,
        hostAddress: port.PublicPort === undefined ? null : `${port.IP ?? '127.0.0.1'}:${port.PublicPort}`,
      })),
      gpus: labels.gpus,
      createdAt: new Date(entry.Created * 1000).toISOString(),
      shellCommand: `docker${at} exec -it ${name} sh`,
    },
  };
}

/** The containers of one workbench home, whatever their state, newest first. The engine's list is the truth. */
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
    // The library hands on what is no JSON as it came.
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
