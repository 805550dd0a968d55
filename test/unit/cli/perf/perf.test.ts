import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createOutput, exitCodes } from '../../../../main/cli/output';
import { toWire, WorkbenchError } from '../../../../main/contract/errors';
import type { Core } from '../../../../main/core';
import { programWith } from '../../../support/cli-program';
import { createdBodies, stateOf } from '../../../support/run-state';
import { createTestCore } from '../../../support/test-core';

let home: string;
let core: Core;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-perf-'));
  core = await createTestCore(home);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await core.close();
  await rm(home, { recursive: true, force: true });
});

it('ends with 1 where the run exists and failed before its first level, also for input that does not fit', async () => {
  const written = { stdout: '', stderr: '' };
  for (const to of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[to], 'write').mockImplementation((chunk) => {
      written[to] += String(chunk);
      return true;
    });
  }
  const error = toWire(new WorkbenchError('input-invalid', 'Input x does not fit'));
  const failing = {
    ...core,
    handlers: {
      ...core.handlers,
      'runs.createOnServer': () => Promise.resolve({ runId: 'a' }),
      'runs.show': () => Promise.resolve({ dir: '/runs/a', state: stateOf(createdBodies()) }),
      'runs.execute': () => Promise.resolve({ end: Promise.resolve({ outcome: 'failed', error }) }),
    },
  } as unknown as Core;
  const codes: number[] = [];
  await programWith({
    core: () => Promise.resolve(failing),
    output: ({ json }) => createOutput(json === true),
    exit: (code) => codes.push(code),
  }).parseAsync(['perf', '-u', 'http://127.0.0.1:9', '--model', 'tiny', '--json'], { from: 'user' });
  // 2 says that nothing was started.
  expect(codes).toEqual([exitCodes.failed]);
  expect(written.stderr).toContain('Input x does not fit');
  expect(JSON.parse(written.stdout)).toMatchObject({ error: { code: 'input-invalid' } });
});
