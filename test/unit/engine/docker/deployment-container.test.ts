import { describe, expect, it } from 'vitest';
import type { Deployment } from '../../../../main/contract/deployment';
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
  const error = await rejection(containers.start(deployment, place as never, new AbortController().signal));
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
              inspect: () => Promise.resolve({ Id: 'abc', State: state, RestartCount: 2 }),
            }),
          },
        }),
      instance: () => Promise.resolve('0123456789abcdef'),
    }) as unknown as DockerLink;
  const ended = { Status: 'exited', ExitCode: 0, OOMKilled: false, Error: '' };

  it.each([
    [ended, 'stopped', 'Triton ended with exit code 0, and was stopped in the Docker Engine'],
    [
      { ...ended, ExitCode: 128, Error: 'CDI device injection failed' },
      'failed',
      'The Docker Engine could not start it: CDI device injection failed',
    ],
    [
      { ...ended, Status: 'restarting', ExitCode: 1 },
      'failed',
      'Triton ended with exit code 1; the Docker Engine has started it 2 times',
    ],
    [{ ...ended, Status: 'paused' }, 'stopped', 'The container is paused'],
  ])('%j', async (state, kind, reason) => {
    expect(await containersOn(engineWith(state)).look(deployment)).toEqual({ kind, reason });
  });
});
