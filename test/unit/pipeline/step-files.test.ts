import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StepInputs } from '../../../main/pipeline/step';
import { editedConfig, writtenConfig } from '../../../main/pipeline/step-files';
import { deployStep } from '../../../main/pipeline/steps/deploy.step';
import { runFolder } from '../../../main/store/run-folder';
import { formatConfigPbtxt, parseConfigPbtxt } from '../../../main/triton/config/config-pbtxt';
import { specFixture } from '../../support/run-state';

const spec = specFixture();
const config = parseConfigPbtxt(
  `name: "${spec.configure.modelName}" backend: "onnxruntime" max_batch_size: 8`,
);

let dir: string;
let run: StepInputs;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'edited-'));
  run = { spec, folder: runFolder(dir) } as StepInputs;
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

async function write(text: string): Promise<void> {
  const folder = join(run.folder.repository, spec.configure.modelName);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'config.pbtxt'), text);
  await writeFile(run.folder.output('configure'), JSON.stringify(writtenConfig(config)));
}

it('is not edited before it is written, nor as it was written', async () => {
  expect(await editedConfig(run)).toBeNull();
  await write(formatConfigPbtxt(config));
  expect(await editedConfig(run)).toBeNull();
  expect(await deployStep.inputs(run)).toEqual(spec.engine);
});

it('an edit by hand is another deployment, and so is another edit', async () => {
  const edits = [];
  for (const size of [4, 16]) {
    await write(formatConfigPbtxt({ ...config, maxBatchSize: size }));
    edits.push(JSON.stringify(await deployStep.inputs(run)));
  }
  expect(new Set([...edits, JSON.stringify(spec.engine)]).size).toBe(3);
});
