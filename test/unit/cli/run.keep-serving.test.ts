import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createOutput, exitCodes } from '../../../main/cli/output';
import { WorkbenchError } from '../../../main/contract/errors';
import type { Core } from '../../../main/core';
import { DeploymentStore } from '../../../main/deployments/deployment-store';
import { programWith } from '../../support/cli-program';
import { rejection } from '../../support/rejection';
import { createdBodies, stateOf } from '../../support/run-state';
import { createTestCore } from '../../support/test-core';

let home: string;
let core: Core;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-keep-'));
  core = await createTestCore(home);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await core.close();
  await rm(home, { recursive: true, force: true });
});

/** `run resnet50 --keep-serving NAME`, with what it wrote. */
function kept(name: string, of: Core, ...words: string[]) {
  const written = { stdout: '', stderr: '' };
  for (const to of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[to], 'write').mockImplementation((chunk) => {
      written[to] += String(chunk);
      return true;
    });
  }
  const codes: number[] = [];
  const program = programWith({
    core: () => Promise.resolve(of),
    output: ({ json }) => createOutput(json === true, true),
    exit: (code) => codes.push(code),
  });
  const line = ['run', 'resnet50', '--keep-serving', name, ...words];
  return { written, codes, done: program.parseAsync(line, { from: 'user' }) };
}

it.each(['My Model', '../a'])('refuses the name %j before there is a run', async (name) => {
  expect(await rejection(kept(name, core).done)).toMatchObject({
    ...{ code: 'input-invalid', where: '--keep-serving' },
    message: `"${name}" cannot be the name of a deployment`,
  });
});

it('refuses a name that a deployment has before there is a run', async () => {
  const engine = { kind: 'local' as const, framework: 'pyt' as const };
  const ports = { http: 1, grpc: 2, metrics: 3 };
  await new DeploymentStore(join(home, 'deployments')).create({
    ...{ type: 'deployment-created', id: 'taken', engine, ports },
  });
  expect(await rejection(kept('taken', core).done)).toMatchObject({
    ...{ code: 'input-invalid', where: '--keep-serving', message: 'A deployment "taken" already exists' },
  });
});

it('ends with 1 where the run is done and its model is not served, with one JSON document', async () => {
  const refusing = {
    ...core,
    handlers: {
      ...core.handlers,
      'runs.create': () => Promise.resolve({ runId: 'a' }),
      'jobs.isHandedOver': () => Promise.resolve(false),
      'runs.show': () => Promise.resolve({ dir: '/runs/a', state: stateOf(createdBodies()) }),
      'runs.execute': () => Promise.resolve({ end: Promise.resolve({ outcome: 'done', error: null }) }),
      'deployments.deploy': () =>
        Promise.reject(new WorkbenchError('input-invalid', 'It was measured elsewhere')),
    },
  } as unknown as Core;
  const { written, codes, done } = kept('a', refusing, '--json');
  await done;
  // 2 says that nothing was started.
  expect(codes).toEqual([exitCodes.failed]);
  expect(written.stderr).toContain('It was measured elsewhere');
  expect(JSON.parse(written.stdout)).toMatchObject({ runId: expect.any(String) as string });
});
