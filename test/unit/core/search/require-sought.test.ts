import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requireSought } from '../../../../main/core/search/require-sought';
import { homeLayout } from '../../../../main/platform/layout';
import { StudyStore } from '../../../../main/studies/study-store';
import { joint } from '../../../support/simulated-joint';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'workbench-sought-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

it('names the models of a search of several where none is meant, and refuses what is no search', async () => {
  const layout = homeLayout(home);
  const models = joint.models.map((model) => ({ ...model, runId: `run-${model.title}` }));
  const spec = { name: 'night', strategy: { ...joint, models, trials: [] }, hosts: null };
  await new StudyStore(layout.studies).append('night', { type: 'study-planned', spec });
  await expect(requireSought({ layout }, 'night')).rejects.toMatchObject({
    ...{ code: 'input-invalid', message: 'The search is of several models' },
    remedy: 'Name one of them, or its run: resnet (run-resnet), bert (run-bert).',
  });
  await expect(requireSought({ layout }, 'night', { model: 'vgg' })).rejects.toMatchObject({
    message: 'The search has no single model "vgg"',
  });
  expect((await requireSought({ layout }, 'night', { runId: 'run-bert' })).search.runId).toBe('run-bert');
  await expect(requireSought({ layout }, 'another')).rejects.toMatchObject({ code: 'study-unknown' });
});
