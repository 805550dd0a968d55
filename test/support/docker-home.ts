import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { DockerClient } from '../../main/docker/client';
import { labelNames, readInstanceId } from '../../main/docker/containers';
import { homeLayout } from '../../main/platform/layout';
import { createTestHome } from './home';

/** What the engine told of a container of the home, in the order in which it happened. */
export interface ContainerEvent {
  readonly action: string;
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Before it a whole run may have to train its model on a busy machine. */
const limitMs = 300_000;

interface Labelled {
  readonly Labels?: Readonly<Record<string, string>> | null | undefined;
}

/** Without those of other homes, whose tests run beside these on one engine. */
async function namesOf(docker: Docker, instance: string) {
  const isOthers = ({ Labels }: Labelled) => (Labels?.[labelNames.instance] ?? instance) !== instance;
  const networks = (await docker.listNetworks()).filter((one) => !isOthers(one)).map(({ Id }) => Id);
  const volumes = ((await docker.listVolumes()).Volumes as ({ Name: string } & Labelled)[] | null) ?? [];
  const names = volumes.filter((one) => !isOthers(one)).map(({ Name }) => Name);
  return { networks: networks.sort(), volumes: names.sort() };
}

/**
 * A workbench home, looked at from the engine's side: what its containers are and were. It has no Python, Triton or
 * perf_analyzer: all of that must come from the images.
 */
export class DockerHome {
  readonly events: ContainerEvent[] = [];
  private rest = '';

  private constructor(
    readonly docker: Docker,
    readonly path: string,
    readonly instance: string,
    private readonly before: Awaited<ReturnType<typeof namesOf>>,
    private readonly stream: NodeJS.ReadableStream,
    private readonly removeHome: () => Promise<void>,
  ) {
    stream.on('data', (chunk: Buffer) => {
      const lines = (this.rest + chunk.toString()).split('\n');
      this.rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') this.add(line);
    });
  }

  static async open(client: DockerClient): Promise<DockerHome> {
    const { docker } = client;
    const home = await createTestHome(['electron']);
    const instance = await readInstanceId(homeLayout(home.path).instance);
    const label = [`${labelNames.instance}=${instance}`];
    const stream = await docker.getEvents({ filters: { type: ['container'], label } });
    return new DockerHome(docker, home.path, instance, await namesOf(docker, instance), stream, () =>
      home.remove(),
    );
  }

  private add(line: string): void {
    const { Action, Actor } = JSON.parse(line) as {
      Action: string;
      Actor: { ID: string; Attributes: Record<string, string> };
    };
    this.events.push({
      action: Action,
      id: Actor.ID,
      name: Actor.Attributes['name'] ?? '',
      labels: Actor.Attributes,
    });
  }

  runDir(runId: string): string {
    return join(homeLayout(this.path).runs, runId);
  }

  /** Events of one action, for example every creation. */
  of(action: string, holds: (event: ContainerEvent) => boolean = () => true): readonly ContainerEvent[] {
    return this.events.filter((event) => event.action === action && holds(event));
  }

  /** Waits for an event that has come or will come. */
  async event(action: string, holds: (event: ContainerEvent) => boolean): Promise<ContainerEvent> {
    const end = performance.now() + limitMs;
    for (;;) {
      const [found] = this.of(action, holds);
      if (found !== undefined) return found;
      if (performance.now() > end) throw new Error(`No container came to "${action}"`);
      await sleep(20);
    }
  }

  /**
   * What there is on the engine of this home, found by its name, its labels or the folders that it sees, and networks and
   * volumes that nobody had before. Empty when nothing was left behind.
   */
  async leftBehind(): Promise<readonly string[]> {
    const containers = (await this.docker.listContainers({ all: true })).filter(
      ({ Names, Labels, Mounts }) =>
        Names.some((name) => name.startsWith(`/twb-${this.instance.slice(0, 6)}-`)) ||
        (Labels[labelNames.instance] === this.instance && !Names.some((name) => this.isDecoy(name))) ||
        Mounts.some(({ Source }) => Source.startsWith(`${this.path}/`)),
    );
    const { networks, volumes } = await namesOf(this.docker, this.instance);
    return [
      ...containers.map(({ Names, State }) => `container ${Names.join(' ')} ${State}`),
      ...networks.filter((id) => !this.before.networks.includes(id)).map((id) => `network ${id}`),
      ...volumes
        .filter((name) => !this.before.volumes.includes(name) && !this.isShared(name))
        .map((name) => `volume ${name}`),
    ];
  }

  /** What every run has of the product stays on an engine of another machine. */
  private isShared(volume: string): boolean {
    return volume.startsWith(`twb-${this.instance.slice(0, 6)}-files-`);
  }

  /** The look-alikes of `createDecoys` are called like this. */
  private isDecoy(name: string): boolean {
    return name.startsWith(`/twb-${this.instance}0-`);
  }

  async close(): Promise<void> {
    (this.stream as NodeJS.ReadableStream & { destroy(): void }).destroy();
    const own = await this.docker.listContainers({
      all: true,
      filters: { label: [`${labelNames.instance}=${this.instance}`] },
    });
    for (const { Id } of own) await this.docker.getContainer(Id).remove({ force: true, v: true });
    const { volumes } = await namesOf(this.docker, this.instance);
    for (const name of volumes) if (this.isShared(name)) await this.docker.getVolume(name).remove();
    await this.removeHome();
  }
}
