import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DataItem, DataSource, DataWork } from '../../../../../main/contract/data-source';
import { WorkbenchError } from '../../../../../main/contract/errors';
import { readPreset } from '../../../../../main/presets/presets';
import { createDataSources, workKey } from '../../../../../renderer/stores/draft/data-sources';
import { createDraft } from '../../../../../renderer/stores/draft/draft';
import { createClientDouble } from '../../client-double';

const { preset } = await readPreset(join(process.cwd(), 'resources', 'models', 'tft'));
const traffic = preset.origin.datasets?.find(({ id }) => id === 'traffic') as DataSource;
const item: DataItem = { kind: 'dataset', source: traffic, path: null, partBytes: 0 };
const work = (part: Partial<DataWork> = {}): DataWork => ({
  id: 'w1',
  preset: 'tft',
  source: 'traffic',
  title: traffic.title,
  kind: 'dataset',
  status: 'running',
  fraction: 0.5,
  text: 'Downloading',
  path: null,
  error: null,
  ...part,
});
const done = work({ status: 'done', path: '/data/tft/traffic' });

function createCalls(list: () => unknown = () => [item]) {
  const double = createClientDouble({
    'data.list': list,
    'data.works': () => [],
    'data.fetch': () => ({ workId: 'w1' }),
    'data.cancel': () => null,
    'spec.preview': () => new Promise(() => undefined),
    'drafts.save': () => null,
  });
  const draft = createDraft(double.client);
  draft.getState().choosePreset('tft');
  const sources = createDataSources(double.client, draft);
  const emit = (update: DataWork) => {
    sources.getState().onEvent({ type: 'data-work', work: update });
  };
  return { ...double, draft, sources, emit };
}

describe('published data in the window', () => {
  it('is taken into the draft with its arguments when what was begun here is done', async () => {
    const { draft, sources, emit, calls } = createCalls();
    await sources.getState().load('tft');
    await sources.getState().fetch(item);
    expect(calls).toContainEqual(['data.fetch', { preset: 'tft', source: 'traffic' }]);
    emit(work());
    expect(sources.getState().works[workKey('tft', 'traffic')]?.fraction).toBe(0.5);
    expect(draft.getState().overrides).toEqual({});
    emit(done);
    expect(draft.getState().overrides).toEqual({
      model: { dataset: '/data/tft/traffic', args: { data_set: 'traffic', series: '963' } },
    });
  });

  it('is taken also when the end was told before the answer', async () => {
    const { draft, sources, emit } = createCalls();
    await sources.getState().load('tft');
    emit(done);
    expect(draft.getState().overrides).toEqual({});
    await sources.getState().fetch(item);
    expect(draft.getState().overrides).toMatchObject({ model: { dataset: '/data/tft/traffic' } });
  });

  it.each([
    ['what another window began', false, 'tft', done],
    ['a preset that was left meanwhile', true, 'nnunet', done],
    ['what failed', true, 'tft', work({ status: 'failed' })],
  ] as const)('leaves the draft as it is for %s', async (_name, begun, chosen, end) => {
    const { draft, sources, emit } = createCalls();
    await sources.getState().load('tft');
    if (begun) await sources.getState().fetch(item);
    draft.getState().choosePreset(chosen);
    emit(end);
    expect(draft.getState().overrides).toEqual({});
  });

  it('asks anew what is here when something ended, and keeps what is newer', async () => {
    let path: string | null = null;
    const { sources, emit } = createCalls(() => [{ ...item, path }]);
    await sources.getState().load('tft');
    path = '/data/tft/traffic';
    emit(done);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sources.getState().items[0]?.path).toBe(path);
    expect(sources.getState().works[workKey('tft', 'traffic')]?.status).toBe('done');
  });

  it('shows why the list could not be had', async () => {
    const { sources } = createCalls(() => {
      throw new WorkbenchError('preset-unknown', 'There is no preset "tft"');
    });
    await sources.getState().load('tft');
    expect(sources.getState().error?.code).toBe('preset-unknown');
  });
});
