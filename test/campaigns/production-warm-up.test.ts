import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli, documentOf } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { runLinear } from '../support/serving-environments';

let home: TestHome;
let runId: string;
beforeAll(async () => {
  home = await createTestHome(['python', 'triton']);
  const ran = await runLinear(
    ...[home.path, 'linear', '--warmup', 'samples', '--warmup-batch-sizes', '1,4', '--json'],
  );
  expect(ran.code, ran.stderr).toBe(0);
  ({ runId } = documentOf(ran));
});
afterAll(() => home.remove());

const good = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await cli(home.path, ...args);
  expect(code, stderr).toBe(0);
  return stdout;
};

it('a run loads with samples of its load, whose files are beside the version', async () => {
  const configured = join(home.path, 'runs', runId, 'steps', 'configure');
  const model = join(configured, 'model-repository', 'linear');
  const config = await readFile(join(model, 'config.pbtxt'), 'utf8');
  expect(config.match(/input_data_file: "1\/0-0\.bin"/g)).toHaveLength(2);
  // Four FP32 values of one row.
  expect((await readFile(join(model, 'warmup', '1', '0-0.bin'))).byteLength).toBe(16);
  expect((await readdir(configured)).includes('samples')).toBe(false);
});

it('they go with a deployment, its next version, and a bundle, and are tried beside the run', async () => {
  await good('deploy', runId, '--name', 'vision', '--json');
  try {
    await good('deploy', runId, '--to', 'vision', '--json');
    const repository = join(home.path, 'deployments', 'vision', 'models', 'linear');
    expect((await readdir(join(repository, 'warmup'))).sort()).toEqual(['1', '2']);
    expect(await readFile(join(repository, 'config.pbtxt'), 'utf8')).toContain(
      'input_data_file: "2/0-0.bin"',
    );
    await good('deployments', 'rollback', 'vision');
    expect(await readFile(join(repository, 'config.pbtxt'), 'utf8')).toContain(
      'input_data_file: "1/0-0.bin"',
    );
  } finally {
    await cli(home.path, 'deployments', 'remove', 'vision', '--force');
  }
  const out = join(home.path, 'handed-over');
  await good('bundle', runId, '--out', out);
  const [bundled] = (await readdir(out, { recursive: true })).filter((path) => path.endsWith('0-0.bin'));
  expect(bundled).toMatch(/linear\/warmup\/1\/0-0\.bin$/);
  expect(await good('cold-start', runId, '--try', '--rounds', '3')).toContain('samples of the load');
});
