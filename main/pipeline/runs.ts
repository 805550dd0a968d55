import { rm } from 'node:fs/promises';
import type { RequestHeader } from '../contract/address';
import type { CoreEvent } from '../contract/api';
import { WorkbenchError } from '../contract/errors';
import type { Environment } from '../contract/measured/results';
import type { RunContent } from '../contract/run/run-content';
import { type JournalBody, type MatrixMark, type StepId, stepsOf } from '../contract/run/run-events';
import type { Framework, RunSpec } from '../contract/run/run-spec';
import { reduceRun, type RunState } from '../contract/run/run-state';
import { type ServerLoad, serverSpec } from '../contract/run/server-load';
import type { ChangePlan } from '../contract/run/spec-changes';
import type { PlaceRun } from '../engine/place';
import type { ServerLoadListener } from '../perf/sweep/measure-server';
import type { LoadedPreset } from '../presets/presets';
import { type JournalContent, JournalWriter } from '../store/journal';
import { acquireLease } from '../store/lease';
import { sweepRunFiles } from '../store/run-files';
import { requirePlainRun, type RunFolder } from '../store/run-folder';
import { requireSameRun } from '../store/run-key';
import type { SpecChanged } from '../store/run-seals';
import type { RunStore } from '../store/run-store';
import {
  type AttemptOptions,
  attemptRun,
  type AttemptStops,
  type OpenServices,
  type RunEnd,
} from './attempt';
import { changePlan, requireSameModel, specChange } from './change-spec';
import { ContinueNow } from './hold';
import { withDependents } from './plan';
import { notTrusted, runContent } from './run-content';
import { beginServerRun, notChangeable, notMeasuredHere, type Servers } from './server-run';
import type { InputServices, RunContext } from './step';

interface RunsOptions extends AttemptOptions {
  readonly store: RunStore;
  readonly presetOf: (model: RunSpec['model']) => Promise<LoadedPreset>;
  /** With what is chosen only where the run is started: the release of its images. */
  readonly completed: (spec: RunSpec, how?: StartHow) => Promise<RunSpec>;
  /** Throws where the engine of a specification cannot be used at all. */
  readonly check: (spec: RunSpec) => Promise<void>;
  /** Throws where its containers cannot start on this machine, unless that is skipped; what to journal, null: nothing. */
  readonly preflight: (spec: RunSpec, how: StartHow) => Promise<JournalBody | null>;
  readonly open: (spec: RunSpec, run: PlaceRun) => Promise<OpenServices>;
  /** What the keys of its steps are asked of, without a place to run; throws where a specification may not be looked into. */
  readonly inputServices: (spec: RunSpec, framework: Framework) => Promise<InputServices>;
  /** Ends what dead workbenches left, also where this specification works, save what the run could take up. */
  readonly sweep: (except: string, spec: RunSpec) => Promise<void>;
  readonly environmentFor: (spec: RunSpec) => Promise<Environment>;
  readonly servers: Servers;
  readonly emit: (event: CoreEvent) => void;
}

export interface StartHow {
  /** Starts a run in containers although the preflight found problems; the journal keeps that someone chose so. */
  readonly skipPreflight?: boolean | undefined;
  /** Noted in a new run. */
  readonly matrix?: MatrixMark | undefined;
  /** p99 budget of a new run, in milliseconds. Nothing is measured otherwise for it. */
  readonly p99BudgetMs?: number | undefined;
  readonly name?: string | undefined;
  /** The specification is a file's: the settings add nothing to it. */
  readonly ofFile?: boolean | undefined;
}

export interface ExecuteOptions extends StartHow {
  /** The specification from now on, whole; what does not depend on the change is kept. */
  readonly spec?: RunSpec | undefined;
  /** This step and all that need it are done again, whatever the journal and the cache hold. */
  readonly from?: StepId | undefined;
  /** Measures although the accuracy gate did not pass; the journal keeps that someone chose so. */
  readonly allowUnverified?: boolean | undefined;
  /** Of a run that measures a Triton which is there already: hears of the levels as they come. */
  readonly listener?: ServerLoadListener | undefined;
  /** Of the same: go with every request. */
  readonly headers?: readonly RequestHeader[] | undefined;
}

/** What a run that measures a Triton is created with. */
export type ServerStart = Pick<ExecuteOptions, 'p99BudgetMs' | 'headers'>;

/** A run whose lease and journal are ours. */
interface OpenedRun extends Pick<RunContext, 'runId' | 'folder' | 'state' | 'append' | 'emit'> {
  readonly content: JournalContent;
  readonly stops: AttemptStops;
}

interface ActiveRun {
  readonly stops: AttemptStops;
  readonly append: RunContext['append'];
  /** The journal takes no more. */
  closing: boolean;
  readonly end: Promise<RunEnd>;
}

/** The runs that this process works on. */
export class Runs {
  private readonly active = new Map<string, ActiveRun>();
  /** Of runs that were created and not executed yet: nothing is asked twice. */
  private readonly preflights = new Map<string, JournalBody | null>();

  constructor(private readonly options: RunsOptions) {}

  isOwn(runId: string): boolean {
    return this.active.has(runId);
  }

  ids(): readonly string[] {
    return [...this.active.keys()];
  }

  /** Creates the run folder; `execute` starts the work. */
  async create(given: RunSpec, out?: string, how: StartHow = {}): Promise<string> {
    // What cannot be run is refused before there is a run.
    await this.options.presetOf(given.model);
    const spec = await this.options.completed(given, how);
    await this.options.check(spec);
    const preflight = await this.options.preflight(spec, how);
    const { matrix, name, p99BudgetMs } = how;
    const run = await this.options.store.create(spec, await this.options.environmentFor(spec), out, {
      matrix,
    });
    if (name !== undefined) await this.options.store.append(run.state.runId, { type: 'run-name', name });
    if (p99BudgetMs !== undefined) {
      await this.options.store.append(run.state.runId, { type: 'p99-budget', p99BudgetMs });
    }
    this.preflights.set(run.state.runId, preflight);
    this.options.emit({ type: 'runs-changed' });
    return run.state.runId;
  }

  /** The same for a run that measures a Triton which is there already. Throws what looking at the server throws. */
  async createServer(load: ServerLoad, { p99BudgetMs, headers = [] }: ServerStart = {}): Promise<string> {
    const { store, servers, emit } = this.options;
    const environment = await servers.environmentFor(load, headers);
    const { state } = await store.create(serverSpec(load), environment, undefined, { onServer: load });
    if (p99BudgetMs !== undefined) await store.append(state.runId, { type: 'p99-budget', p99BudgetMs });
    emit({ type: 'runs-changed' });
    return state.runId;
  }

  /**
   * Starts (or continues) a run; one that waits for a disk or an engine tries at once. Resolves when it has begun.
   * Throws run-unknown, run-busy, input-invalid (of an imported run, and of a `spec` for another model) or, for a run from elsewhere, not-trusted, or run-folder-unsafe; what happens afterwards is in `end`, which never rejects.
   */
  async execute(runId: string, options: ExecuteOptions = {}): Promise<{ readonly end: Promise<RunEnd> }> {
    const { store, emit } = this.options;
    const own = this.active.get(runId);
    if (own !== undefined) return this.continued(runId, own, options);
    const folder = await store.folderOf(runId);
    const release = await acquireLease(folder.dir);
    const journal: { writer: JournalWriter | null } = { writer: null };
    try {
      for (const request of [folder.cancelRequest, folder.pauseRequest]) await rm(request, { force: true });
      await sweepRunFiles(folder);
      const { writer, content } = await JournalWriter.open(folder.journal);
      journal.writer = writer;
      let state = await store.stateOf(content, folder.journal);
      requireSameRun(state.runId, runId, folder.dir);
      await this.requireOwnWork(state);
      const stops: AttemptStops = {
        cancel: new AbortController(),
        pause: new AbortController(),
        continueNow: new ContinueNow(),
      };
      const opened: OpenedRun = {
        ...{ runId, folder, content, stops, emit },
        state: () => state,
        async append(body) {
          const entry = await writer.append(body);
          state = reduceRun(state, entry) ?? state;
          emit({ type: 'journal', runId, entry });
        },
      };
      const attempt = await (state.onServer === null
        ? this.beginPipeline(opened, options)
        : beginServerRun(opened, state.onServer, options, this.options));
      const end = attempt().finally(async () => {
        active.closing = true;
        await writer.close();
        await release();
        this.active.delete(runId);
        emit({ type: 'runs-changed' });
      });
      const active: ActiveRun = { stops, append: opened.append, closing: false, end };
      this.active.set(runId, active);
      emit({ type: 'runs-changed' });
      return { end };
    } catch (error) {
      await journal.writer?.close();
      await release();
      throw error;
    }
  }

  /** Journals what is valid from now on and that the run has begun. @returns what does the steps. */
  private async beginPipeline(
    { content, stops, ...run }: OpenedRun,
    { spec: wanted, from, allowUnverified = false, ...how }: ExecuteOptions,
  ): Promise<() => Promise<RunEnd>> {
    const { store } = this.options;
    const { runId, folder, state, append } = run;
    const { spec, change } = await this.validSpec(folder, state(), wanted);
    const preflight = await this.preflightOf(runId, spec, how);
    const keptSteps = this.options.steps.filter(({ kind }) => kind !== 'files').map(({ id }) => id);
    await requirePlainRun(folder, spec.configure.modelName, keptSteps);
    const forgotten = from === undefined ? [] : this.stepsFrom(spec, from);
    await this.options.sweep(runId, spec);
    const step = () => state().steps.find((candidate) => candidate.status === 'running')?.id ?? 'run';
    const preset = await this.options.presetOf(spec.model);
    const { framework = 'pyt' } = preset.preset;
    const opened = await this.options.open(spec, { runId, dir: folder.dir, framework, step });
    const context: Omit<RunContext, 'keys' | 'holdOf' | 'away'> = {
      ...run,
      spec,
      preset,
      manifests: await store.manifestsOf(content, state().runId),
      services: opened.services,
      pauseAsked: () => stops.pause.signal.aborted,
      server: null,
    };
    if (change !== null) await append(await store.sealedChange(content, folder.journal, change));
    await store.keepSpecFile(folder, spec);
    if (forgotten.length > 0) await append({ type: 'steps-forgotten', steps: [...forgotten] });
    if (allowUnverified && !state().gateOverridden) await append({ type: 'gate-overridden' });
    await append({ type: 'run-started', attempt: state().attempt + 1, pid: process.pid });
    if (preflight !== null) await append(preflight);
    return () => attemptRun(context, opened, stops, this.options);
  }

  /** What a run waits for may be there without a look having found it. Throws run-busy. */
  private continued(
    runId: string,
    { stops, end }: ActiveRun,
    { spec, from }: ExecuteOptions,
  ): { readonly end: Promise<RunEnd> } {
    const onlyContinues = from === undefined && spec === undefined;
    if (onlyContinues && stops.continueNow.ask()) return { end };
    throw new WorkbenchError('run-busy', 'The run is in progress in this workbench', {
      where: runId,
      remedy: spec === undefined ? undefined : 'Pause or cancel the run, then change it.',
    });
  }

  /** What is valid from now on, and how it came from what was. */
  private async validSpec(
    folder: RunFolder,
    state: RunState,
    wanted: RunSpec | undefined,
  ): Promise<{ readonly spec: RunSpec; readonly change: SpecChanged | null }> {
    const change = wanted === undefined ? null : await this.changeOf(folder, state, wanted);
    if (change !== null) await this.options.check(change.spec);
    return { spec: change?.spec ?? state.spec, change };
  }

  /** What a changed specification would do again and keep. Throws as {@link execute}, and changes nothing. */
  async planChange(runId: string, spec: RunSpec): Promise<ChangePlan> {
    const folder = await this.options.store.folderOf(runId);
    const state = await this.changeable(runId);
    return changePlan(state, await this.changeOf(folder, state, spec));
  }

  /** The steps that are done again from this one on. Throws run-unknown, input-invalid. */
  async planRerun(runId: string, from: StepId): Promise<readonly StepId[]> {
    const { state } = await this.options.store.load(runId);
    if (state.onServer !== null) throw notChangeable(runId);
    return this.stepsFrom(state.spec, from);
  }

  /** A run whose specification may be changed. Throws run-unknown, input-invalid, not-trusted. */
  async changeable(runId: string): Promise<RunState> {
    const { state } = await this.options.store.load(runId);
    await this.requireOwnWork(state);
    if (state.onServer === null) return state;
    throw notChangeable(runId);
  }

  private async preflightOf(runId: string, spec: RunSpec, how: StartHow): Promise<JournalBody | null> {
    const known = this.preflights.get(runId);
    this.preflights.delete(runId);
    return known === undefined ? this.options.preflight(spec, how) : known;
  }

  private async changeOf(folder: RunFolder, state: RunState, given: RunSpec): Promise<SpecChanged | null> {
    requireSameModel(state.spec, given);
    const spec = await this.options.completed(given);
    const preset = await this.options.presetOf(spec.model);
    const services = await this.options.inputServices(spec, preset.preset.framework ?? 'pyt');
    return specChange(this.options.steps, state, { spec, preset, services, folder });
  }

  /** Throws input-invalid for an imported run, and not-trusted for one from elsewhere. */
  private async requireOwnWork({ runId, imported, onServer, origin }: RunState): Promise<void> {
    if (imported !== null) {
      throw new WorkbenchError('input-invalid', 'An imported run cannot be run', {
        where: runId,
        remedy: 'Start a new deployment to measure on this machine.',
      });
    }
    // Where its load goes, and what it reads, somebody agreed to in the home that created it.
    if (onServer !== null && origin !== 'own') throw notMeasuredHere(runId);
    if (origin === 'foreign') throw notTrusted(await this.content(runId));
  }

  /** What a run from elsewhere would execute and reach. Throws run-unknown, journal-corrupt, run-folder-unsafe. */
  content(runId: string): Promise<RunContent> {
    return runContent(this.options.store, this.options.steps, runId);
  }

  /**
   * Trusts the files of a run from elsewhere as they are now; nothing for others. Throws run-busy, run-folder-unsafe, and
   * input-invalid when `hash` is given and the content is another one by now.
   */
  async trust(runId: string, hash?: string): Promise<void> {
    const { store, emit } = this.options;
    if ((await store.load(runId)).state.origin !== 'foreign') return;
    const content = await this.content(runId);
    if (hash !== undefined && hash !== content.hash) {
      throw new WorkbenchError('input-invalid', 'The files of the run changed before you confirmed', {
        where: content.dir,
        remedy: 'Check the run again before you trust it.',
      });
    }
    const entry = await store.trust(runId, content);
    emit({ type: 'journal', runId, entry });
    emit({ type: 'runs-changed' });
  }

  /** Own runs stop at once; for a run of another process a request is left that it looks for. */
  async cancel(runId: string): Promise<void> {
    const own = this.active.get(runId);
    if (own === undefined) await this.options.store.requestCancel(runId);
    this.options.emit({ type: 'stopping', runId, how: 'cancel' });
    own?.stops.cancel.abort();
  }

  /** Stops before the next level or step, also a run of another process. Throws input-invalid when nobody works on it. */
  async pause(runId: string): Promise<void> {
    const own = this.active.get(runId);
    if (own === undefined) await this.options.store.requestPause(runId);
    this.options.emit({ type: 'stopping', runId, how: 'pause' });
    own?.stops.pause.abort();
  }

  /** Replaces tags and note, in the journal. Throws run-busy while another process works on the run. */
  annotate(runId: string, { tags, note }: Pick<RunState, 'tags' | 'note'>): Promise<void> {
    return this.addEntry(runId, { type: 'annotation', tags: [...tags], note });
  }

  /** Names the run, or takes its name away. Throws as {@link annotate}. */
  rename(runId: string, name: string | null): Promise<void> {
    return this.addEntry(runId, { type: 'run-name', name });
  }

  /** Sets the p99 budget of the run, in milliseconds, or takes it away. Throws as {@link annotate}. */
  setBudget(runId: string, p99BudgetMs: number | null): Promise<void> {
    return this.addEntry(runId, { type: 'p99-budget', p99BudgetMs });
  }

  /** Cancels everything and waits until it has ended. */
  async close(): Promise<void> {
    const runs = [...this.active.values()];
    for (const run of runs) run.stops.cancel.abort();
    await Promise.all(runs.map((run) => run.end));
  }

  /** What people say of a run, at any time: also while it runs here. */
  private async addEntry(runId: string, body: JournalBody): Promise<void> {
    const { store, emit } = this.options;
    const own = this.active.get(runId);
    if (own?.closing === false) {
      await own.append(body);
      return;
    }
    await own?.end;
    const entry = await store.append(runId, body);
    emit({ type: 'journal', runId, entry });
    emit({ type: 'runs-changed' });
  }

  private stepsFrom(spec: RunSpec, from: StepId): readonly StepId[] {
    const applying = stepsOf(spec);
    if (!applying.includes(from)) {
      throw new WorkbenchError('input-invalid', `This run has no step "${from}"`, {
        where: 'step',
        remedy: `Its steps are ${applying.join(', ')}.`,
      });
    }
    return withDependents(this.options.steps, from).filter((id) => applying.includes(id));
  }
}
