import { constants, type Dirent, type Stats } from 'node:fs';
import { type FileHandle, lchown, lstat, open, readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import { innerPathSchema, type RunSpec } from '../../contract/run/run-spec';
import type { ContainerMount } from '../../docker/container-body';
import { makeFolder } from '../../platform/files';
import { requirePlainEntry } from '../../platform/plain-entry';
import type { ExecutorRun } from '../engine';

/** A folder or file of this machine and where a container sees it. */
interface PathPair {
  readonly host: string;
  readonly container: string;
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** The names as whole paths: not "/workbench/runner" or "/workbench/run.old", but "/workbench/run" before a full stop. */
const wholePaths = (names: readonly string[]) =>
  new RegExp(`(?<![\\w-])(?:${names.map(escapeRegExp).join('|')})(?![\\w-]|\\.\\w)`, 'g');

const holds = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);

/** Translates paths between this machine and a container; pure. Longer paths win over the folders that they are in. */
export class PathMap {
  private readonly pairs: readonly PathPair[];
  private readonly toHostOf: ReadonlyMap<string, string>;
  private readonly named: RegExp;

  constructor(pairs: readonly PathPair[]) {
    this.pairs = [...pairs].sort((a, b) => b.host.length - a.host.length);
    this.toHostOf = new Map(pairs.map((pair) => [pair.container, pair.host]));
    this.named = wholePaths([...this.toHostOf.keys()]);
  }

  /** A text that is a path below a mapped one; any other text as it is. */
  toContainer(text: string): string {
    const pair = this.pairs.find((candidate) => holds(candidate.host, text));
    return pair === undefined ? text : `${pair.container}${text.slice(pair.host.length)}`;
  }

  /** Every mapped path that the text mentions, as this machine knows it. */
  toHost(text: string): string {
    // In one pass: what a path of this machine looks like is not looked into.
    return text.replace(this.named, (name) => this.toHostOf.get(name) ?? name);
  }
}

/** A path with a name of its own: "/" would be the whole machine, and a relative one whatever folder this process is in. */
function requireNamed(field: string, path: string): void {
  if (isAbsolute(path) && !path.includes('\0') && resolve(path) !== '/') return;
  throw new WorkbenchError('spec-invalid', `${JSON.stringify(path)} cannot be mounted into a container`, {
    where: field,
    remedy: 'Use the absolute path of a file or folder.',
  });
}

/** Weights beside a model file. The schema says the same of a specification; this holds for every caller. */
function requireInner(path: string): void {
  if (innerPathSchema.safeParse(path).success) return;
  throw new WorkbenchError('spec-invalid', `${JSON.stringify(path)} is not in the model folder`, {
    where: 'model.source.externalFiles',
    remedy: 'Put the weights file beside the model, and open the model again.',
  });
}

/** An own model, and the weights beside its file. */
function sourcePairs({ source }: RunSpec['model']): PathPair[] {
  if (source === undefined) return [];
  requireNamed('model.source.path', source.path);
  for (const file of source.externalFiles) requireInner(file);
  const inside = '/workbench/input/model';
  const files = [basename(source.path), ...source.externalFiles];
  return files.map((file) => ({ host: join(dirname(source.path), file), container: `${inside}/${file}` }));
}

/** The user's own model, weights and data set, where they are given. Throws spec-invalid for a place outside of them. */
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
  /** `resources` of the product. */
  readonly resources: string;
  /** Folder of the product's bundles. */
  readonly bundles: string;
  readonly spec: Pick<RunSpec, 'model'>;
}

/** What a run's containers see of this machine, and where. */
export function containerPaths(input: ContainerPathsInput): PathMap {
  return new PathMap([
    { host: input.runDir, container: '/workbench/run' },
    { host: input.resources, container: '/workbench/resources' },
    { host: input.bundles, container: '/workbench/app' },
    ...inputPairs(input.spec),
  ]);
}

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
  readonly run: ExecutorRun;
  readonly spec: Pick<RunSpec, 'model'>;
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

/** null where it is gone, and for a link or, as a folder, anything else. */
const openAt = (path: string, flags: number): Promise<FileHandle | null> =>
  open(path, flags).catch((error: unknown) =>
    noFolder.has((error as NodeJS.ErrnoException).code ?? '') ? null : passOver(error),
  );
const folderAt = (path: string): Promise<FileHandle | null> => openAt(path, asFolder);

/** What is done with an open folder, and with the path of anything else in it. */
interface Treatment {
  folder(folder: FileHandle): Promise<void>;
  other(path: string, entry: Dirent): Promise<void>;
}

/**
 * Treats an open folder and all in it, and closes it. By what the folder is, not by its path: whoever works in it can put a
 * link in the place of a folder at any moment.
 */
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

/**
 * Gives a folder and all in it to another user; links themselves, not what they point at. What goes in the meantime is
 * passed over, and so is a root that is a link.
 */
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

/** Whether others than its group may not read what root wrote. */
const isHidden = ({ uid, mode }: Pick<Stats, 'uid' | 'mode'>, others: number): boolean =>
  uid === 0 && (mode & others) !== others;

/** Lets a group read an open file or folder of root; leaves it open. */
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

/**
 * Lets a group read what root wrote under a umask that hides it from others: the folder, and with `deep` all in it. Nobody
 * else gets to read it, and the group cannot write. A root that is a link is passed over.
 */
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

/** An engine of this machine works in the folders themselves. */
export function createSharedFiles(options: SharedFilesOptions): RunFiles {
  const { run, spec, resources, bundles, paths, ownerId } = options;
  const writable = () => [join(run.dir, 'steps', run.step()), join(run.dir, 'results')];
  const mount = (from: string, isWritable: boolean): ContainerMount => ({
    from,
    to: paths.toContainer(from),
    writable: isWritable,
  });
  /** Steps whose folders need no further look. */
  const shared = new Set<string>();
  /** The containers' user reads what the steps before left, whatever the umask of root was, or is now. */
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
      // The journal, the specification, the lease and what other steps left stay out of reach.
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
