import { describe, expect, it, vi } from 'vitest';
import type { Deployment } from '../../../../main/contract/deployment/deployment';
import type { DockerLink } from '../../../../main/docker/docker-link';
import { createDeploymentContainers } from '../../../../main/engine/docker/deployment-container';
import { rejection } from '../../../support/rejection';

/** Of an engine of another machine, which must not be asked for anything. */
const linkElsewhere = {
  connect: () => Promise.resolve({ address: { kind: 'ssh', host: 'ssh://me@rack' } }),
  instance: () => Promise.resolve('0123456789abcdef'),
} as unknown as DockerLink;

const containersOn = (docker: DockerLink) =>
  createDeploymentContainers({
    docker,
    hosts: {
      link: () => Promise.reject(new Error('no host')),
      run: () => Promise.reject(new Error('no host')),
    },
    reach: { open: () => Promise.reject(new Error('no host')) },
  });

const deployment = { id: 'vision', engine: { kind: 'docker' } } as Deployment;

it('a deployment without a host is not made on the engine of another machine', async () => {
  const containers = containersOn(linkElsewhere);
  const place = { dir: '/nowhere', repository: '/nowhere/models' };
  const how = { signal: new AbortController().signal, note: () => Promise.resolve() };
  const error = await rejection(containers.start(deployment, place as never, how));
  expect([error.code, error.message, error.where]).toEqual([
    'engine-unavailable',
    'vision cannot be served on ssh://***@rack',
    'DOCKER_HOST',
  ]);
  expect(error.remedy).toContain('hosts add NAME');
});

describe('what the engine says of a container that should serve', () => {
  /** An engine that knows one container, in this state. */
  const engineWith = (state: object) =>
    ({
      connect: () =>
        Promise.resolve({
          docker: {
            getContainer: () => ({
              inspect: () => Promise.resolve({ Id: 'abc', State: state, RestartCount: 2, HostConfig: {} }),
            }),
          },
        }),
      instance: () => Promise.resolve('0123456789abcdef'),
    }) as unknown as DockerLink;
  const ended = { Status: 'exited', ExitCode: 0, OOMKilled: false, Error: '' };

  it.each([
    [ended, 'stopped', 'Triton ended with exit code 0, and was stopped in the Docker Engine'],
    [
      { ...ended, ExitCode: 128, Error: 'driver failed' },
      'failed',
      'The Docker Engine could not start it: driver failed',
    ],
    [
      { ...ended, Status: 'restarting', ExitCode: 1 },
      'failed',
      'Triton ended with exit code 1; the Docker Engine has started it 2 times',
    ],
    [{ ...ended, Status: 'paused' }, 'stopped', 'The container is paused'],
  ])('%j', async (state, kind, reason) => {
    expect(await containersOn(engineWith(state)).readStatus(deployment)).toEqual({ kind, reason });
  });
});

describe('a deployment whose GPUs are CDI devices', () => {
  /** As Docker Engine 26.1.5 leaves the container when it was restarted itself; a start by hand then works. */
  const left = {
    Status: 'exited',
    Running: false,
    ExitCode: 137,
    OOMKilled: false,
    Error: 'could not select device driver "cdi" with capabilities: []',
  };
  const HostConfig = { DeviceRequests: [{ Driver: 'cdi', DeviceIDs: ['nvidia.com/gpu=GPU-1'] }] };
  function engineOf(serverVersion: string) {
    let state: object = left;
    const start = vi.fn(() => {
      state = { Status: 'running', Running: true, StartedAt: '2026-11-28T01:10:18Z', Error: '' };
      return Promise.resolve();
    });
    const inspect = () => Promise.resolve({ Id: 'abc', State: state, RestartCount: 0, HostConfig });
    const client = { serverVersion, docker: { getContainer: () => ({ inspect, start }) } };
    const link = {
      connect: () => Promise.resolve(client),
      instance: () => Promise.resolve('0123456789abcdef'),
    } as unknown as DockerLink;
    return { link, start };
  }

  it('is started by the next look after a restart of the engine, which tries that once and too early', async () => {
    const { link, start } = engineOf('26.1.5');
    const found = await containersOn(link).readStatus({ ...deployment, wanted: true });
    expect(start).toHaveBeenCalledTimes(1);
    expect(found).toMatchObject({ kind: 'running' });
    expect(found).toHaveProperty('warning', expect.stringContaining('28.2 and later do'));
    expect(
      await containersOn(engineOf('28.2.2').link).readStatus({ ...deployment, wanted: true }),
    ).not.toHaveProperty('warning');
  });

  it('stays stopped where it was stopped, with the reason and the remedy', async () => {
    const { link, start } = engineOf('26.1.5');
    const found = await containersOn(link).readStatus({ ...deployment, wanted: false });
    expect(start).not.toHaveBeenCalled();
    expect(found).toMatchObject({ kind: 'failed', reason: expect.stringContaining('Enable CDI') as string });
  });
});
