import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createOutput } from '../../../main/cli/output';
import { WorkbenchError } from '../../../main/contract/errors';
import { openModelSchema } from '../../../main/contract/run/own-model';
import type { Core } from '../../../main/core';
import { programWith } from '../../support/cli-program';
import { rejection } from '../../support/rejection';
import { createTestCore } from '../../support/test-core';

let home: string;
let core: Core;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-given-'));
  core = await createTestCore(home);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await core.close();
  await rm(home, { recursive: true, force: true });
});

const ownModel = 'docs/examples/tabular/model.onnx';

function run(...words: string[]) {
  const program = programWith({
    core: () => Promise.resolve(core),
    output: ({ json }) => createOutput(json === true, true),
    exit: () => undefined,
  });
  return program.parseAsync(['run', ...words], { from: 'user' });
}

it.each([
  ['resnet50', '--dataset', 'The data set'],
  ['resnet50', '--checkpoint', 'The weights file'],
  [ownModel, '--golden', 'The golden file'],
  ['resnet50', '--input-data', 'The input data'],
])('%s: refuses a file of %s that does not exist before there is a run', async (model, flag, what) => {
  const path = join(home, 'absent.json');
  expect(await rejection(run(model, flag, path))).toMatchObject({
    ...{
      code: 'input-invalid',
      where: flag,
      message: `${what} ${path} does not exist`,
      remedy: 'Check the path.',
    },
  });
  expect((await core.handlers['runs.all'](undefined)).runs).toEqual([]);
});

it('shows the same problem beside the field before that', async () => {
  const golden = join(home, 'absent.json');
  const { choice } = await core.handlers['models.open'](openModelSchema.parse({ path: ownModel }));
  if (choice === null) throw new Error('the model asks for something');
  const overrides = { ...choice.overrides, accuracy: { golden } };
  const { problems } = await core.handlers['spec.preview']({ ...choice, overrides });
  expect(problems.filter(({ severity }) => severity === 'problem')).toEqual([
    {
      ...{ field: 'accuracy.golden', severity: 'problem', remedy: 'Check the path.' },
      message: `The golden file ${golden} does not exist`,
    },
  ]);
});

it('refuses a folder in place of a golden file before there is a run', async () => {
  expect(await rejection(run(ownModel, '--golden', home))).toMatchObject({
    ...{ code: 'input-invalid', where: '--golden', message: `${home} is a folder` },
  });
});

it('reads input values that were typed, and refuses what does not fit before there is a run', async () => {
  const path = join(home, 'values.json');
  await writeFile(path, JSON.stringify({ data: [{ INPUT__0: [1, 2] }] }));
  expect(await rejection(run('resnet50', '--input-data', path))).toMatchObject({
    ...{ code: 'input-invalid', where: '--input-data' },
    message: expect.stringContaining('INPUT__0 has 2 values') as string,
  });
  expect((await core.handlers['runs.all'](undefined)).runs).toEqual([]);
});

it('leaves input values that a file names elsewhere until they are approved', async () => {
  const elsewhere = await mkdtemp(join(tmpdir(), 'twb-elsewhere-'));
  const path = join(elsewhere, 'values.json');
  await writeFile(path, JSON.stringify({ data: [{ INPUT__0: [1, 2] }] }));
  const spec = join(home, 'run.yaml');
  await writeFile(
    spec,
    `model: { preset: resnet50 }\nperformance: { inputData: file, inputDataFile: ${path} }\n`,
  );
  const refused = await rejection(run('--spec', spec));
  await rm(elsewhere, { recursive: true });
  expect(refused).toMatchObject({ code: 'not-trusted' });
});

it('takes those that exist', async () => {
  const path = join(home, 'data.json');
  await writeFile(path, '{}');
  const create = vi.fn(() => Promise.reject(new WorkbenchError('cancelled', 'created')));
  vi.spyOn(core.handlers, 'runs.create').mockImplementation(create);
  expect(await rejection(run('resnet50', '--dataset', path))).toMatchObject({ message: 'created' });
});
