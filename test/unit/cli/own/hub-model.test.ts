import { describe, expect, it } from 'vitest';
import { createOutput, type Output } from '../../../../main/cli/output';
import { fetchHubModel, hubFolder } from '../../../../main/cli/own/hub-model';
import type { DataWork } from '../../../../main/contract/data-source';
import type { HubModel } from '../../../../main/contract/own/hub';
import type { Core } from '../../../../main/core';

const commit = 'c'.repeat(40);
const model: HubModel = {
  ...{ id: 'acme/my-bert', revision: commit, reference: `hf:acme/my-bert@${commit}`, files: 3 },
  ...{ bytes: 2048, missingBytes: 1024, license: 'mit', path: null, note: null },
};

function createBench(found: HubModel) {
  const said: string[] = [];
  const fetched: unknown[] = [];
  const output: Output = { ...createOutput(false), live: false, say: (line) => said.push(line) };
  const work = { id: 'w1', status: 'done', error: null, path: '/cache/my-bert' } as unknown as DataWork;
  const handlers = {
    'models.lookHub': () => Promise.resolve(found),
    'models.fetch': (ask: unknown) => {
      fetched.push(ask);
      return Promise.resolve({ workId: 'w1' });
    },
    'data.ended': () => Promise.resolve(work),
  };
  const core = { handlers, subscribe: () => () => undefined } as unknown as Core;
  return { core, output, said, fetched };
}

describe('a model of the hub on the command line', () => {
  it('is downloaded once its size was said and agreed to', async () => {
    const { core, output, said, fetched } = createBench(model);
    const asked: HubModel[] = [];
    const agreed = (one: HubModel) => Promise.resolve(asked.push(one) > 0);
    expect(await fetchHubModel(core, 'hf:acme/my-bert', output, agreed)).toBe('/cache/my-bert');
    expect(said.join()).toContain('3 files, 2.0 KiB, of which 1.0 KiB are to be downloaded. License: mit.');
    expect([asked, fetched]).toEqual([[model], [{ reference: 'hf:acme/my-bert', revision: commit }]]);
  });

  it('is not downloaded where the answer is no, and not asked about where nothing is to come', async () => {
    const no = () => Promise.resolve(false);
    const declined = createBench(model);
    await expect(fetchHubModel(declined.core, 'hf:acme/my-bert', declined.output, no)).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(declined.fetched).toEqual([]);
    const cached = createBench({ ...model, missingBytes: 0 });
    expect(await fetchHubModel(cached.core, 'hf:acme/my-bert', cached.output, no)).toBe('/cache/my-bert');
    const kept = createBench({ ...model, path: '/kept', note: 'The hub cannot be reached.' });
    expect(await fetchHubModel(kept.core, 'hf:acme/my-bert', kept.output, no)).toBe('/kept');
    expect([kept.said, kept.fetched]).toEqual([['The hub cannot be reached.'], []]);
  });

  it('is asked about in a terminal only: elsewhere --yes, or data fetch before', async () => {
    const { core } = createBench(model);
    expect(await hubFolder(core, './my-bert', {})).toBeNull();
    await expect(hubFolder(core, 'hf:acme/my-bert', { json: true })).rejects.toMatchObject({
      code: 'input-invalid',
      remedy: expect.stringMatching(/--yes.*data fetch hf:acme\/my-bert/) as unknown,
    });
    expect(await hubFolder(core, 'hf:acme/my-bert', { yes: true })).toBe('/cache/my-bert');
  });
});
