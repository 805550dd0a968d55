import { constants } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileEntry } from '../contract/run/artefacts';
import { type JournalEntry, type StepId, stepIds } from '../contract/run/run-events';
import { contentOf, syncToDisk } from '../platform/files';
import { openPlain, requirePlain } from '../platform/plain-entry';
import type { RunKey } from './run-key';
import { isStepSealed, type SealedContent, stepSeal, trustedFiles } from './run-seals';

/** Concurrent file operations. */
const atOnce = 8;

/** Relative and sorted, without following links. Throws run-folder-unsafe for special files. */
async function walk(root: string): Promise<{ readonly files: string[]; readonly folders: string[] }> {
  const found = { files: [] as string[], folders: [''] };
  // The root may also be a link.
  requirePlain(root, await lstat(root));
  for (const folder of found.folders) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      requirePlain(join(root, path), entry);
      (entry.isDirectory() ? found.folders : found.files).push(path);
    }
  }
  found.files.sort();
  return found;
}

async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

interface Content {
  readonly bytes: number;
  readonly sha256: string;
}

/** Caches hashes: a large model may be hard-linked in several step folders. */
export class ReadContents {
  private readonly known = new Map<string, Content>();

  /** Does not follow links. @param sync fsync first */
  async of(path: string, sync: boolean): Promise<Content> {
    const file = await openPlain(path, constants.O_RDONLY);
    try {
      const { dev, ino, size, mtimeNs } = await file.stat({ bigint: true });
      if (sync) await file.sync();
      const mark = [dev, ino, size, mtimeNs].join(' ');
      const before = this.known.get(mark);
      if (before !== undefined) return before;
      const content = await contentOf(file);
      this.known.set(mark, content);
      return content;
    } finally {
      await file.close();
    }
  }
}

interface ManifestOptions {
  /** Fsync before hashing, so that the manifest survives power failures. */
  readonly sync: boolean;
  readonly contents: ReadContents;
  readonly except: (path: string) => boolean;
}

/** Path, size and hash of every file. Throws run-folder-unsafe for links and special files. */
export async function listContents(root: string, options: ManifestOptions): Promise<readonly FileEntry[]> {
  const { files, folders } = await walk(root);
  const listed = files.filter((path) => !options.except(path));
  const found = new Map<string, Content>();
  await each(listed, async (path) => {
    found.set(path, await options.contents.of(join(root, path), options.sync));
  });
  if (options.sync) await each([...folders].reverse(), (folder) => syncToDisk(join(root, folder)));
  return listed.flatMap((path) => {
    const content = found.get(path);
    return content === undefined ? [] : [{ path, ...content }];
  });
}

/** The first difference in words, or null. */
export async function firstDifference(
  root: string,
  files: readonly FileEntry[],
  { contents, except }: Omit<ManifestOptions, 'sync'>,
): Promise<string | null> {
  if ((await lstat(root).catch(() => null))?.isDirectory() !== true) return 'its folder is missing';
  const wanted = new Map(files.map((file) => [file.path, file]));
  const found = await walk(root);
  const extra = found.files.find((path) => !wanted.has(path) && !except(path));
  if (extra !== undefined) return `${extra} was added`;
  const there = new Set(found.files);
  for (const { path, bytes, sha256 } of files) {
    if (!there.has(path)) return `${path} is missing`;
    if (except(path)) continue;
    const content = await contents.of(join(root, path), false);
    if (content.bytes !== bytes) return `${path} has ${content.bytes} bytes, not ${bytes}`;
    if (content.sha256 !== sha256) return `the content of ${path} changed`;
  }
  return null;
}

interface Vouched {
  /** Key of the step's inputs; null: trusted manually, regardless of inputs. */
  readonly key: string | null;
  readonly files: readonly FileEntry[];
}

/** Verified files per step: sealed by this home or trusted by its user. */
export class StepManifests {
  private readonly vouched = new Map<StepId, Vouched>();

  constructor(
    private readonly key: RunKey,
    private readonly runId: string,
  ) {}

  /** Reads manifests from a journal; ignores unsealed ones. */
  async read(content: SealedContent): Promise<this> {
    const { entries } = content;
    const trusted = await trustedFiles(this.key, content);
    const trustedAt = entries.findLast(({ type }) => type === 'run-trusted')?.seq ?? 0;
    if (trusted !== null) this.takeTrusted(trusted);
    for (const entry of entries) if (trusted === null || entry.seq > trustedAt) await this.take(entry);
    return this;
  }

  /** null if unverified for these inputs. */
  of(step: StepId, key: string): readonly FileEntry[] | null {
    const found = this.vouched.get(step);
    return found !== undefined && (found.key === null || found.key === key) ? found.files : null;
  }

  /** Seals synced files. @returns the fields of `step-finished` */
  async sealed(
    step: StepId,
    key: string,
    files: readonly FileEntry[],
  ): Promise<{ readonly files: FileEntry[]; readonly seal: string }> {
    const seal = await stepSeal(this.key, { runId: this.runId, step, key, files });
    this.vouched.set(step, { key, files });
    return { files: [...files], seal };
  }

  private takeTrusted(files: readonly FileEntry[]): void {
    for (const step of stepIds) {
      const below = `steps/${step}/`;
      const own = files.filter(({ path }) => path.startsWith(below));
      if (own.length === 0) continue;
      const inStep = own.map((file) => ({ ...file, path: file.path.slice(below.length) }));
      this.vouched.set(step, { key: null, files: inStep });
    }
  }

  private async take(entry: JournalEntry): Promise<void> {
    if (entry.type !== 'step-finished') return;
    const { step, key, files, seal } = entry;
    const isSealed =
      files !== undefined && (await isStepSealed(this.key, { runId: this.runId, step, key, files }, seal));
    if (isSealed) this.vouched.set(step, { key, files });
    else this.vouched.delete(step);
  }
}
