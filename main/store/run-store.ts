import { constants } from 'node:fs';
import { lstat, readdir, realpath, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
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
import { type JobStatusReader, withCurrentStatus } from './current-status';
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

/** Durable. */
async function makeLasting(dir: string): Promise<void> {
  for (const made of await makeFolder(dir)) await syncToDisk(dirname(made));
}

/** Creates an empty file without following links. Throws run-folder-unsafe. */
async function leaveRequest(path: string): Promise<void> {
  await (await openPlain(path, constants.O_WRONLY | constants.O_CREAT)).close();
}

const mostSpecBytes = 8 * 2 ** 20;

/** The YAML writer is loaded only here: lists and pages need none. */
const specText = async (spec: RunSpec): Promise<string> =>
  '# The specification of this run as it is valid now. The journal is the source: change it with\n' +
  `#   resume <run-id> --set KEY=VALUE\n${(await import('yaml')).stringify(spec)}`;

/** Run folders below `runsDir`; external runs (`--out`) are links. */
export class RunStore {
  private readonly rows: RunRows;

  constructor(
    /** One folder or link per run. */
    readonly runsDir: string,
    private readonly key: RunKey,
    /** Scheduler states for runs with jobs. */
    private readonly jobs: JobStatusReader = { readStatuses: () => Promise.resolve(new Map()) },
  ) {
    this.rows = new RunRows(key, jobs);
  }

  /** Creates folder, `run.yaml` and the first record. */
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
      // Only deployed runs have a specification.
      async (folder) => writeFileAtomic(folder.spec, await specText(spec)),
    );
  }

  createOfServer(onServer: ServerLoad, environment: Environment): Promise<StoredRun> {
    return this.make(`${servedName(onServer)}-perf`, (runId) => ({
      type: 'run-created',
      runId,
      onServer,
      environment,
    }));
  }

  createImported(imported: ImportSource, model: string, environment: Environment): Promise<StoredRun> {
    return this.make(`${model}-imported`, (runId) => ({
      type: 'run-created',
      runId,
      imported,
      model,
      environment,
    }));
  }

  /** @param what part of the run's id */
  private async make(
    what: string,
    created: (runId: string) => RunCreated,
    out?: string,
    write: (folder: RunFolder) => Promise<void> = () => Promise.resolve(),
  ): Promise<StoredRun> {
    const runId = newRunId(what, new Date());
    const named = join(this.runsDir, runId);
    // Renamed when complete, so that no partial run appears.
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

  /** State with origin. Throws journal-corrupt. */
  async stateOf(content: JournalContent, path: string): Promise<RunState> {
    const state = stateIn(content, path);
    return { ...state, origin: await originOf(this.key, content) };
  }

  /** Verified manifests of the run's steps. */
  manifestsOf(content: JournalContent, runId: string): Promise<StepManifests> {
    return new StepManifests(this.key, runId).read(content);
  }

  /** SHA-256 (hex) of creation and changes. Throws journal-corrupt if the first record is damaged. */
  async specificationHash(folder: RunFolder): Promise<string> {
    const { first, changes } = await readContent(folder);
    return hashOfSpecification(requireCreated(first, folder.journal), changes);
  }

  /** Adds this home's seal to a change. Throws journal-corrupt. */
  sealedChange({ first, changes }: JournalContent, path: string, change: SpecChanged): Promise<SpecChanged> {
    return sealedChange(this.key, hashOfSpecification(requireCreated(first, path), changes), change);
  }

  /** Rewrites run.yaml from the journal if they differ, after changes and crashes. Requires the lease. */
  async keepSpecFile({ spec: path }: RunFolder, spec: RunSpec): Promise<void> {
    const text = await specText(spec);
    const found = await readBoundedFile(path, mostSpecBytes);
    if (!('text' in found) || found.text !== text) await writeFileAtomic(path, text);
  }

  /** Journals trust. Throws run-busy, and input-invalid if the specification differs from the reviewed one. */
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

  /** State from the journal; without holder and outcome it is `interrupted`. */
  async load(runId: string): Promise<StoredRun> {
    const folder = await this.folderOf(runId);
    const state = await this.stateOf(await readContent(folder), folder.journal);
    requireSameRun(state.runId, runId, folder.dir);
    return { folder, state: await withCurrentStatus(state, folder.dir, this.jobs) };
  }

  /** Run id -> real folder of existing runs. */
  async runDirs(): Promise<ReadonlyMap<string, string>> {
    const dirs = new Map<string, string>();
    if (!(await exists(this.runsDir))) return dirs;
    const real = await realpath(this.runsDir);
    const entries = (await readdir(real, { withFileTypes: true })).filter(({ name }) =>
      runIdPattern.test(name),
    );
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(real, entry.name);
      // Only external runs are links.
      const dir = entry.isSymbolicLink() ? await realpath(path).catch(() => null) : path;
      if (dir !== null) dirs.set(entry.name, dir);
    }
    return dirs;
  }

  /** Newest first; uses cached rows of unchanged journals. */
  async list(): Promise<ListedRuns> {
    return this.rows.list(await this.runDirs());
  }

  /** Skips rows that would have to be computed, except for the newest. */
  async listAtHand(): Promise<RunList> {
    return this.rows.atHand(await this.runDirs());
  }

  /** Computes missing rows, newest first; calls `onMade` for each. */
  async makeRows(signal: AbortSignal, onMade: () => void): Promise<void> {
    await this.rows.make(await this.runDirs(), signal, onMade);
  }

  /** Leaves a request that the holder polls twice per second. Throws input-invalid without a holder. */
  async requestCancel(runId: string): Promise<void> {
    const folder = await this.worked(runId, 'cancel');
    await leaveRequest(folder.cancelRequest);
  }

  /** Requests a stop before the next level or step. Throws input-invalid without a holder. */
  async requestPause(runId: string): Promise<void> {
    const folder = await this.worked(runId, 'pause');
    await leaveRequest(folder.pauseRequest);
  }

  /** Throws unless the run is active. */
  private async worked(runId: string, what: 'cancel' | 'pause'): Promise<RunFolder> {
    const folder = await this.folderOf(runId);
    if ((await leaseHolder(folder.dir)) !== null) return folder;
    throw new WorkbenchError('input-invalid', `The run is not in progress: there is nothing to ${what}`, {
      where: runId,
      remedy: 'Continue a run with the command "resume".',
    });
  }

  /** Throws run-busy while the run is active. */
  async append(runId: string, body: JournalBody): Promise<JournalEntry> {
    return this.appending(runId, (writer) => writer.append(body));
  }

  /** Reads the journal once. */
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

  /** Empty if the step has no log. */
  async logTail(runId: string, step: Parameters<RunFolder['log']>[0], limit: number): Promise<string[]> {
    return readLogTail((await this.folderOf(runId)).log(step), limit);
  }

  /** Throws run-busy if a pending job will execute the run, which has no lease yet. */
  async requireNoJob(runId: string): Promise<void> {
    // Unreadable runs have no job.
    const state = (await this.load(runId).catch(() => null))?.state;
    if (state?.status !== 'running' || state.job === null) return;
    throw new WorkbenchError('run-busy', `The run was submitted as ${jobName(state.job)}`, {
      where: runId,
      remedy: 'Cancel the run first.',
    });
  }

  /** Also an external folder of this run. Throws run-busy, and run-unknown for a link to anything else. */
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
