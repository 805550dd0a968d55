import type { RunContent } from '../contract/run/run-content';
import type { JournalBody, StepId } from '../contract/run/run-events';
import type { RunSpec } from '../contract/run/run-spec';
import type { DeployedRun, RunState } from '../contract/run/run-state';
import type { ServerLoad } from '../contract/run/server-load';
import type { ChangePlan } from '../contract/run/spec-tools';
import { sameValue } from '../contract/trees';
import { requirePlainRun, type RunFolder } from '../store/run-folder';
import type { SpecChanged } from '../store/run-seals';
import { attemptRun, type AttemptStops, type RunEnd } from './attempt';
import { changePlan, specChange, specOfChange } from './change-spec';
import { requireDeployed } from './deployed-run';
import type { JobRuns, SubmitHow } from './jobs/job-runs';
import { EarlyStops, isStoppedSoon, JobStopping } from './jobs/job-stopping';
import { stepsFrom } from './plan';
import {
  continued,
  isChange,
  levelsAgain,
  type Next,
  type OpenedRun,
  openRun,
  preflightAgain,
  requireContent,
  requireOwnWork,
  runContent,
  stepsLeft,
} from './run-content';
import type { ExecuteOptions, RunsOptions, ServerStart, StartHow } from './run-options';
import { beginServerRun } from './server-run';
import type { RunContext } from './step';

interface ActiveRun {
  readonly stops: AttemptStops;
  readonly append: RunContext['append'];
  readonly state: RunContext['state'];
  /** The journal accepts no more records. */
  closing: boolean;
  readonly end: Promise<RunEnd>;
}

/** The runs that this process works on. */
export class Runs {
  private readonly active = new Map<string, ActiveRun>();
  private readonly early = new EarlyStops();
  /** Preflights of created runs, so that starting does not repeat them. */
  private readonly preflights = new Map<string, JournalBody | null>();

  constructor(private readonly options: RunsOptions) {}

  isOwn(runId: string): boolean {
    return this.active.has(runId);
  }

  ids(): readonly string[] {
    return [...this.active.keys()];
  }

  /** Creates the folder; `execute` starts the work. */
  async create(given: RunSpec, out?: string, how: StartHow = {}): Promise<string> {
    // Invalid specifications are refused before a run exists.
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

  /** Creates a run that measures a running Triton. Throws errors of inspecting the server. */
  async createServer(load: ServerLoad, { p99BudgetMs, headers = [] }: ServerStart = {}): Promise<string> {
    const { store, servers, emit } = this.options;
    const environment = await servers.environmentFor(load, headers);
    const { state } = await store.createOfServer(load, environment);
    if (p99BudgetMs !== undefined) await store.append(state.runId, { type: 'p99-budget', p99BudgetMs });
    emit({ type: 'runs-changed' });
    return state.runId;
  }

  /**
   * Starts or continues a run; ends a wait for a disk or an engine. Resolves when it has begun. Throws run-unknown,
   * run-busy, input-invalid (imported figures, `spec` of another model), not-trusted for runs from elsewhere,
   * run-folder-unsafe. Later errors are in `end`, which never rejects.
   */
  async execute(runId: string, options: ExecuteOptions = {}): Promise<{ readonly end: Promise<RunEnd> }> {
    const own = this.active.get(runId);
    if (own !== undefined) return continued(runId, own, options);
    return this.early.during(runId, (isAskedNow) => this.begin(runId, options, isAskedNow));
  }

  private async begin(
    runId: string,
    options: ExecuteOptions,
    isAskedNow: () => boolean,
  ): Promise<{ readonly end: Promise<RunEnd> }> {
    const { jobs, emit } = this.options;
    const followed = (await jobs?.alive(runId, isChange(options))) ?? null;
    if (followed !== null) return followed;
    await jobs?.awaitOwn(runId, isAskedNow);
    const opened = await this.openRun(runId);
    const { stops, append, state } = opened;
    try {
      if (jobs?.isHandedOver(state()) === true) {
        await this.handOver(jobs, [opened], options);
        await jobs.giveBack([opened]);
        emit({ type: 'runs-changed' });
        return { end: jobs.follow(runId) };
      }
      const { source } = state();
      const attempt = await (source.kind === 'server'
        ? beginServerRun(opened, source.load, options, this.options)
        : this.beginPipeline(opened, options));
      const running = attempt();
      const untilClosed = async () => {
        try {
          return await running;
        } finally {
          active.closing = true;
          await opened.close();
          this.active.delete(runId);
          emit({ type: 'runs-changed' });
        }
      };
      const end = untilClosed();
      const active: ActiveRun = { stops, append, state, closing: false, end };
      this.active.set(runId, active);
      emit({ type: 'runs-changed' });
      return { end };
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  /**
   * Submits runs; equal requests form an array job of this name. Runs with an active job are skipped; stops when
   * `signal` fires. Throws as {@link execute}, and job-refused.
   */
  async submit(runIds: readonly string[], name: string, signal?: AbortSignal): Promise<void> {
    const { jobs, emit } = this.options;
    if (jobs === undefined) return;
    const opened: OpenedRun[] = [];
    try {
      for (const runId of runIds) {
        if (signal?.aborted === true) break;
        if ((await jobs.alive(runId, false)) === null) opened.push(await this.openRun(runId));
      }
      await this.handOver(jobs, opened, {}, { name, signal });
    } finally {
      await jobs.giveBack(opened);
    }
    emit({ type: 'runs-changed' });
  }

  /** Resolves when the run ends, or its job without it. */
  async follow(runId: string): Promise<RunEnd> {
    const { jobs } = this.options;
    return jobs === undefined ? (await this.execute(runId)).end : jobs.follow(runId);
  }

  private openRun(runId: string): Promise<OpenedRun> {
    return openRun(this.options, runId, async (state) => {
      await this.requireOwnWork(state);
      this.options.jobs?.requireWanted(state);
    });
  }

  private async handOver(
    jobs: JobRuns,
    runs: readonly OpenedRun[],
    options: ExecuteOptions,
    how: SubmitHow = {},
  ): Promise<void> {
    const due = await jobs.withoutJob(runs, isChange(options));
    for (const run of due) {
      const { spec, journal } = await this.changesOf(run, options);
      // In the job nobody could give consent, so it is checked here.
      await this.options.check(spec);
      await journal();
    }
    await jobs.submit(due, how);
  }

  /** The new specification and its journal record. */
  private async changesOf(
    { folder, content, state, append }: OpenedRun,
    options: ExecuteOptions,
  ): Promise<Next & { readonly journal: () => Promise<void> }> {
    const { store } = this.options;
    const { spec: wanted, from, allowUnverified = false } = options;
    const again = levelsAgain(options, state());
    const { spec, change } = await this.validSpec(folder, requireDeployed(state()), wanted);
    const forgotten = from === undefined ? [] : stepsFrom(this.options.steps, spec, from);
    return {
      spec,
      forgotten: [...forgotten, ...again.flatMap(({ levels }) => levels.map(({ scenario }) => scenario))],
      journal: async () => {
        if (change !== null) await append(await store.sealedChange(content, folder.journal, change));
        await store.keepSpecFile(folder, spec);
        if (forgotten.length > 0) await append({ type: 'steps-forgotten', steps: [...forgotten] });
        for (const entry of again) await append(entry);
        if (allowUnverified && !state().gateOverridden) await append({ type: 'gate-overridden' });
      },
    };
  }

  /** Journals the new specification and the start. @returns what runs the steps */
  private async beginPipeline(opened: OpenedRun, options: ExecuteOptions): Promise<() => Promise<RunEnd>> {
    const { store, jobs } = this.options;
    const { runId, folder, content, state, append, emit, stops } = opened;
    const { spec, forgotten, journal } = await this.changesOf(opened, options);
    const known = this.preflights.get(runId);
    this.preflights.delete(runId);
    const preflight =
      known === undefined ? await preflightAgain(this.options, opened, { spec, forgotten }, options) : known;
    const keptSteps = this.options.steps.filter(({ kind }) => kind !== 'files').map(({ id }) => id);
    await requirePlainRun(folder, spec.configure.modelName, keptSteps);
    await this.options.sweep(runId, spec);
    const node = jobs?.nodeOf(spec) ?? null;
    const step = () => state().steps.find((candidate) => candidate.status === 'running')?.id ?? 'run';
    const preset = await this.options.presetOf(spec.model);
    const { framework = 'pyt' } = preset.preset;
    const services = await this.options.open(spec, { runId, dir: folder.dir, framework, step });
    const context: Omit<RunContext, 'keys' | 'holdOf' | 'away'> = {
      runId,
      folder,
      state,
      append,
      emit,
      spec,
      preset,
      manifests: await store.manifestsOf(content, state().runId),
      services: services.services,
      ...(node === null ? {} : { isStopped: isStoppedSoon }),
      pauseAsked: () => stops.pause.signal.aborted,
      ...{ until: options.until, server: null },
    };
    const { engine: before } = requireDeployed(state()).source.spec;
    await journal();
    await append({
      type: 'run-started',
      attempt: state().attempt + 1,
      pid: process.pid,
      ...(node === null ? {} : { node }),
    });
    // The journaled preflight was for the submitting machine or another engine.
    if (node !== null || !sameValue(before, spec.engine))
      await append({ type: 'environment', environment: await this.options.environmentFor(spec) });
    if (preflight !== null) await append(preflight);
    return () => attemptRun(context, services, stops, this.options);
  }

  /** The specification now, and how it changed. */
  private async validSpec(
    folder: RunFolder,
    state: DeployedRun,
    wanted: RunSpec | undefined,
  ): Promise<{ readonly spec: RunSpec; readonly change: SpecChanged | null }> {
    const change = wanted === undefined ? null : await this.changeOf(folder, state, wanted);
    if (change !== null) await this.options.check(change.spec);
    return { spec: change?.spec ?? state.source.spec, change };
  }

  /** Steps that a changed specification would repeat and keep. Throws as {@link execute}. */
  async planChange(runId: string, spec: RunSpec): Promise<ChangePlan> {
    const folder = await this.options.store.folderOf(runId);
    const state = await this.changeable(runId);
    return changePlan(state, await this.changeOf(folder, state, spec));
  }

  /** Steps repeated from this one on, or the remaining ones. Throws run-unknown, input-invalid, not-trusted. */
  async planRerun(runId: string, from?: StepId): Promise<readonly StepId[]> {
    const { store, steps } = this.options;
    const { state } = await store.load(runId);
    const { spec } = requireDeployed(state).source;
    if (from !== undefined) return stepsFrom(steps, spec, from);
    await this.requireOwnWork(state);
    return stepsLeft(this.options, state, { spec, folder: await store.folderOf(runId) });
  }

  /** Throws run-unknown, input-invalid, not-trusted. */
  async changeable(runId: string): Promise<DeployedRun> {
    const { state } = await this.options.store.load(runId);
    await this.requireOwnWork(state);
    return requireDeployed(state);
  }

  private async changeOf(folder: RunFolder, state: DeployedRun, given: RunSpec): Promise<SpecChanged | null> {
    const spec = await this.options.completed(specOfChange(state.source.spec, given));
    const preset = await this.options.presetOf(spec.model);
    const services = await this.options.inputServices(spec, preset.preset.framework ?? 'pyt');
    return specChange(this.options.steps, state, { spec, preset, services, folder });
  }

  private requireOwnWork(state: RunState): Promise<void> {
    return requireOwnWork(state, () => this.content(state.runId));
  }

  /** Code and addresses of an imported run. Throws run-unknown, journal-corrupt, run-folder-unsafe. */
  content(runId: string): Promise<RunContent> {
    return runContent(this.options.store, this.options.steps, runId);
  }

  /** No-op for own runs. Throws run-busy, run-folder-unsafe, and input-invalid if the content no longer has `hash`. */
  async trust(runId: string, hash?: string): Promise<void> {
    const { store, emit } = this.options;
    if ((await store.load(runId)).state.origin !== 'foreign') return;
    const content = await this.content(runId);
    if (hash !== undefined) requireContent(content, hash);
    const entry = await store.trust(runId, content);
    emit({ type: 'journal', runId, entry });
    emit({ type: 'runs-changed' });
  }

  /** Stops own runs at once; leaves a request for another process's. */
  cancel(runId: string): Promise<void> {
    return this.stop(runId, 'cancel');
  }

  /** Stops before the next level or step, also in another process. Throws input-invalid if the run is not active. */
  pause(runId: string): Promise<void> {
    return this.stop(runId, 'pause');
  }

  private async stop(runId: string, how: 'cancel' | 'pause'): Promise<void> {
    const { jobs, store, emit } = this.options;
    await this.early.begun(runId, how === 'cancel' ? 'now' : 'soon');
    const own = this.active.get(runId);
    if (own === undefined) {
      if ((await jobs?.[how](runId)) === true) return;
      await (how === 'cancel' ? store.requestCancel(runId) : store.requestPause(runId));
    }
    emit({ type: 'stopping', runId, how });
    own?.stops[how].abort();
  }

  /** Whether a job executes the run. Throws run-unknown. */
  async isHandedOver(runId: string): Promise<boolean> {
    const { state } = await this.options.store.load(runId);
    return this.options.jobs?.isHandedOver(state) === true;
  }

  /** The scheduler ends this job: `soon` pauses after the level, `now` stops at once. The next job continues. */
  async jobEnds(runId: string, when: 'soon' | 'now'): Promise<void> {
    const { jobs } = this.options;
    await this.early.begun(runId, when);
    const own = this.active.get(runId);
    if (own === undefined || jobs === undefined) return;
    const end = when === 'soon' ? Promise.resolve('time-limit' as const) : jobs.ownEnd(runId);
    if (when === 'soon') own.stops.pause.abort();
    else own.stops.cancel.abort(new JobStopping(end));
    await jobs.journalOwnEnd(own, await end);
  }

  /** Replaces tags and note. Throws run-busy while another process executes the run. */
  annotate(runId: string, { tags, note }: Pick<RunState, 'tags' | 'note'>): Promise<void> {
    return this.addEntry(runId, { type: 'annotation', tags: [...tags], note });
  }

  /** null removes the name. Throws as {@link annotate}. */
  rename(runId: string, name: string | null): Promise<void> {
    return this.addEntry(runId, { type: 'run-name', name });
  }

  /** Milliseconds; null removes the budget. Throws as {@link annotate}. */
  setBudget(runId: string, p99BudgetMs: number | null): Promise<void> {
    return this.addEntry(runId, { type: 'p99-budget', p99BudgetMs });
  }

  /** Cancels everything and waits for the end. */
  async close(): Promise<void> {
    const runs = [...this.active.values()];
    for (const run of runs) run.stops.cancel.abort();
    this.options.jobs?.close();
    await Promise.all(runs.map((run) => run.end));
  }

  /** Appends user metadata, even while the run is active here. */
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
}
