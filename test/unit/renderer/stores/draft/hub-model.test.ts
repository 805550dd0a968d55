import { describe, expect, it } from 'vitest';
import type { DataWork } from '../../../../../main/contract/data-source';
import { WorkbenchError } from '../../../../../main/contract/errors';
import type { HubModel } from '../../../../../main/contract/own/hub';
import { createDraft } from '../../../../../renderer/stores/draft/draft';
import { createHubModel } from '../../../../../renderer/stores/draft/hub-model';
import { createOwnModel } from '../../../../../renderer/stores/draft/own-model';
import { createClientDouble } from '../../client-double';

const commit = 'c'.repeat(40);
const model: HubModel = {
  ...{ id: 'acme/my-bert', revision: commit, reference: `hf:acme/my-bert@${commit}`, files: 3 },
  ...{ bytes: 2048, missingBytes: 1024, license: 'mit', path: null, note: null },
};
const work: DataWork = {
  ...{ id: 'w1', preset: 'acme/my-bert', source: commit, title: 'acme/my-bert', kind: 'model' },
  ...{ status: 'running', fraction: 0.5, text: '1.0 KiB of 2.0 KiB', path: null, error: null },
};
const done: DataWork = { ...work, status: 'done', fraction: 1, text: 'Ready', path: '/cache/my-bert' };

function createBench(found: () => HubModel = () => model) {
  const double = createClientDouble({
    'models.hub': found,
    'models.fetch': () => ({ workId: 'w1' }),
    'models.open': () => {
      throw new WorkbenchError('model-folder-invalid', 'opened');
    },
    'data.cancel': () => null,
    'spec.preview': () => new Promise(() => undefined),
    'drafts.save': () => null,
  });
  const own = createOwnModel(double.client, createDraft(double.client));
  const hub = createHubModel(double.client, own);
  const emit = (update: DataWork) => {
    hub.getState().onEvent({ type: 'data-work', work: update });
  };
  const calls = (name: string) =>
    double.calls.filter(([called]) => called === name).map(([, input]) => input);
  return { hub, own, emit, calls };
}

describe('a model of the hub in the window', () => {
  it('is looked up by its name, and downloaded only when asked', async () => {
    const { hub, own, emit, calls } = createBench();
    hub.getState().setReference(' acme/my-bert ');
    expect(await hub.getState().look()).toBe(false);
    expect(calls('models.hub')).toEqual([{ reference: 'hf:acme/my-bert' }]);
    expect(hub.getState()).toMatchObject({ model, work: null, busy: false });
    expect(calls('models.fetch')).toEqual([]);
    const fetched = hub.getState().fetch();
    emit(work);
    expect(hub.getState()).toMatchObject({ work, busy: true });
    emit(done);
    await fetched;
    expect(calls('models.fetch')).toEqual([{ reference: 'hf:acme/my-bert', revision: commit }]);
    expect(own.getState().path).toBe('/cache/my-bert');
  });

  it('that is in the cache is opened at once', async () => {
    const { hub, own, calls } = createBench(() => ({ ...model, missingBytes: 0, path: '/cache/my-bert' }));
    hub.getState().setReference('hf:acme/my-bert@main');
    await hub.getState().look();
    expect(own.getState().path).toBe('/cache/my-bert');
    expect(calls('models.fetch')).toEqual([]);
  });

  it('says why it failed, is cancelled by its id, and is left for another name', async () => {
    const error = { code: 'download-failed', message: 'gone' } as const;
    const { hub, own, emit, calls } = createBench();
    hub.getState().setReference('acme/my-bert');
    await hub.getState().look();
    const failing = hub.getState().fetch();
    emit(work);
    await hub.getState().cancel();
    expect(calls('data.cancel')).toEqual([{ workId: 'w1' }]);
    emit({ ...work, status: 'failed', error });
    expect(await failing).toBe(false);
    expect(hub.getState().error).toEqual(error);
    const left = hub.getState().fetch();
    emit(work);
    hub.getState().setReference('acme/other');
    emit(done);
    expect(await left).toBe(false);
    expect(own.getState().path).toBeNull();
  });

  it('that the hub does not have is an error in place', async () => {
    const { hub } = createBench(() => {
      throw new WorkbenchError('input-invalid', 'The hub has no model acme/x that you can read');
    });
    hub.getState().setReference('acme/x');
    expect(await hub.getState().look()).toBe(false);
    expect(hub.getState().error?.message).toContain('has no model acme/x');
  });
});
