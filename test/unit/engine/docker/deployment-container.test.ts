import { expect, it } from 'vitest';
import type { Deployment } from '../../../../main/contract/deployment';
import type { DockerLink } from '../../../../main/docker/docker-link';
import { createDeploymentContainers } from '../../../../main/engine/docker/deployment-container';
import { rejection } from '../../../support/rejection';

/** Of an engine of another machine, which must not be asked for anything. */
const linkElsewhere = {
  connect: () => Promise.resolve({ address: { kind: 'ssh', host: 'ssh://me@rack' } }),
  instance: () => Promise.resolve('0123456789abcdef'),
} as unknown as DockerLink;

it('a deployment without a host is not made on the engine of another machine', async () => {
  const containers = createDeploymentContainers({
    docker: linkElsewhere,
    hosts: {
      link: () => Promise.reject(new Error('no host')),
      run: () => Promise.reject(new Error('no host')),
    },
    reach: { open: () => Promise.reject(new Error('no host')) },
  });
  const deployment = { id: 'vision', engine: { kind: 'docker' } } as Deployment;
  const place = { dir: '/nowhere', repository: '/nowhere/models' };
  const error = await rejection(containers.start(deployment, place as never, new AbortController().signal));
  expect([error.code, error.message, error.where]).toEqual([
    'engine-unavailable',
    'vision cannot be served on ssh://***@rack',
    'DOCKER_HOST',
  ]);
  expect(error.remedy).toContain('hosts add NAME');
});
