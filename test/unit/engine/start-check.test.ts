import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import type { RunSpec } from '../../../main/contract/run/run-spec';
import type { DockerLink } from '../../../main/docker/docker-link';
import { startProblems } from '../../../main/engine/start-check';
import { resolveSpec } from '../../../main/presets/resolve-spec';
import { resnet50 } from '../renderer/wizard/preset';

const facts = { reachable: true, host: 'unix:///var/run/docker.sock' };
const check = (engine: RunSpec['engine']) =>
  startProblems({ ...resolveSpec(resnet50, {}), engine }, null, {
    layout: { engines: tmpdir(), instance: '/nowhere/instance' },
    docker: { facts: () => Promise.resolve(facts) } as unknown as DockerLink,
    monitored: () => Promise.resolve(null),
    tools: () => Promise.resolve({ missing: ['python', 'triton', 'perf-analyzer'], installable: true }),
    jobs: { refusal: () => Promise.resolve(null) },
  });

it('a run in containers needs no tools of this machine, and is the way out where they are missing', async () => {
  expect(await check({ kind: 'docker', gpus: [], shmSizeMiB: 1024 })).toEqual([]);
  expect(await check({ kind: 'local' })).toMatchObject([{ fixes: ['install-tools', 'use-docker'] }]);
});
