import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { exitCodes, type Output } from '../../../main/cli/output';
import { workOn } from '../../../main/cli/work';
import type { Core } from '../../../main/core';
import { createdBodies, stateOf } from '../../support/run-state';

beforeEach(() => {
  vi.stubEnv('SLURM_JOB_ID', '12');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A run that is worked on until its end is written. */
function worked() {
  const said: string[] = [];
  const asked: string[] = [];
  let written = (): void => undefined;
  const end = new Promise((resolve) => {
    written = () => {
      resolve({ outcome: 'paused', error: null });
    };
  });
  const core = {
    subscribe: () => () => undefined,
    handlers: {
      'jobs.isHandedOver': () => Promise.resolve(false),
      'jobs.ends': ({ when }: { readonly when: string }) => Promise.resolve(asked.push(when)),
      'runs.show': () => Promise.resolve({ dir: '/runs/a', state: stateOf(createdBodies()) }),
      'runs.execute': () => Promise.resolve({ end }),
    },
  } as unknown as Core;
  const output = { json: false, live: false, say: (line: string) => said.push(line) } as unknown as Output;
  const code = workOn(core, 'a', output, { verbose: false });
  return { said, asked, written, code };
}

it('SIGTERM that comes again leaves the end of the run to be written', async () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  const { said, asked, written, code } = worked();
  await vi.waitFor(() => {
    expect(said).toContain('Run a');
  });
  process.emit('SIGTERM', 'SIGTERM');
  process.emit('SIGTERM', 'SIGTERM');
  written();
  expect(await code).toBe(exitCodes.paused);
  expect(asked).toEqual(['now']);
  expect(said.filter((line) => line === 'The scheduler ends this job.')).toHaveLength(1);
  expect(exit).not.toHaveBeenCalled();
});
