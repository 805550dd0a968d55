import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTestEngine } from '../support/docker';
import { until } from '../support/until';
import { WatchedEngine } from '../support/watched-engine';

const engine = await readTestEngine();

describe.skipIf(engine === null)('the watch of a real engine', () => {
  let watched: WatchedEngine;
  beforeAll(async () => {
    if (engine === null) throw new Error('no engine');
    // Longer than a machine stands still: that is no engine that hangs.
    watched = await WatchedEngine.start(engine, { listTimeoutMs: 5000 });
  });
  afterAll(() => watched.close());
  const lists = () => watched.proxy.requests.filter((request) => request === 'GET /containers/json').length;

  it('tells of a change, and of nothing else', async () => {
    const { id, name } = await watched.create();
    await watched.catchesUp('created');
    expect(watched.watch.client()?.apiVersion).toBe(watched.direct.apiVersion);
    expect(watched.states.at(-1)).toMatchObject({
      connection: 'connected',
      error: null,
      containers: [{ id, name, role: 'client', state: 'created', runId: 'run-of-a-test', step: 'offline' }],
    });
    const [statesBefore, listsBefore] = [watched.states.length, lists()];
    const firstListedAt = watched.watch.state().listedAt;
    await until('it was listed again', () => {
      watched.watch.refresh();
      return lists() > listsBefore + 3;
    });
    expect(watched.states.length).toBe(statesBefore);
    expect(watched.watch.state().listedAt).not.toBe(firstListedAt);
  });

  it('says that an engine hangs, keeps what it knew, and is right again when that is over', async () => {
    const known = watched.watch.state().containers;
    expect(known.length).toBeGreaterThan(0);
    for (const path of [/^\/containers\/json$/, /^\/version$/]) {
      watched.proxy.inject('GET', path, { kind: 'hang' }, Infinity);
    }
    await until('the watch notices', () => watched.watch.state().connection === 'connecting');
    expect(watched.watch.state().error?.code).toBe('docker-unreachable');
    expect(watched.watch.client()).toBeNull();
    await until('the watch is alarmed', () => watched.watch.state().connection === 'unavailable');
    expect(watched.watch.state().containers).toEqual(known);
    await watched.create();
    watched.proxy.clear();
    await until('it answers', () => watched.watch.state().connection === 'connected');
    await watched.catchesUp('after the hang');
  });

  it.each([
    ['no JSON', 200, '[{"Id":'],
    ['no list', 200, '{}'],
    ['a refusal', 400, '{"message":"injected"}'],
  ])('outlives a list that is %s', async (_what, status, body) => {
    const before = watched.states.length;
    watched.proxy.inject('GET', /^\/containers\/json$/, { kind: 'answer', status, body });
    await until('the fault was met', () => watched.proxy.pendingFaults === 0);
    await watched.create();
    await watched.catchesUp('after the damaged list');
    const connections = watched.states.slice(before).map(({ connection }) => connection);
    expect(connections).toContain('connecting');
    expect(connections).not.toContain('unavailable');
  });
});
