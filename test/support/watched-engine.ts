import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { DockerState } from '../../main/contract/docker';
import type { DockerAddress } from '../../main/docker/address';
import { connectDocker, type DockerClient } from '../../main/docker/client';
import { createContainer, removeContainer } from '../../main/docker/container-life';
import { labelNames } from '../../main/docker/containers';
import { DockerWatch } from '../../main/docker/watch';
import { createDecoys, ensureIdleImage, evidence, idleBody } from './docker';
import { DockerFaultProxy } from './docker-fault-proxy';
import { Standstill } from './standstill';
import { until } from './until';

/** What the product promises after a fault is over, with an engine that answers. */
const promiseMs = 2000;
/** An engine that takes longer for one list stalls, and keeps it from the workbench as well: that time does not count. */
const longestAnswerMs = 150;

/**
 * A real engine looked at from two sides: `direct` for the truth, and the watch and `client` of the workbench through
 * the fault injector.
 */
export class WatchedEngine {
  readonly instance = randomBytes(8).toString('hex');
  private count = 0;
  private decoys: readonly string[] = [];
  private decoysBefore: unknown = null;

  private constructor(
    readonly direct: DockerClient,
    readonly image: string,
    readonly proxy: DockerFaultProxy,
    readonly client: DockerClient,
    /** Every state that the watch told. */
    readonly states: readonly DockerState[],
    makeWatch: (instance: string) => DockerWatch,
  ) {
    this.watch = makeWatch(this.instance);
  }
  readonly watch: DockerWatch;
  private readonly standstill = new Standstill();

  /** @param decoyCount containers that look like own ones and must not be touched. */
  static async start(
    direct: DockerClient,
    options: { readonly decoyCount?: number; readonly listTimeoutMs?: number } = {},
  ): Promise<WatchedEngine> {
    const { decoyCount = 5, listTimeoutMs = 3000 } = options;
    const states: DockerState[] = [];
    if (direct.address.kind !== 'unix')
      throw new Error('The fault injector wants an engine on a unix socket');
    const image = await ensureIdleImage(direct.docker);
    const proxy = await DockerFaultProxy.start(direct.address.socketPath);
    const { socketPath } = proxy;
    const address: DockerAddress = { kind: 'unix', host: `unix://${socketPath}`, socketPath };
    const connect = (signal?: AbortSignal) => connectDocker(address, {}, { signal });
    const makeWatch = (instance: string) =>
      new DockerWatch({
        connect,
        instance,
        host: address.host,
        emit: (state) => states.push(state),
        now: () => new Date(),
        // Shorter than the product's, for the sake of the trials' time.
        heartbeatMs: 300,
        listTimeoutMs,
      });
    const watched = new WatchedEngine(direct, image, proxy, await connect(), states, makeWatch);
    watched.decoys = await createDecoys(direct.docker, image, watched.instance, decoyCount);
    watched.decoysBefore = await evidence(direct.docker, watched.decoys);
    await watched.streamIsOpen();
    return watched;
  }

  /** A name and body that nobody has asked for yet. */
  next() {
    this.count += 1;
    const name = `twb-${this.instance}-${this.count}`;
    return { name, body: idleBody(this.image, { instance: this.instance, key: name }) };
  }

  /** Creates the next container without a fault on the way. */
  async create(): Promise<{ readonly id: string; readonly name: string }> {
    const { name, body } = this.next();
    return { id: await createContainer(this.direct, name, body, this.patience), name };
  }

  readonly patience = { signal: new AbortController().signal };

  async own() {
    const all = await this.direct.docker.listContainers({ all: true });
    return all.filter(({ Names }) => Names.some((name) => name.startsWith(`/twb-${this.instance}-`)));
  }

  async streamIsOpen(): Promise<void> {
    await until('the event stream is open', () => this.proxy.openEventStreams === 1);
  }

  /** The state on screen is the engine's own list, by id and state, within what is promised; and nothing is twice. */
  async catchesUp(what: string): Promise<void> {
    const startedAt = performance.now();
    let stalledMs = 0;
    let before = this.standstill.read();
    for (;;) {
      const askedAt = performance.now();
      const own = await this.own();
      const answerMs = performance.now() - askedAt;
      const after = this.standstill.read();
      // Time in which this very process was busy counts: the watch lives in it. The machine's standstill does not.
      const busyMs = after.hereMs - before.hereMs;
      stalledMs += Math.max(0, answerMs - busyMs - longestAnswerMs);
      stalledMs += Math.max(0, Math.min(busyMs, after.thereMs - before.thereMs));
      before = after;
      const truth = own.map(({ Id, State }) => `${Id} ${State}`).sort();
      const { connection, error, containers } = this.watch.state();
      const shown = containers.map(({ id, state }) => `${id} ${state}`).sort();
      const keys = own.map(({ Labels }) => Labels[labelNames.key]);
      expect(new Set(keys).size, `${what}: one container for each key`).toBe(keys.length);
      if (connection === 'connected' && isDeepStrictEqual(shown, truth)) return;
      if (performance.now() - startedAt - stalledMs > promiseMs) {
        expect({ connection, error, shown }, what).toEqual({
          connection: 'connected',
          error: null,
          shown: truth,
        });
      }
      await sleep(20);
    }
  }

  /** Leaves nothing behind, and sees that the watch leaves no connection and that the decoys were not touched. */
  async close(): Promise<void> {
    const { docker } = this.direct;
    this.proxy.clear();
    await this.watch.close();
    await this.standstill.close();
    const decoysAfter = await evidence(docker, this.decoys);
    for (const { Id } of await this.own()) await removeContainer(this.direct, Id);
    for (const id of this.decoys) await docker.getContainer(id).remove({ force: true });
    await until('no event stream is left', () => this.proxy.openEventStreams === 0);
    await this.proxy.close();
    expect(decoysAfter).toEqual(this.decoysBefore);
  }
}
