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
  /** The journal takes no more. */
  closing: boolean;
  readonly end: Promise<RunEnd>;
}

/** The runs that this process works on. */
export class Runs {
  private readonly active = new Map<string, ActiveRun>();
  private readonly early = new EarlyStops();
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
    const { state } = await store.createOfServer(load, environment);
    if (p99BudgetMs !== undefined) await store.append(state.runId, { type: 'p99-budget', p99BudgetMs });
    emit({ type: 'runs-changed' });
    return state.runId;
  }

  /**
   * Starts (or continues) a run; one that waits for a disk or an engine tries at once. Resolves when it has begun.
   * Throws run-unknown, run-busy, input-invalid (of an imported run, and of a `spec` for another model) or, for a run from elsewhere, not-trusted, or run-folder-unsafe; what happens afterwards is in `end`, which never rejects.
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
   * Hands runs to jobs: those that ask for the same to one array job of this name. Throws as {@link execute}, and
   * job-refused; a run whose job is alive is left to it. Once `signal` asks, no further one is handed over.
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

  /** Until a run that was handed to a job has ended, or its job has without it. */
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
      // Inside of the job nobody could agree to anything, and here nothing else looks at it.
      await this.options.check(spec);
      await journal();
    }
    await jobs.submit(due, how);
  }

  /** The specification that is valid from now on, and how to journal what makes it so. */
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

  /** Journals what is valid from now on and that the run has begun. @returns what does the steps. */
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
      ...{ runId, folder, state, append, emit, spec, preset },
      manifests: await store.manifestsOf(content, state().runId),
      services: services.services,
      ...(node === null ? {} : { isStopped: isStoppedSoon }),
      pauseAsked: () => stops.pause.signal.aborted,
      server: null,
    };
    const { engine: before } = requireDeployed(state()).source.spec;
    await journal();
    await append({
      ...{ type: 'run-started', attempt: state().attempt + 1, pid: process.pid },
      ...(node === null ? {} : { node }),
    });
    // What was journalled at the start is of the machine that the job was submitted on, or of another engine.
    if (node !== null || !sameValue(before, spec.engine))
      await append({ type: 'environment', environment: await this.options.environmentFor(spec) });
    if (preflight !== null) await append(preflight);
    return () => attemptRun(context, services, stops, this.options);
  }

  /** What is valid from now on, and how it came from what was. */
  private async validSpec(
    folder: RunFolder,
    state: DeployedRun,
    wanted: RunSpec | undefined,
  ): Promise<{ readonly spec: RunSpec; readonly change: SpecChanged | null }> {
    const change = wanted === undefined ? null : await this.changeOf(folder, state, wanted);
    if (change !== null) await this.options.check(change.spec);
    return { spec: change?.spec ?? state.source.spec, change };
  }

  /** What a changed specification would do again and keep. Throws as {@link execute}, and changes nothing. */
  async planChange(runId: string, spec: RunSpec): Promise<ChangePlan> {
    const folder = await this.options.store.folderOf(runId);
    const state = await this.changeable(runId);
    return changePlan(state, await this.changeOf(folder, state, spec));
  }

  /**
   * The steps that are done again from this one on; without one, those that are left to do. Throws run-unknown,
   * input-invalid, not-trusted.
   */
  async planRerun(runId: string, from?: StepId): Promise<readonly StepId[]> {
    const { store, steps } = this.options;
    const { state } = await store.load(runId);
    const { spec } = requireDeployed(state).source;
    if (from !== undefined) return stepsFrom(steps, spec, from);
    await this.requireOwnWork(state);
    return stepsLeft(this.options, state, { spec, folder: await store.folderOf(runId) });
  }

  /** A run whose specification may be changed. Throws run-unknown, input-invalid, not-trusted. */
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
    if (hash !== undefined) requireContent(content, hash);
    const entry = await store.trust(runId, content);
    emit({ type: 'journal', runId, entry });
    emit({ type: 'runs-changed' });
  }

  /** Own runs stop at once; for a run of another process a request is left that it looks for. */
  cancel(runId: string): Promise<void> {
    return this.stop(runId, 'cancel');
  }

  /** Stops before the next level or step, also a run of another process. Throws input-invalid when nobody works on it. */
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

  /** Whether a job works on the run, or will. Throws run-unknown. */
  async isHandedOver(runId: string): Promise<boolean> {
    const { state } = await this.options.store.load(runId);
    return this.options.jobs?.isHandedOver(state) === true;
  }

  /**
   * The scheduler says that the job of this process ends: `soon`, and the run pauses after its level; `now`, and it stops
   * where it is. Either way the next job continues it.
   */
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
    this.options.jobs?.close();
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
}
