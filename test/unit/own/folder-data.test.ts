import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ModelSource } from '../../../main/contract/run/run-spec';
import { missingDataset } from '../../../main/own/folder-data';
import { openModel } from '../../../main/own/open-model';
import { useModelBench } from '../../support/model-bench';

const bench = useModelBench();
const open = (path: string) => openModel({ path }, bench().tools());

it('a model folder without make_dataset.py is told to need data when it is opened, and before a run', async () => {
  const whole = await open(await bench().folder(() => Promise.resolve()));
  expect(whole.notes).toEqual([]);
  const path = await bench().folder((folder) => rm(join(folder, 'make_dataset.py')));
  const { notes, kind, title } = await open(path);
  expect(notes.join()).toContain('no make_dataset.py: a run needs your data with --dataset');
  const source: ModelSource = {
    kind,
    path,
    title,
    inputs: [],
    outputs: [],
    batched: true,
    externalFiles: [],
  };
  const model = { preset: 'm', profile: 'quick' as const, args: {}, source };
  expect(await missingDataset(model)).toMatchObject({
    code: 'spec-invalid',
    where: 'model.dataset',
    message: expect.stringContaining('no make_dataset.py, and no data set is given') as string,
    remedy: expect.stringContaining('--dataset PATH') as string,
  });
  expect(await missingDataset({ ...model, dataset: '/data' })).toBeNull();
  expect(await missingDataset({ ...model, source: undefined })).toBeNull();
});
