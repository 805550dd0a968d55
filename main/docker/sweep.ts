import type { DockerClient } from './client';
import { removeContainer } from './container-life';
import type { OwnContainer } from './list-containers';
import { listContainers } from './list-containers';

/** Removals at a time: an engine does several, and takes about 300 ms for one that runs. */
const together = 4;

export interface Sweep {
  /** Names. */
  readonly removed: readonly string[];
  /** Names of orphans that are still there. */
  readonly left: readonly string[];
}

/**
 * Removes the orphans among the containers of a workbench home; nothing is touched that the list of its own did not
 * give. One that cannot be removed keeps none of the others. A last list says what is left: what could not be removed,
 * and what became an orphan in the meantime. Throws when the engine gives no list.
 */
export async function sweepContainers(
  client: DockerClient,
  instance: string,
  isOrphan: (container: OwnContainer) => boolean | Promise<boolean>,
  signal?: AbortSignal,
): Promise<Sweep> {
  const orphans = async () => {
    const own = await listContainers(client, instance, { signal });
    const orphaned = await Promise.all(own.map(async (container) => isOrphan(container)));
    return own.filter((_container, index) => orphaned[index]);
  };
  const found = await orphans();
  for (let start = 0; start < found.length; start += together) {
    const some = found.slice(start, start + together);
    await Promise.allSettled(some.map(({ info }) => removeContainer(client, info.id, { signal })));
  }
  const left = await orphans();
  const still = new Set(left.map(({ info }) => info.id));
  return {
    removed: found.filter(({ info }) => !still.has(info.id)).map(({ info }) => info.name),
    left: left.map(({ info }) => info.name),
  };
}
