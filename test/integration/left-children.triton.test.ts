import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exists } from '../../main/platform/files';
import { childOfVariable } from '../../main/platform/left-children';
import { processesWhere } from '../../main/platform/process';
import { cli, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { until } from '../support/until';

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome();
});
afterAll(() => home.remove());

/** What the killed workbench had started, and what that had. */
const childrenOf = (pid: number | undefined) =>
  processesWhere(childOfVariable, (value) => value.startsWith(`${pid ?? '?'}.`));

it('R19: nothing of a killed workbench is left after the next command, also of code that says nothing', async () => {
  const model = join(home.path, 'silent');
  expect((await cli(home.path, 'init', model)).code).toBe(0);
  const began = join(home.path, 'began');
  // It neither reads, writes nor answers, and has a program of its own that goes on without it.
  await writeFile(
    join(model, 'train.py'),
    `import subprocess, time


def train(module, progress, data_dir, steps=300):
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    open(${JSON.stringify(began)}, "w").close()
    time.sleep(600)
`,
  );
  const started = startCli(home.path, ['run', model, '--trust', '--profile', 'quick']);
  let killed = false;
  const early = started.result.then(({ stderr }) => {
    if (!killed) throw new Error(stderr);
  });
  await Promise.race([until('train() runs', () => exists(began)), early]);
  const { pid } = started.child;
  // Before the kill: afterwards the command of another test may be the next one.
  expect((await childrenOf(pid)).length).toBeGreaterThan(0);
  killed = true;
  started.child.kill('SIGKILL');
  await started.result;
  expect((await cli(home.path, 'runs')).code).toBe(0);
  expect(await childrenOf(pid)).toEqual([]);
});
