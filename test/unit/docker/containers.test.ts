import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DockerClient } from '../../../main/docker/client';
import {
  type ContainerLabels,
  formatLabels,
  instanceFilter,
  labelNames,
  listContainers,
  parseLabels,
  readInstanceId,
} from '../../../main/docker/containers';

const labels: ContainerLabels = {
  instance: '0123456789abcdef',
  role: 'triton',
  runId: 'r1',
  runDir: '/home/u/.triton-workbench/runs/r1',
  step: 'deploy',
  key: 'k'.repeat(64),
  adoptable: true,
  server: '',
  gpus: ['GPU-1', 'MIG-2'],
};

describe('labels of a container', () => {
  it('come back as they were given', () => {
    expect(parseLabels(formatLabels(labels), labels.instance)).toEqual(labels);
    const client: ContainerLabels = { ...labels, role: 'client', adoptable: false, server: 'id', gpus: [] };
    expect(parseLabels(formatLabels(client), labels.instance)).toEqual(client);
  });

  it.each(Object.values(labelNames))('without %s it is nobody of ours', (name) => {
    const formatted = formatLabels(labels);
    expect(formatted).toHaveProperty([name]);
    const rest = Object.fromEntries(Object.entries(formatted).filter(([key]) => key !== name));
    expect(parseLabels(rest, labels.instance)).toBeNull();
  });

  it('of another home, schema or role are not ours', () => {
    const formatted = formatLabels(labels);
    expect(parseLabels(formatted, `${labels.instance}0`)).toBeNull();
    expect(parseLabels({ ...formatted, [labelNames.schema]: '2' }, labels.instance)).toBeNull();
    expect(parseLabels({ ...formatted, [labelNames.role]: 'database' }, labels.instance)).toBeNull();
    expect(parseLabels(null, labels.instance)).toBeNull();
    expect(parseLabels(undefined, labels.instance)).toBeNull();
  });

  it('are what the engine is asked to filter by', () => {
    const formatted = formatLabels(labels);
    const { label } = instanceFilter(labels.instance);
    expect(label).toHaveLength(2);
    for (const pair of label) {
      const [name = '', value] = pair.split('=');
      expect(formatted[name]).toBe(value);
    }
  });
});

describe('the id of a home', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'workbench-labels-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  it('is made once and kept', async () => {
    const nested = join(home, 'not', 'there', 'instance');
    const id = await readInstanceId(nested);
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(await readInstanceId(nested)).toBe(id);
    expect((await readFile(nested, 'utf8')).trim()).toBe(id);
  });

  it('is made anew where the file is damaged', async () => {
    await writeFile(join(home, 'instance'), 'half an i');
    const path = join(home, 'instance');
    const id = await readInstanceId(path);
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(await readInstanceId(path)).toBe(id);
  });
});

describe('the ports of a container', () => {
  const listed = (Ports: readonly object[]) =>
    listContainers(
      {
        address: { host: 'unix:///var/run/docker.sock' },
        docker: {
          listContainers: () =>
            Promise.resolve([
              {
                ...{ Id: 'c1', Names: ['/one'], Image: 'i', ImageID: 'i', State: 'running', Status: 'Up' },
                ...{ Created: 0, Labels: formatLabels(labels), Ports },
              },
            ]),
        },
      } as unknown as DockerClient,
      labels.instance,
    );

  it('are in the order of their numbers, IPv4 first, however the engine lists them', async () => {
    const ports = [
      { PrivatePort: 8001, PublicPort: 18_001, IP: '::' },
      { PrivatePort: 8002 },
      { PrivatePort: 8001, PublicPort: 18_001, IP: '0.0.0.0' },
      { PrivatePort: 8000, PublicPort: 18_000, IP: '127.0.0.1' },
    ];
    for (const order of [ports, [...ports].reverse()]) {
      const [container] = await listed(order);
      expect(container?.info.ports).toEqual([
        { containerPort: 8000, hostAddress: '127.0.0.1:18000' },
        { containerPort: 8001, hostAddress: '0.0.0.0:18001' },
        { containerPort: 8001, hostAddress: '[::]:18001' },
        { containerPort: 8002, hostAddress: null },
      ]);
    }
  });
});
