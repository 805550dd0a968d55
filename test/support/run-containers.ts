import { RunContainers } from '../../main/engine/docker/run-containers';
import { createSharedFiles } from '../../main/engine/docker/run-files';

export const quietFiles = { signal: new AbortController().signal, say: () => undefined };

/** The containers of a run with an engine of this machine, and the files that they have. */
export function containersHere(options: ConstructorParameters<typeof RunContainers>[0]) {
  const containers = new RunContainers(options);
  const { paths, ownerId } = containers;
  return { containers, files: createSharedFiles({ ...options, paths, ownerId }) };
}
