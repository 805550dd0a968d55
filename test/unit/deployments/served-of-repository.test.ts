import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { servedOfRepository } from '../../../main/deployments/served-of-repository';
import { runFolder } from '../../../main/store/run-folder';
import { rejection } from '../../support/rejection';
import { repositorySource, repositorySpec } from '../../support/repository-source';

const source = repositorySource({
  models: [
    { name: 'm', backend: 'python' },
    { name: 'called', backend: 'python' },
  ],
  version: 2,
});
const plain = repositorySpec(source);
const spec = { ...plain, model: { ...plain.model, shapes: { x: [1, 5] } } };

async function made() {
  const dir = await mkdtemp(join(tmpdir(), 'twb-served-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return runFolder(dir);
}

it('has the configuration that Triton had in force, and asks with the shapes of the run', async () => {
  const folder = await made();
  const path = join(folder.step('deploy'), 'served', 'm', 'config.pbtxt');
  await mkdir(dirname(path), { recursive: true });
  const text = 'name: "m" max_batch_size: 4 input [ { name: "x" data_type: TYPE_FP32 dims: [ -1 ] } ]';
  await writeFile(path, text);
  const served = await servedOfRepository({ folder, spec, runId: 'a-run' }, source);
  expect(served.config).toMatchObject({ name: 'm', maxBatchSize: 4 });
  expect(served.canary).toMatchObject([{ name: 'x', datatype: 'FP32', shape: [1, 5] }]);
  expect(served.version).toEqual({ version: 2, models: ['m', 'called'], with: [] });
});

it('says how it is kept where a run does not have it', async () => {
  const folder = await made();
  expect(await rejection(servedOfRepository({ folder, spec, runId: 'a-run' }, source))).toMatchObject({
    code: 'input-invalid',
    remedy: 'Run "resume a-run" to serve it again.',
  });
});
