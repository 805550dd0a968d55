import { constants } from 'node:fs';
import { lstat, readdir, realpath, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { WorkbenchError } from '../contract/errors';
import { jobName } from '../contract/job/run-job';
import type { Environment } from '../contract/measured/results';
import { runIdPattern } from '../contract/opened';
import type { ImportSource } from '../contract/run/imported';
import type { RunContent } from '../contract/run/run-content';
import type { JournalBody, JournalEntry, MatrixMark, RunCreated } from '../contract/run/run-events';
import type { RunList } from '../contract/run/run-outcome';
import type { RunSpec } from '../contract/run/run-spec';
import type { RunState } from '../contract/run/run-state';
import { servedName, type ServerLoad } from '../contract/run/server-load';
import { present } from '../contract/trees';
import {
  exists,
  hashValue,
  makeFolder,
  syncToDisk,
  temporaryBeside,
  writeFileAtomic,
} from '../platform/files';
import { fileError, openPlain, readBoundedFile } from '../platform/plain-entry';
import { type JobStatusReader,withCurrentStatus } from './current-status';
import { acquireLease, holderText, leaseHolder } from './file-lease';
import { StepManifests } from './file-manifest';
import { type JournalContent, JournalWriter, readContent, stateIn } from './journal';
import { readLogTail } from './run-files';
import { newRunId, type RunFolder, runFolder } from './run-folder';
import { holdsRun, requireSameRun, type RunKey } from './run-key';
import { type ListedRuns, RunRows } from './run-rows';
import {
  hashOfSpecification,
  originOf,
  requireCreated,
  sealedChange,
  sealedCreation,
  sealedTrust,
  type SpecChanged,
} from './run-seals';

interface StoredRun {
  readonly folder: RunFolder;
  readonly state: RunState;
}

/** Makes the folder so that a power cut does not take it away. */
async function makeLasting(dir: string): Promise<void> {
  for (const made of await makeFolder(dir)) await syncToDisk(dirname(made));
}

/** An empty file; no link in its place is followed. Throws run-folder-unsafe. */
async function leaveRequest(path: string): Promise<void> {
  await (await openPlain(path, constants.O_WRONLY | constants.O_CREAT)).close();
}

const mostSpecBytes = 8 * 2 ** 20;

const specText = (spec: RunSpec): string =>
  '# The specification of this run as it is valid now. The journal is the source: change it with\n' +
  `#   resume <run-id> --set KEY=VALUE\n${stringify(spec)}`;

/** Run folders under `runsDir`; a run elsewhere (`--out`) stands there as a link. The folders are the truth. */
export class RunStore {
  private readonly rows: RunRows;

  constructor(
    /** A folder or a link for each run. */
    readonly runsDir: string,
    private readonly key: RunKey,
    /** Of runs that were handed to jobs. */
    private readonly jobs: JobStatusReader = { readStatuses: () => Promise.resolve(new Map()) },
  ) {
    this.rows = new RunRows(key, jobs);
  }

  /** Creates the folder, `run.yaml` and the journal's first line. */
  create(
    spec: RunSpec,
    environment: Environment,
    out?: string,
    { matrix }: { readonly matrix?: MatrixMark | undefined } = {},
  ): Promise<StoredRun> {
    const what = `${spec.model.preset}-${spec.format}-${spec.precision}`;
    return this.make(
      what,
      (runId) => ({
        type: 'run-created',
        runId,
        spec,
        specHash: hashValue(spec),
        environment,
        ...present({ matrix }),
      }),
      out,
      // Of other runs there is nothing to run again.
      (folder) => writeFileAtomic(folder.spec, specText(spec)),
    );
  }

  /** The same of a run that measures a Triton which is there already. */
  createOfServer(onServer: ServerLoad, environment: Environment): Promise<StoredRun> {
    return this.make(`${servedName(onServer)}-perf`, (runId) => ({
      type: 'run-created',
      runId,
      onServer,
      environment,
    }));
  }

  /** The same of figures from a file. */
  createImported(imported: ImportSource, model: string, environment: Environment): Promise<StoredRun> {
    return this.make(`${model}-imported`, (runId) => ({
      type: 'run-created',
      runId,
      imported,
      model,
      environment,
    }));
  }

  /** @param what in the run's id. */
  private async make(
    what: string,
    created: (runId: string) => RunCreated,
    out?: string,
    write: (folder: RunFolder) => Promise<void> = () => Promise.resolve(),
  ): Promise<StoredRun> {
    const runId = newRunId(what, new Date());
    const named = join(this.runsDir, runId);
    // Under its name it is there whole or not at all: a creation that is cut short leaves no run that cannot be read.
    const dir = out === undefined ? temporaryBeside(join(this.runsDir, `.${runId}`)) : resolve(out);
    const folder = runFolder(dir);
    try {
      await makeLasting(dir);
      if (out !== undefined) {
        if ((await readdir(dir)).length > 0) {
          throw new WorkbenchError('run-folder-exists', `${dir} is not empty`, { where: '--out' });
        }
        await makeLasting(this.runsDir);
      }
      await write(folder);
      await this.begin(folder, created(runId));
      await (out === undefined ? rename(dir, named) : symlink(dir, named));
      await syncToDisk(this.runsDir);
    } catch (error) {
      if (out === undefined) await rm(dir, { recursive: true, force: true }).catch(() => undefined);
      throw fileError(error, dir);
    }
    return this.load(runId);
  }

  /** The journal's first line. */
  private async begin(folder: RunFolder, created: RunCreated): Promise<void> {
    const { writer } = await JournalWriter.open(folder.journal);
    try {
      await writer.append(await sealedCreation(this.key, created));
    } finally {
      await writer.close();
    }
  }

  async folderOf(runId: string): Promise<RunFolder> {
    const dir = join(this.runsDir, runId);
    if (!runIdPattern.test(runId) || !(await exists(dir))) {
      throw new WorkbenchError('run-unknown', `Unknown run "${runId}"`);
    }
    return runFolder(await realpath(dir));
  }

  /** What a journal says, with where the run is from. Throws journal-corrupt. */
  async stateOf(content: JournalContent, path: string): Promise<RunState> {
    const state = stateIn(content, path);
    return { ...state, origin: await originOf(this.key, content) };
  }

  /** What this home vouches for of the files that the run's steps left. */
  manifestsOf(content: JournalContent, runId: string): Promise<StepManifests> {
    return new StepManifests(this.key, runId).read(content);
  }

  /** SHA-256 (hex) of the records that say what the run is. Throws journal-corrupt where the first is damaged. */
  async specificationHash(folder: RunFolder): Promise<string> {
    const { first, changes } = await readContent(folder);
    return hashOfSpecification(requireCreated(first, folder.journal), changes);
  }

  /** A change of this specification, with this home's proof of it. Throws journal-corrupt. */
  sealedChange({ first, changes }: JournalContent, path: string, change: SpecChanged): Promise<SpecChanged> {
    return sealedChange(this.key, hashOfSpecification(requireCreated(first, path), changes), change);
  }

  /**
   * Writes run.yaml where it is not what the journal says: after a change, and where a crash came between the two. To be
   * called by whoever holds the run's lease.
   */
  async keepSpecFile({ spec: path }: RunFolder, spec: RunSpec): Promise<void> {
    const text = specText(spec);
    const found = await readBoundedFile(path, mostSpecBytes);
    if (!('text' in found) || found.text !== text) await writeFileAtomic(path, text);
  }

  /**
   * Journals that these files of a run from elsewhere are trusted. Throws input-invalid when its specification is not the
   * one that was looked at, and run-busy.
   */
  async trust(
    runId: string,
    { created, files }: Pick<RunContent, 'created' | 'files'>,
  ): Promise<JournalEntry> {
    return this.appending(runId, async (writer, { first, changes }, path) => {
      const specification = hashOfSpecification(requireCreated(first, path), changes);
      if (specification !== created) {
        const remedy = 'Check the run again before you trust it.';
        throw new WorkbenchError('input-invalid', 'The run changed in the meantime', { where: path, remedy });
      }
      return writer.append(await sealedTrust(this.key, specification, files));
    });
  }

  /** State from the journal; a run that nobody works on and that has no outcome is `interrupted`. */
  async load(runId: string): Promise<StoredRun> {
    const folder = await this.folderOf(runId);
    const state = await this.stateOf(await readContent(folder), folder.journal);
    requireSameRun(state.runId, runId, folder.dir);
    return { folder, state: await withCurrentStatus(state, folder.dir, this.jobs) };
  }

  /** Run id -> real folder, of every run whose folder is there. */
  async runDirs(): Promise<ReadonlyMap<string, string>> {
    const dirs = new Map<string, string>();
    if (!(await exists(this.runsDir))) return dirs;
    const real = await realpath(this.runsDir);
    const entries = (await readdir(real, { withFileTypes: true })).filter(({ name }) =>
      runIdPattern.test(name),
    );
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(real, entry.name);
      // Most are folders of their own: there is a link in their place only for a run that is elsewhere.
      const dir = entry.isSymbolicLink() ? await realpath(path).catch(() => null) : path;
      if (dir !== null) dirs.set(entry.name, dir);
    }
    return dirs;
  }

  /** Newest first. Of a journal that has not grown since, the row that was kept beside it is taken. */
  async list(): Promise<ListedRuns> {
    return this.rows.list(await this.runDirs());
  }

  /** The same without waiting for rows that must be made anew, but for the newest few. */
  async listAtHand(): Promise<RunList> {
    return this.rows.atHand(await this.runDirs());
  }

  /** Makes anew, newest first, each row that must be; `onMade` hears of each. */
  async makeRows(signal: AbortSignal, onMade: () => void): Promise<void> {
    await this.rows.make(await this.runDirs(), signal, onMade);
  }

  /**
   * Asks the process that works on the run to cancel it; the holder looks for the file twice a second.
   * Throws input-invalid when nobody works on it.
   */
  async requestCancel(runId: string): Promise<void> {
    const folder = await this.worked(runId, 'cancel');
    await leaveRequest(folder.cancelRequest);
  }

  /**
   * Asks the process that works on the run to stop before the next level or step; it looks twice a second.
   * Throws input-invalid when nobody works on it.
   */
  async requestPause(runId: string): Promise<void> {
    const folder = await this.worked(runId, 'pause');
    await leaveRequest(folder.pauseRequest);
  }

  /** The folder of a run that somebody works on. */
  private async worked(runId: string, what: 'cancel' | 'pause'): Promise<RunFolder> {
    const folder = await this.folderOf(runId);
    if ((await leaseHolder(folder.dir)) !== null) return folder;
    throw new WorkbenchError('input-invalid', `The run is not in progress: there is nothing to ${what}`, {
      where: runId,
      remedy: 'Continue a run with the command "resume".',
    });
  }

  /** Adds to the journal of a run that nobody works on. Throws run-busy while somebody does. */
  async append(runId: string, body: JournalBody): Promise<JournalEntry> {
    return this.appending(runId, (writer) => writer.append(body));
  }

  /** The same for many entries, in their order: the journal is read once. */
  async appendAll(runId: string, bodies: readonly JournalBody[]): Promise<void> {
    await this.appending(runId, async (writer) => {
      for (const body of bodies) await writer.append(body);
    });
  }

  private async appending<Result>(
    runId: string,
    write: (writer: JournalWriter, content: JournalContent, path: string) => Promise<Result>,
  ): Promise<Result> {
    const folder = await this.folderOf(runId);
    const release = await acquireLease(folder.dir);
    try {
      const { writer, content } = await JournalWriter.open(folder.journal);
      try {
        return await write(writer, content, folder.journal);
      } finally {
        await writer.close();
      }
    } finally {
      await release();
    }
  }

  /** Last `limit` lines of a step's log; none when the step has not written any. */
  async logTail(runId: string, step: Parameters<RunFolder['log']>[0], limit: number): Promise<string[]> {
    return readLogTail((await this.folderOf(runId)).log(step), limit);
  }

  /** Throws run-busy where a job is about to work on the run, which nobody holds until then. */
  async requireNoJob(runId: string): Promise<void> {
    // One that cannot be read has none that could.
    const state = (await this.load(runId).catch(() => null))?.state;
    if (state?.status !== 'running' || state.job === null) return;
    throw new WorkbenchError('run-busy', `The run is handed to ${jobName(state.job)}`, {
      where: runId,
      remedy: 'Cancel the run first.',
    });
  }

  /**
   * Removes the folder (also one outside, behind its link, if it is the folder of this run). Throws run-busy while
   * somebody works on it, and run-unknown for a link to anything else: nothing is deleted then.
   */
  async remove(runId: string): Promise<void> {
    const folder = await this.folderOf(runId);
    await this.requireNoJob(runId);
    const named = join(this.runsDir, runId);
    if ((await lstat(named)).isSymbolicLink() && !(await holdsRun(folder.dir, runId))) {
      throw new WorkbenchError('run-unknown', `${named} is a link to ${folder.dir}, which is not this run`, {
        where: named,
        remedy: 'Remove the link. Nothing was deleted behind it.',
      });
    }
    const holder = await leaseHolder(folder.dir);
    if (holder !== null) {
      throw new WorkbenchError('run-busy', `${holderText(holder)} is working on this run`, { where: runId });
    }
    await rm(folder.dir, { recursive: true, force: true });
    await rm(named, { recursive: true, force: true });
  }
}
