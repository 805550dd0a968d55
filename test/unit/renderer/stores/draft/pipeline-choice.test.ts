import { describe, expect, it } from 'vitest';
import type { DataWork } from '../../../../../main/contract/data-source';
import { WorkbenchError } from '../../../../../main/contract/errors';
import type { OpenedModel } from '../../../../../main/contract/run/own-model';
import { createDraft } from '../../../../../renderer/stores/draft/draft';
import { createOwnModel } from '../../../../../renderer/stores/draft/own-model';
import { createPipelineChoice } from '../../../../../renderer/stores/draft/pipeline-choice';
import { createClientDouble } from '../../client-double';

const work: DataWork = {
  ...{ id: 'w1', preset: '', source: '/models/my-bert', title: 'my-bert', kind: 'pipeline' },
  ...{ status: 'running', fraction: null, text: 'Exporting', path: null, error: null },
};
const pipeline: OpenedModel = {
  ...{ kind: 'repository', path: '/home/pipelines/my-bert-1/models/my-bert', title: 'my-bert', code: [] },
  ...{ trusted: true, choice: null, preset: null, asked: [], notes: ['An ensemble'] },
};

function createBench(answer: () => Promise<OpenedModel | null>) {
  const double = createClientDouble({
    'models.asPipeline': answer,
    'data.cancel': () => null,
    'drafts.save': () => null,
  });
  const own = createOwnModel(double.client, createDraft(double.client));
  const choice = createPipelineChoice(double.client, own);
  const emit = (update: DataWork) => {
    choice.getState().onEvent({ type: 'data-work', work: update });
  };
  return { own, choice, emit, calls: double.calls };
}

describe('a pipeline of a Hugging Face folder in the window', () => {
  it('shows how far the writing is, and becomes the model', async () => {
    let written: (opened: OpenedModel) => void = () => undefined;
    const { own, choice, emit } = createBench(() => new Promise((resolve) => (written = resolve)));
    const writing = choice.getState().write('/models/my-bert', { input_ids: [1, 64] });
    emit(work);
    emit({ ...work, source: '/models/another', text: 'Loading' });
    expect(choice.getState()).toMatchObject({ busy: true, work: { text: 'Exporting' } });
    written(pipeline);
    await writing;
    expect(choice.getState()).toMatchObject({ busy: false, work: null, error: null });
    expect(own.getState()).toMatchObject({ path: pipeline.path, opened: pipeline });
  });

  it('is cancelled by the id of its work, and leaves the model as it is', async () => {
    let ended: (opened: null) => void = () => undefined;
    const { own, choice, emit, calls } = createBench(() => new Promise((resolve) => (ended = resolve)));
    const writing = choice.getState().write('/models/my-bert');
    await choice.getState().cancel();
    emit(work);
    await choice.getState().cancel();
    ended(null);
    expect(await writing).toBe(false);
    expect(calls.filter(([name]) => name === 'data.cancel')).toEqual([['data.cancel', { workId: 'w1' }]]);
    expect(own.getState().path).toBeNull();
  });

  it('says why it could not be written', async () => {
    const { choice } = createBench(() =>
      Promise.reject(new WorkbenchError('disk-full', 'The disk is full', { remedy: 'Free some.' })),
    );
    expect(await choice.getState().write('/models/my-bert')).toBe(false);
    expect(choice.getState().error).toMatchObject({ code: 'disk-full' });
  });
});
