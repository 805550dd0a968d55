import { rm } from 'node:fs/promises';
import type { CoreEvent } from '../contract/api';
import type { WireError } from '../contract/errors';
import { toWire, WorkbenchError } from '../contract/errors';
import type { Environment } from '../contract/results';
import type { RunOutcome } from '../contract/run-events';
import { stepsOf } from '../contract/run-events';
import { reduceRun } from '../contract/run-state';
import type { RunSpec } from '../contract/run-spec';
import type { PlaceRun } from '../engine/place';
import { exists } from '../platform/files';
import type { LoadedPreset } from '../presets/presets';
import type { ArtefactCache } from '../store/artefact-cache';
import { JournalWriter } from '../store/journal';
import { acquireLease } from '../store/lease';
import type { RunStore } from '../store/run-store';
import { stepKeys } from './plan';
import { runPipeline } from './runner';
import type { RunContext, RunServices, Step } from './step';

const cancelPollMs = 500;

/** What a run works with; opened for one attempt. */
export interface OpenServices {
  readonly services: RunServices;
  /** Before the steps: ends what an earlier attempt left and this one cannot take up. */
  reclaim(): Promise<void>;
  /** After the steps: nothing of the run is left running. */
  release(): Promise<void>;
}

export interface RunsOptions {
  readonly store: RunStore;
  readonly cache: ArtefactCache;
  readonly steps: readonly Step[];
  readonly presetOf: (id: string) => LoadedPreset;
  /** Throws where the engine of a specification cannot be used at all. */
  readonly check: (spec: RunSpec) => Promise<void>;
  readonly open: (spec: RunSpec, run: PlaceRun) => Promise<OpenServices>;
  /** Ends what dead workbenches left, save what this run could take up. */
  readonly sweep: (except: string) => Promise<void>;
  readonly environmentFor: (spec: RunSpec) => Promise<Environment>;
  readonly tell: (event: CoreEvent) => void;
}

export interface RunEnd {
  readonly outcome: RunOutcome;
  readonly error: WireError | null;
}

interface ActiveRun {
  readonly controller: AbortController;
  readonly end: Promise<RunEnd>;
}

/** The runs that this process works on. */
export class Runs {
  private readonly active = new Map<string, ActiveRun>();

  constructor(private readonly options: RunsOptions) {}

  isOwn(runId: string): boolean {
    return this.active.has(runId);
  }

  ids(): readonly string[] {
    return [...this.active.keys()];
  }

  /** Creates the run folder; `execute` starts the work. */
  async create(spec: RunSpec, out?: string): Promise<string> {
    // What cannot be run is refused before there is a run.
    this.options.presetOf(spec.model.preset);
    await this.options.check(spec);
    const run = await this.options.store.create(spec, await this.options.environmentFor(spec), out);
    this.options.tell({ type: 'runs-changed' });
    return run.state.runId;
  }

  /**
   * Starts (or goes on with) a run. Resolves when it has begun: the lease is ours and the journal says so.
   * Throws run-unknown or run-busy; what happens afterwards is in `end`, which never rejects.
   */
  async execute(runId: string): Promise<{ readonly end: Promise<RunEnd> }> {
    const { store, tell } = this.options;
    if (this.active.has(runId)) throw new WorkbenchError('run-busy', 'This workbench is working on the run');
    const folder = await store.folderOf(runId);
    const release = await acquireLease(folder.dir);
    const controller = new AbortController();
    try {
      await rm(folder.cancelRequest, { force: true });
      const { writer, content } = await JournalWriter.open(folder.journal);
      const first = content.entries.reduce(reduceRun, null);
      if (first === null) {
        await writer.close();
        throw new WorkbenchError('journal-corrupt', 'The journal does not begin with the creation of a run', {
          where: folder.journal,
        });
      }
      let state = first;
      const { spec } = state;
      await this.options.sweep(runId);
      const step = () => state.steps.find((candidate) => candidate.status === 'running')?.id ?? 'run';
      const opened = await this.options.open(spec, { runId, dir: folder.dir, step });
      const run: Omit<RunContext, 'keys'> = {
        runId,
        folder,
        spec,
        preset: this.options.presetOf(spec.model.preset),
        services: opened.services,
        state: () => state,
        async append(body) {
          const entry = await writer.append(body);
          state = reduceRun(state, entry) ?? state;
          tell({ type: 'journal', runId, entry });
        },
        emit: tell,
        server: null,
      };
      await run.append({ type: 'run-started', attempt: state.attempt + 1, pid: process.pid });
      const end = this.work(run, opened, controller).finally(async () => {
        await writer.close();
        await release();
        this.active.delete(runId);
        tell({ type: 'runs-changed' });
      });
      this.active.set(runId, { controller, end });
      tell({ type: 'runs-changed' });
      return { end };
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Own runs stop at once; for a run of another process a request is left that it looks for. */
  async cancel(runId: string): Promise<void> {
    const own = this.active.get(runId);
    if (own === undefined) await this.options.store.requestCancel(runId);
    else own.controller.abort();
  }

  /** Cancels everything and waits until it has ended. */
  async close(): Promise<void> {
    const runs = [...this.active.values()];
    for (const run of runs) run.controller.abort();
    await Promise.all(runs.map((run) => run.end));
  }

  private async work(
    run: Omit<RunContext, 'keys'>,
    opened: OpenServices,
    controller: AbortController,
  ): Promise<RunEnd> {
    const poll = setInterval(() => {
      void exists(run.folder.cancelRequest).then((asked) => {
        if (asked) controller.abort();
      });
    }, cancelPollMs);
    try {
      const { cache } = this.options;
      const applying = stepsOf(run.spec);
      const steps = this.options.steps.filter((step) => applying.includes(step.id));
      await opened.reclaim();
      // Not a copy: steps share `server` through this one object.
      const context: RunContext = Object.assign(run, { keys: await stepKeys(steps, run) });
      return await runPipeline(context, steps, controller.signal, cache);
    } catch (error) {
      // The journal could not be written, or an input could not be read: said where it still can be.
      const wire = toWire(error);
      await run.append({ type: 'run-finished', outcome: 'failed', error: wire }).catch(() => undefined);
      return { outcome: 'failed', error: wire };
    } finally {
      clearInterval(poll);
      // An engine that is away keeps them; the next sweep ends them.
      await opened.release().catch(() => undefined);
    }
  }
}
