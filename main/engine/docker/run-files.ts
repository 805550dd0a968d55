import { constants, type Dirent, type Stats } from 'node:fs';
import { type FileHandle, lchown, lstat, open, readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import { innerPathSchema, type RunSpec } from '../../contract/run/run-spec';
import type { ContainerMount } from '../../docker/container-body';
import { makeFolder } from '../../platform/files';
import { requirePlainEntry } from '../../platform/plain-entry';
import type { ExecutorRun } from '../engine';

/** A local path and its container path. */
interface PathPair {
  readonly host: string;
  readonly container: string;
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** Matches whole paths: not "/workbench/runner" or "/workbench/run.old", but "/workbench/run" before a full stop. */
const wholePaths = (names: readonly string[]) =>
  new RegExp(`(?<![\\w-])(?:${names.map(escapeRegExp).join('|')})(?![\\w-]|\\.\\w)`, 'g');

const holds = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);

/** Translates between local and container paths; the longest match wins. */
export class PathMap {
  private readonly pairs: readonly PathPair[];
  private readonly toHostOf: ReadonlyMap<string, string>;
  private readonly named: RegExp;

  constructor(pairs: readonly PathPair[]) {
    this.pairs = [...pairs].sort((a, b) => b.host.length - a.host.length);
    this.toHostOf = new Map(pairs.map((pair) => [pair.container, pair.host]));
    this.named = wholePaths([...this.toHostOf.keys()]);
  }

  /** Text that is not below a mapped path stays as it is. */
  toContainer(text: string): string {
    const pair = this.pairs.find((candidate) => holds(candidate.host, text));
    return pair === undefined ? text : `${pair.container}${text.slice(pair.host.length)}`;
  }

  /** Translates every mapped path in the text. */
  toHost(text: string): string {
    // In one pass, so that translated paths are not translated again.
    return text.replace(this.named, (name) => this.toHostOf.get(name) ?? name);
  }
}

/** Rejects "/", which would map the whole machine, and relative paths. */
function requireNamed(field: string, path: string): void {
  if (isAbsolute(path) && !path.includes('\0') && resolve(path) !== '/') return;
  throw new WorkbenchError('spec-invalid', `${JSON.stringify(path)} cannot be mounted into a container`, {
    where: field,
    remedy: 'Use the absolute path of a file or folder.',
  });
}

/** Weights beside a model file. The schema checks specifications; this checks every caller. */
function requireInner(path: string): void {
  if (innerPathSchema.safeParse(path).success) return;
  throw new WorkbenchError('spec-invalid', `${JSON.stringify(path)} is not in the model folder`, {
    where: 'model.source.externalFiles',
    remedy: 'Put the weights file beside the model, and open the model again.',
  });
}

/** The user's model, and weights beside its file. */
function sourcePairs({ source }: RunSpec['model']): PathPair[] {
  // A repository is copied into the run before its containers start.
  if (source === undefined || source.repository !== undefined) return [];
  requireNamed('model.source.path', source.path);
  for (const file of source.externalFiles) requireInner(file);
  const inside = '/workbench/input/model';
  const files = [basename(source.path), ...source.externalFiles];
  return files.map((file) => ({ host: join(dirname(source.path), file), container: `${inside}/${file}` }));
}

/** The user's model, weights and data set, if given. Throws spec-invalid for a path outside of them. */
export function inputPairs({ model }: Pick<RunSpec, 'model'>): PathPair[] {
  const { checkpoint, dataset } = model;
  const pair = (kind: string, host: string | undefined): PathPair[] => {
    if (host === undefined) return [];
    requireNamed(`model.${kind}`, host);
    return [{ host, container: `/workbench/input/${kind}/${basename(host)}` }];
  };
  return [...sourcePairs(model), ...pair('checkpoint', checkpoint), ...pair('dataset', dataset)];
}

interface ContainerPathsInput {
  readonly runDir: string;
  readonly resources: string;
  readonly bundles: string;
  readonly spec: Pick<RunSpec, 'model'>;
}

/** Every path that the run's containers see. */
export function containerPaths(input: ContainerPathsInput): PathMap {
  return new PathMap([
    { host: input.runDir, container: '/workbench/run' },
    { host: input.resources, container: '/workbench/resources' },
    { host: input.bundles, container: '/workbench/app' },
    ...inputPairs(input.spec),
  ]);
}

/** Progress and cancellation of a transfer. */
export interface FilesListener {
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Makes files available to a run's containers, and collects what they write. */
export interface RunFiles {
  /**
   * Before a client step: provides its folder and inputs. Throws run-folder-unsafe, docker-unreachable.
   * @param again the step may be running already and keeps its folder
   */
  openClient(listener: FilesListener, again?: boolean): Promise<readonly ContainerMount[]>;
  /** After a client step. @param written the only folder it may write to, absolute; null: its step and the results */
  collect(written: string | null, listener: FilesListener): Promise<void>;
  /** Before Triton starts. Throws as {@link openClient}. */
  openRepository(repository: string, listener: FilesListener): Promise<ContainerMount>;
  /** Removes the run's files from the engine. */
  release(): Promise<void>;
}

interface SharedFilesOptions {
  readonly run: ExecutorRun;
  readonly spec: Pick<RunSpec, 'model'>;
  readonly resources: string;
  readonly bundles: string;
  readonly paths: PathMap;
  /** Owner for writable folders; null: unchanged. */
  readonly ownerId: number | null;
}

/** Docker would follow a link in a run folder. Throws run-folder-unsafe. */
async function requirePlainMount(dir: string, path: string): Promise<void> {
  const parts = relative(dir, path).split(sep);
  if (parts[0] === '..') return;
  for (const index of parts.keys()) await requirePlainEntry(join(dir, ...parts.slice(0, index + 1)));
}

const asFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Linux reports either for a link opened with O_DIRECTORY and O_NOFOLLOW. */
const noFolder: ReadonlySet<string> = new Set(['ENOTDIR', 'ELOOP']);

/** Files may vanish while the folder is in use. */
function passOver(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return null;
}

/** null if it is gone or is not of the requested type. */
const openAt = (path: string, flags: number): Promise<FileHandle | null> =>
  open(path, flags).catch((error: unknown) =>
    noFolder.has((error as NodeJS.ErrnoException).code ?? '') ? null : passOver(error),
  );
const folderAt = (path: string): Promise<FileHandle | null> => openAt(path, asFolder);

/** Visits folders by handle, and other entries by path. */
interface Treatment {
  folder(folder: FileHandle): Promise<void>;
  other(path: string, entry: Dirent): Promise<void>;
}

/** Walks by open handles, because a container may replace a folder by a link at any moment. */
async function treat(folder: FileHandle, by: Treatment): Promise<void> {
  try {
    await by.folder(folder);
    const here = `/proc/self/fd/${folder.fd}`;
    for (const entry of await readdir(here, { withFileTypes: true })) {
      const path = `${here}/${entry.name}`;
      const below = entry.isDirectory() ? await folderAt(path) : null;
      if (below === null) await by.other(path, entry);
      else await treat(below, by);
    }
  } finally {
    await folder.close();
  }
}

/** Changes the owner of a tree without following links, and skips vanished entries. */
export async function chownTree(root: string, uid: number): Promise<void> {
  const folder = await folderAt(root);
  if (folder === null) return;
  await treat(folder, {
    folder: (one) => one.chown(uid, uid),
    other: async (path) => {
      await lchown(path, uid, uid).catch(passOver);
    },
  });
}

const asFile = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Whether the owner is root and the group cannot read. */
const isHidden = ({ uid, mode }: Pick<Stats, 'uid' | 'mode'>, others: number): boolean =>
  uid === 0 && (mode & others) !== others;

/** Makes a handle of root readable for a group; leaves it open. */
async function openUp(entry: FileHandle, gid: number): Promise<void> {
  const found = await entry.stat();
  const others = found.isDirectory() ? 0o005 : 0o004;
  if (!isHidden(found, others)) return;
  await entry.chown(0, gid);
  await entry.chmod((found.mode & 0o777) | (others << 3));
}

async function openUpFile(path: string, gid: number): Promise<void> {
  const found = await lstat(path).catch(passOver);
  const file = found !== null && isHidden(found, 0o004) ? await openAt(path, asFile) : null;
  try {
    if (file !== null) await openUp(file, gid);
  } finally {
    await file?.close();
  }
}

/** Makes root's files group-readable despite a strict umask, with `deep` recursively. Skips a root that is a link. */
export async function shareTree(root: string, gid: number, deep: boolean): Promise<void> {
  const folder = await folderAt(root);
  if (folder === null) return;
  if (deep) {
    await treat(folder, {
      folder: (one) => openUp(one, gid),
      other: async (path, entry) => {
        if (entry.isFile()) await openUpFile(path, gid);
      },
    });
    return;
  }
  try {
    await openUp(folder, gid);
  } finally {
    await folder.close();
  }
}

/** Local engines mount the folders themselves. */
export function createSharedFiles(options: SharedFilesOptions): RunFiles {
  const { run, spec, resources, bundles, paths, ownerId } = options;
  const writable = () => [join(run.dir, 'steps', run.step()), join(run.dir, 'results')];
  const mount = (from: string, isWritable: boolean): ContainerMount => ({
    from,
    to: paths.toContainer(from),
    writable: isWritable,
  });
  /** Steps that are shared already. */
  const shared = new Set<string>();
  /** Earlier steps stay readable for the containers' user whatever root's umask is. */
  const shareRun = async (gid: number): Promise<void> => {
    const steps = join(run.dir, 'steps');
    for (const folder of [run.dir, steps]) await shareTree(folder, gid, false);
    for (const step of await readdir(steps)) {
      if (step === run.step() || shared.has(step)) continue;
      await shareTree(join(steps, step), gid, true);
      shared.add(step);
    }
  };
  return {
    openClient: async () => {
      for (const folder of [join(run.dir, 'steps'), ...writable()]) {
        await requirePlainEntry(folder);
        await makeFolder(folder);
      }
      if (ownerId !== null) {
        for (const folder of writable()) await chownTree(folder, ownerId);
        await shareRun(ownerId);
      }
      const readOnly = [run.dir, resources, bundles, ...inputPairs(spec).map((pair) => pair.host)];
      // Journal, specification, lease and other steps are not mounted.
      return [...readOnly.map((from) => mount(from, false)), ...writable().map((from) => mount(from, true))];
    },
    collect: () => Promise.resolve(),
    openRepository: async (repository) => {
      await requirePlainMount(run.dir, repository);
      if (ownerId !== null) await shareRun(ownerId);
      return { from: repository, to: '/models', writable: false };
    },
    release: () => Promise.resolve(),
  };
}
