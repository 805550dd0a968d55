import { expect, it } from 'vitest';
import { exec } from '../../../main/platform/exec';
import { processStartTime } from '../../../main/platform/process';

const sh = (script: string): [string, ...string[]] => ['sh', '-c', script];

it('passes lines on, keeps the last of stderr and gives the exit code', async () => {
  const out: string[] = [];
  const result = await exec({
    argv: sh('for i in $(seq 100); do echo e$i >&2; done; echo out; exit 7'),
    env: process.env,
    onStdoutLine: (line) => out.push(line),
  });
  expect(result).toMatchObject({ exitCode: 7, signal: null, aborted: false });
  expect(out).toEqual(['out']);
  expect(result.stderrTail).toHaveLength(60);
  expect(result.stderrTail.at(-1)).toBe('e100');
});

it('ends the whole group on abort, also members that ignore the polite signal', async () => {
  const controller = new AbortController();
  const pids: number[] = [];
  const result = await exec({
    argv: sh(`trap '' INT; sh -c 'trap "" INT; echo $$; sleep 600' & echo $$; wait`),
    env: process.env,
    signal: controller.signal,
    onStdoutLine: (line) => {
      pids.push(Number(line));
      if (pids.length === 2) controller.abort();
    },
  });
  expect(result.aborted).toBe(true);
  expect(pids.map(processStartTime)).toEqual([null, null]);
});

it('does not start when it is aborted already, and rejects when there is no such program', async () => {
  const controller = new AbortController();
  controller.abort();
  const never = await exec({ argv: ['/no/such'], env: {}, signal: controller.signal });
  expect(never.aborted).toBe(true);
  await expect(exec({ argv: ['/no/such'], env: {} })).rejects.toMatchObject({ code: 'ENOENT' });
});
