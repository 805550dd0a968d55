import { constants } from 'node:fs';
import { type FileHandle, lchown, open, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { RunSpec } from '../../contract/run/run-spec';
import type { ContainerMount } from '../../docker/container-body';
import { makeFolder } from '../../platform/make-folder';
import { requirePlainEntry } from '../../platform/plain-entry';
import type { PlaceRun } from '../place';
import { inputPairs, type PathMap } from './container-paths';

/** What a transfer says, and what ends it. */
export interface FilesListener {
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** How the containers of a run get the files of this machine, and this machine what they write. */
export interface RunFiles {
  /**
   * Before a step of the client: its folder is there, and with it all that it reads. Throws run-folder-unsafe,
   * docker-unreachable.
   * @param again the same step may be there already and is taken up: it keeps the folder that it has.
   */
  openClient(listener: FilesListener, again?: boolean): Promise<readonly ContainerMount[]>;
  /**
   * After it: what it wrote is in the run folder.
   * @param written the one folder of its step that it was told to write to, absolute; null: anywhere in its step and the results.
   */
  collect(written: string | null, listener: FilesListener): Promise<void>;
  /** Before Triton: its model repository. Throws as {@link openClient}. */
  openRepository(repository: string, listener: FilesListener): Promise<ContainerMount>;
  /** Nothing of the run is left with the engine. */
  release(): Promise<void>;
}

interface SharedFilesOptions {
  readonly run: PlaceRun;
  readonly spec: RunSpec;
  readonly resources: string;
  readonly bundles: string;
  readonly paths: PathMap;
  /** User that folders are given to which containers write to; null: they are theirs already. */
  readonly ownerId: number | null;
}

/** Before it is mounted: a link in a run folder would mount what it leads to. Throws run-folder-unsafe. */
async function requirePlainMount(dir: string, path: string): Promise<void> {
  const parts = relative(dir, path).split(sep);
  if (parts[0] === '..') return;
  for (const index of parts.keys()) await requirePlainEntry(join(dir, ...parts.slice(0, index + 1)));
}

const asFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Linux says either of a link that is to be opened as a folder and not followed. */
const noFolder: ReadonlySet<string> = new Set(['ENOTDIR', 'ELOOP']);

/** Something that works in the folder may remove a file between two looks. */
function passOver(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return null;
}

/** null where the folder is missing or gone. */
const folderAt = (path: string): Promise<FileHandle | null> =>
  open(path, asFolder).catch((error: unknown) =>
    noFolder.has((error as NodeJS.ErrnoException).code ?? '') ? null : passOver(error),
  );

/** By what the folder is, not by its path: whoever works in it can put a link in the place of a folder at any moment. */
async function give(folder: FileHandle, uid: number): Promise<void> {
  await folder.chown(uid, uid);
  const here = `/proc/self/fd/${folder.fd}`;
  for (const entry of await readdir(here, { withFileTypes: true })) {
    const path = `${here}/${entry.name}`;
    const below = entry.isDirectory() ? await folderAt(path) : null;
    if (below === null) await lchown(path, uid, uid).catch(passOver);
    else await give(below, uid).finally(() => below.close());
  }
}

/**
 * Gives a folder and all in it to another user; links themselves, not what they point at. What goes in the meantime is
 * passed over, and so is a root that is a link.
 */
export async function chownTree(root: string, uid: number): Promise<void> {
  const folder = await folderAt(root);
  if (folder !== null) await give(folder, uid).finally(() => folder.close());
}

/** An engine of this machine works in the folders themselves. */
export function createSharedFiles(options: SharedFilesOptions): RunFiles {
  const { run, spec, resources, bundles, paths, ownerId } = options;
  const writable = () => [join(run.dir, 'steps', run.step()), join(run.dir, 'results')];
  const mount = (from: string, isWritable: boolean): ContainerMount => ({
    from,
    to: paths.toContainer(from),
    writable: isWritable,
  });
  return {
    openClient: async () => {
      for (const folder of [join(run.dir, 'steps'), ...writable()]) {
        await requirePlainEntry(folder);
        await makeFolder(folder);
      }
      if (ownerId !== null) for (const folder of writable()) await chownTree(folder, ownerId);
      const readOnly = [run.dir, resources, bundles, ...inputPairs(spec).map((pair) => pair.host)];
      // The journal, the specification, the lease and what other steps left stay out of reach.
      return [...readOnly.map((from) => mount(from, false)), ...writable().map((from) => mount(from, true))];
    },
    collect: () => Promise.resolve(),
    openRepository: async (repository) => {
      await requirePlainMount(run.dir, repository);
      return { from: repository, to: '/models', writable: false };
    },
    release: () => Promise.resolve(),
  };
}
