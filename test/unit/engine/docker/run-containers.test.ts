import { expect, it } from 'vitest';
import type { PerformanceSpec } from '../../../../main/contract/run/run-spec';
import { RunContainers } from '../../../../main/engine/docker/run-containers';
import { specFixture } from '../../../support/run-state';

type Memory = PerformanceSpec['sharedMemory'];

/** The containers of a run that passes tensors in that way. */
const containersOf = (sharedMemory: Memory) =>
  new RunContainers({
    facts: { memoryBytes: 2 ** 30, rootless: false, remapsUsers: false, gpuAccess: 'runtime' },
    instance: '0123456789abcdef',
    run: { runId: 'r1', dir: '/runs/r1', framework: 'pyt', step: () => 'offline' },
    spec: specFixture((spec) => {
      spec.performance.sharedMemory = sharedMemory;
    }),
    engine: { kind: 'docker', gpus: [], shmSizeMiB: 512 },
    resources: '/product/resources',
    bundles: '/product/out/main',
  });

function tritonOf(sharedMemory: Memory) {
  const { body } = containersOf(sharedMemory).triton({
    image: 'sha256:t',
    command: ['tritonserver'],
    mount: { from: '/runs/r1/steps/configure/model-repository', to: '/models', writable: false },
    repositoryKey: 'k',
    network: 'twb-012345-r1',
  });
  return body.HostConfig ?? {};
}

function clientOf(sharedMemory: Memory, serverId: string | null) {
  const { body } = containersOf(sharedMemory).client({
    image: 'sha256:c',
    task: 'b1-c1',
    command: ['node', 'load-process.cjs'],
    serverId,
    adoptable: true,
    mounts: [],
    sharedMemory,
  });
  return body.HostConfig ?? {};
}

it("lets the steps of a run join Triton's /dev/shm where it passes tensors through it, and only there", () => {
  expect(tritonOf('none')).toMatchObject({ IpcMode: 'private', ShmSize: 512 * 2 ** 20 });
  for (const memory of ['system', 'cuda'] as const) {
    expect(tritonOf(memory)).toMatchObject({ IpcMode: 'shareable', ShmSize: 512 * 2 ** 20 });
  }
  for (const memory of ['none', 'system', 'cuda'] as const)
    expect(tritonOf(memory)).not.toHaveProperty('PidMode');
});

it('has a step join as much of the Triton container as it needs', () => {
  const alone = { IpcMode: 'private', ShmSize: 2 ** 30 };
  expect(clientOf('none', 'c0ffee')).toMatchObject({ ...alone, NetworkMode: 'container:c0ffee' });
  expect(clientOf('none', 'c0ffee')).not.toHaveProperty('PidMode');
  // Without a server there is nothing to share.
  expect(clientOf('system', null)).toMatchObject({ ...alone, NetworkMode: 'none' });
  expect(clientOf('cuda', null)).toMatchObject({ ...alone, NetworkMode: 'none' });

  const system = clientOf('system', 'c0ffee');
  expect(system).toMatchObject({ IpcMode: 'container:c0ffee', NetworkMode: 'container:c0ffee' });
  expect(system).not.toHaveProperty('PidMode');
  expect(clientOf('cuda', 'c0ffee')).toMatchObject({
    IpcMode: 'container:c0ffee',
    PidMode: 'container:c0ffee',
  });
});
