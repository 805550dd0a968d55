import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeContainer, startContainer } from '../../main/docker/container-life';
import { sweepContainers } from '../../main/engine/docker/orphans';
import { readTestEngine } from '../support/docker';
import { WatchedEngine } from '../support/watched-engine';

const engine = await readTestEngine();

describe.skipIf(engine === null)('the sweep of orphans, with 20 decoys beside', () => {
  let watched: WatchedEngine;
  beforeAll(async () => {
    if (engine === null) throw new Error('no engine');
    watched = await WatchedEngine.start(engine, { decoyCount: 20 });
  });
  // Sees that all decoys are as they were.
  afterAll(() => watched.close());
  const namesLeft = async () => (await watched.own()).map(({ Names }) => Names[0]?.slice(1)).sort();

  it('removes 20 own containers, running or not, and says what could not be removed', async () => {
    const { client, direct, instance, patience, proxy } = watched;
    const own: { id: string; name: string }[] = [];
    for (let index = 0; index < 20; index += 1) {
      const created = await watched.create();
      own.push(created);
      if (index % 5 === 0) await startContainer(direct, created.id, patience);
    }
    const [kept, gone, conflicting, refused] = own;
    if (!kept || !gone || !conflicting || !refused) throw new Error('20 were created');
    const injected = (status: number) =>
      ({ kind: 'answer', status, body: '{"message":"injected"}' }) as const;
    const removal = ({ id }: { id: string }) => new RegExp(`^/containers/${id}$`);
    proxy.inject('DELETE', removal(gone), { kind: 'overtaken', by: () => removeContainer(direct, gone.id) });
    proxy.inject('DELETE', removal(conflicting), injected(409));
    proxy.inject('DELETE', removal(refused), injected(400));
    let late = '';
    const sweep = await sweepContainers(client, instance, async ({ info }) => {
      // Somebody makes another one while the sweep is on.
      if (late === '') {
        late = 'under way';
        late = (await watched.create()).name;
      }
      return info.id !== kept.id;
    });
    const others = own.map(({ name }) => name).filter((name) => name !== kept.name && name !== refused.name);
    expect([...sweep.removed].sort()).toEqual(others.sort());
    expect([...sweep.left].sort()).toEqual([late, refused.name].sort());
    expect(await namesLeft()).toEqual([late, refused.name, kept.name].sort());

    const again = await sweepContainers(client, instance, () => true);
    expect(again.left).toEqual([]);
    expect(again.removed).toHaveLength(3);
    expect(await namesLeft()).toEqual([]);
    expect(await sweepContainers(client, instance, () => true)).toEqual({ removed: [], left: [] });
  });
});
