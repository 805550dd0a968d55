import { describe, expect, it } from 'vitest';
import {
  createContainer,
  inspectContainer,
  removeContainer,
  startContainer,
} from '../../main/docker/container-life';
import { howMany, printRow } from '../support/campaign';
import { readTestEngine } from '../support/docker';
import { rejection } from '../support/rejection';
import { until } from '../support/until';
import { WatchedEngine } from '../support/watched-engine';

const trials = howMany(50, 15);
const engine = await readTestEngine();
const json = (message: string) => JSON.stringify({ message });

/** Runs the fault again and again, each time with an open stream and a list that is right to begin with. */
async function eachTrial(
  fault: string,
  trial: (watched: WatchedEngine, index: number) => Promise<void>,
): Promise<void> {
  if (engine === null) throw new Error('no engine');
  const watched = await WatchedEngine.start(engine);
  let withstood = 0;
  try {
    for (let index = 0; index < trials; index += 1) {
      const what = `${fault}, trial ${index + 1} of ${trials}`;
      await trial(watched, index).catch((error: unknown) => {
        throw new Error(what, { cause: error });
      });
      await until(`${what}: the fault is over`, () => watched.proxy.pendingFaults === 0);
      await watched.catchesUp(what);
      await watched.streamIsOpen();
      for (const { Id } of await watched.own()) await removeContainer(watched.direct, Id);
      withstood += 1;
    }
    await watched.catchesUp(`${fault}, at the end`);
  } finally {
    await printRow({
      what: `faults of the Docker Engine: ${fault}`,
      trials,
      result: `${trials - withstood} after which the state was not right again`,
    });
    await watched.close();
  }
}

/** A container is created; every fifth is started as well, and every tenth killed. */
async function change(watched: WatchedEngine, index: number): Promise<void> {
  const { direct, patience } = watched;
  const { id } = await watched.create();
  if (index % 5 !== 0) return;
  await startContainer(direct, id, patience);
  if (index % 10 === 0) await direct.docker.getContainer(id).kill();
}

// Each fault has an engine connection, proxy, watch and instance of its own: they do not see each other.
describe
  .skipIf(engine === null)
  .concurrent('the nine faults, on a real engine behind the fault injector', () => {
    it('event stream ends', () =>
      eachTrial('stream end', async (watched, index) => {
        watched.proxy.endEventStreams();
        await change(watched, index);
      }));

    it('event stream is reset', () =>
      eachTrial('stream reset', async (watched, index) => {
        watched.proxy.resetEventStreams();
        await change(watched, index);
      }));

    it('event stream is half open', () =>
      eachTrial('half-open stream', async (watched, index) => {
        watched.proxy.freezeEventStreams();
        // An event that was under way may still lead to a list; a change that only the heartbeat can find tells that
        // the stream keeps things back, and it is replaced.
        for (let changes = 0; watched.proxy.openEventStreams === 0; changes += 1) {
          await change(watched, changes === 0 ? index : 1);
          await watched.catchesUp(`half-open stream ${index + 1}, change ${changes + 1}`);
        }
      }));

    it('event stream with lines that are no events', () => {
      const lines = [
        '{"status":"start","id":',
        'no JSON',
        '[]',
        '{"Action":"start"}',
        'null',
        'x'.repeat(300_000),
      ];
      return eachTrial('bad line', async (watched, index) => {
        watched.proxy.sayInEventStreams(lines[index % lines.length] ?? '');
        await change(watched, index);
      });
    });

    it('event stream with 10,000 events a second: the state is right in the middle of it', async () => {
      let sent = 0;
      let lists = 0;
      await eachTrial('flood', async (watched, index) => {
        const flood = new AbortController();
        const line = JSON.stringify({ Type: 'container', Action: 'start', Actor: { ID: 'f'.repeat(64) } });
        const before = watched.proxy.requests.length;
        const flooding = watched.proxy.floodEventStreams(line, 10_000, flood.signal);
        await change(watched, index);
        await watched.catchesUp(`in flood ${index + 1}`);
        flood.abort();
        sent += await flooding;
        lists += watched.proxy.requests.length - before;
      });
      expect(lists).toBeGreaterThan(0);
      expect(lists).toBeLessThan(sent / 10);
    });

    it('the engine answers 500', () =>
      eachTrial('500', async (watched, index) => {
        const { proxy, client, patience } = watched;
        const fault = { kind: 'answer', status: 500, body: json('injected trouble') } as const;
        const { name, body } = watched.next();
        if (index % 5 === 0) {
          proxy.inject('GET', /^\/containers\/json$/, fault, 2);
          proxy.inject('GET', /^\/version$/, fault);
          watched.watch.refresh();
          await change(watched, 1);
        } else if (index % 5 === 1) {
          proxy.inject('POST', /^\/containers\/create$/, fault, 2);
          await createContainer(client, name, body, patience);
        } else if (index % 5 === 2) {
          proxy.inject('POST', /\/start$/, fault);
          const id = await createContainer(client, name, body, patience);
          await startContainer(client, id, patience);
          expect((await inspectContainer(watched.direct, id))?.State.Status).toBe('running');
        } else if (index % 5 === 3) {
          proxy.inject('DELETE', /^\/containers\//, fault);
          await removeContainer(client, (await watched.create()).id);
          expect(await watched.own()).toEqual([]);
        } else {
          proxy.inject('GET', /^\/events$/, fault, 2);
          proxy.endEventStreams();
          await change(watched, 1);
        }
      }));

    it('the engine answers 409', () =>
      eachTrial('409', async (watched, index) => {
        const { proxy, client, direct, patience } = watched;
        const fault = { kind: 'answer', status: 409, body: json('Conflict. Injected') } as const;
        const { name, body } = watched.next();
        if (index % 3 === 0) {
          proxy.inject('POST', /^\/containers\/create$/, fault);
          await createContainer(client, name, body, patience);
        } else if (index % 3 === 1) {
          const known = await createContainer(direct, name, body, patience);
          expect(await createContainer(client, name, body, patience)).toBe(known);
        } else {
          const { id } = await watched.create();
          // Somebody else's removal is in progress.
          proxy.inject('DELETE', /^\/containers\//, fault);
          const other = direct.docker.getContainer(id).remove({ force: true });
          await removeContainer(client, id);
          await other;
          expect(await watched.own()).toEqual([]);
        }
      }));

    it('404: the container goes just before the request gets there', () =>
      eachTrial('404 race', async (watched, index) => {
        const { proxy, client, direct, patience } = watched;
        const { name, body } = watched.next();
        const id = await createContainer(client, name, body, patience);
        const fault = { kind: 'overtaken', by: () => removeContainer(direct, id) } as const;
        if (index % 4 === 0) {
          proxy.inject('POST', /\/start$/, fault);
          expect((await rejection(startContainer(client, id, patience))).code).toBe('container-failed');
        } else if (index % 4 === 1) {
          proxy.inject('GET', new RegExp(`^/containers/${id}/json$`), fault);
          expect(await inspectContainer(client, id)).toBeNull();
        } else if (index % 4 === 2) {
          proxy.inject('DELETE', /^\/containers\//, fault);
          await removeContainer(client, id);
        } else {
          // The name is taken when it is asked for, and free when it is looked at.
          proxy.inject('GET', new RegExp(`^/containers/${name}/json$`), fault);
          expect(await createContainer(client, name, body, patience)).not.toBe(id);
        }
      }));

    it('the reply to a creation is lost', () =>
      eachTrial('reply lost', async (watched, index) => {
        const { proxy, client, direct, patience } = watched;
        const { name, body } = watched.next();
        proxy.inject('POST', /^\/containers\/create$/, { kind: 'reply-lost' }, 1 + (index % 2));
        const id = await createContainer(client, name, body, patience);
        expect((await watched.own()).map(({ Id }) => Id)).toEqual([id]);
        if (index % 2 === 1) proxy.clear();
        if (index % 5 === 0) {
          proxy.inject('POST', /\/start$/, { kind: 'reply-lost' });
          await startContainer(client, id, patience);
          expect((await inspectContainer(direct, id))?.State.Status).toBe('running');
        }
        if (index % 5 === 1) {
          proxy.inject('DELETE', /^\/containers\//, { kind: 'reply-lost' });
          await removeContainer(client, id);
          expect(await watched.own()).toEqual([]);
        }
      }));
  });
