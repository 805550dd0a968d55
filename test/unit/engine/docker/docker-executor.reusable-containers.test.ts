import { describe, expect, it } from 'vitest';
import type { ContainerInfo } from '../../../../main/contract/docker';
import type { OwnContainer } from '../../../../main/docker/containers';
import { reusableContainers } from '../../../../main/engine/docker/docker-executor';

function container(
  id: string,
  role: 'triton' | 'client',
  state: ContainerInfo['state'],
  labels: { readonly adoptable?: boolean; readonly server?: string } = {},
): OwnContainer {
  const info = {
    id,
    name: `twb-${id}`,
    role,
    runId: 'r1',
    step: 'offline',
    state,
    status: '',
    image: '',
    imageId: '',
    ports: [],
    gpus: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    shellCommand: '',
  };
  const common = { instance: 'i', role, runId: 'r1', runDir: '/r1', step: 'offline', key: id, gpus: [] };
  return { info, labels: { ...common, adoptable: true, server: '', ...labels } };
}

const triton = container('triton', 'triton', 'running');
const ids = (...own: readonly OwnContainer[]) => [...reusableContainers(own)].sort();

describe('what the next attempt takes up', () => {
  it('is a Triton that runs, and the levels that worked with it, at work or ended', () => {
    const works = container('works', 'client', 'running', { server: 'triton' });
    const ended = container('ended', 'client', 'exited', { server: 'triton' });
    expect(ids(triton, works, ended)).toEqual(['ended', 'triton', 'works']);
  });

  it.each([
    [
      'a step that cannot be taken up',
      container('x', 'client', 'running', { adoptable: false, server: 'triton' }),
    ],
    ['a level with another Triton', container('x', 'client', 'running', { server: 'earlier' })],
    ['one that was never started', container('x', 'client', 'created', { server: 'triton' })],
    ['one that somebody paused', container('x', 'client', 'paused', { server: 'triton' })],
    ['one that is going', container('x', 'client', 'removing', { server: 'triton' })],
  ])('is not %s', (_name, other) => {
    expect(ids(triton, other)).toEqual(['triton']);
  });

  it('is nothing where Triton has ended', () => {
    const level = container('level', 'client', 'running', { server: 'triton' });
    expect(ids(container('triton', 'triton', 'exited'), level)).toEqual([]);
    expect(ids(level)).toEqual([]);
  });
});
