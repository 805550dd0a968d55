import type { DeploymentEngine, DeploymentInfo, DeployRequest } from '../contract/deployment/deployment';
import { deploymentChanges } from '../contract/deployment/deployment-change';
import { invalidInput, toWire, WorkbenchError } from '../contract/errors';
import { inContainers, isProcess } from '../contract/run/engine-kinds';
import type { DeploymentServer } from '../engine/engine';
import { type DeployableRun, requireModelName } from './deployable-run';
import { requireShareable } from './deployed-repository';
import { DeploymentChanges } from './deployment-changes';
import type { DeploymentStore, StoredDeployment } from './deployment-store';
import { DeploymentTritons } from './deployment-tritons';
import { moveEngine } from './move-engine';
import { type ChangeState, hostOf, observe, unreadable } from './observe';
import { choosePorts, freeName, onlyModel, requireSameEngine, requireTarget } from './placement';
import { dropVersion, placeVersion, removeLeftModels, switchVersion } from './switch-version';
import { type TraceAsked, traceDeployment } from './trace-deployment';
import { addFiles, checkedVersion, triedVersion, type TryParts } from './try-version';

/** Server operations replace killed ones of these. */
const ofServer = ['start', 'stop', 'restart'] as const;

interface DeploymentsOptions {
  readonly store: DeploymentStore;
  readonly servers: Readonly<Record<DeploymentEngine['kind'], DeploymentServer>>;
  /** A run whose model may be deployed. Throws otherwise. */
  readonly runOf: (
    runId: string,
    allowUnverified: boolean,
    search: string | undefined,
  ) => Promise<DeployableRun>;
  /** `work`: what begins; null: idle. */
  readonly onChange: (id: string, work: string | null) => void;
  /** Runs `recover` in a detached process. */
  readonly startRecovery: (id: string) => void;
  readonly now: () => Date;
}

export class Deployments {
  /** Aborts new deployments and versions; active versions continue. */
  private readonly closing = new AbortController();
  private readonly tritons: DeploymentTritons;
  private readonly changes: DeploymentChanges;

  constructor(private readonly options: DeploymentsOptions) {
    const { store, servers, onChange, startRecovery } = options;
    this.tritons = new DeploymentTritons({ store, servers, closing: this.closing.signal });
    this.changes = new DeploymentChanges({
      store,
      tritons: this.tritons,
      closing: this.closing.signal,
      onChange,
      startRecovery,
    });
  }

  async list(): Promise<readonly DeploymentInfo[]> {
    for (const id of await this.options.store.leftovers()) {
      await this.changes.recoverApart(id);
    }
    const found = await Promise.all(
      (await this.options.store.ids()).map((id) =>
        this.show(id).catch((error: unknown) =>
          // Removed since the folder was listed.
          toWire(error).code === 'deployment-unknown' ? null : unreadable(id, error),
        ),
      ),
    );
    return found.filter((info) => info !== null);
  }

  async show(id: string): Promise<DeploymentInfo> {
    const stored = await this.options.store.load(id);
    const now = await this.changes.stateOf(stored);
    const info = await this.infoOf(stored, now);
    // Unreachable ones are checked again next time.
    if (now.isInterrupted && info.state !== 'unknown') await this.changes.recoverApart(id);
    return info;
  }

  /** Completes or undoes a killed change. Throws deployment-busy, and errors of the change. */
  recover(id: string): Promise<void> {
    return this.changes.make(id, 'Completing an interrupted change', () => Promise.resolve());
  }

  /** Creates a deployment, or adds a version or model. Returns its state. */
  async deploy(request: DeployRequest): Promise<DeploymentInfo> {
    if (request.to !== undefined) await requireTarget(this.options.store, request.to);
    const run = await this.options.runOf(request.runId, request.allowUnverified === true, request.search);
    // Models of a repository are never served under another name.
    if (run.repository === undefined) requireModelName(run.config.name);
    if (request.to !== undefined) return this.update(request.to, run);
    const { store } = this.options;
    const ids = await store.ids();
    const id = request.name ?? freeName(run.config.name, ids);
    return this.changes.make(id, 'Starting Triton', async () => {
      const others = await Promise.all(ids.map((other) => store.load(other).catch(() => null)));
      const { engine } = run;
      const onSame = others.filter((other) => other !== null && hostOf(other.deployment) === hostOf(run));
      const taken = onSame.flatMap((other) => Object.values(other?.deployment.ports ?? {}));
      const { httpPort: http, grpcPort: grpc, metricsPort: metrics, listen } = request;
      const busy = await this.options.servers[engine.kind].busyPorts(engine);
      const ports = await choosePorts({ http, grpc, metrics }, new Set(taken), busy);
      const chosen = inContainers(engine) && listen !== undefined ? { ...engine, listen } : engine;
      if (isProcess(engine) && listen !== undefined) {
        throw new WorkbenchError('input-invalid', 'The local Triton listens on this machine only', {
          where: 'listen',
          remedy: 'Deploy a run of the engine "docker" to serve other machines.',
        });
      }
      const version = run.version;
      const to = { ...run.about, model: run.config.name, version };
      let stored = await store.create(
        { type: 'deployment-created', id, engine: chosen, ports },
        { type: 'change-begun', what: 'deploy', to, from: null, pid: process.pid },
      );
      try {
        await addFiles(stored.folder, run, to);
        await placeVersion(stored.folder, to);
        // Not a part of the time that a start takes.
        await this.tritons.sync(stored, this.closing.signal);
        const began = performance.now();
        stored = await this.tritons.start(stored);
        await this.tritons.untilAnswering(stored);
        const readyUs = Math.round((performance.now() - began) * 1000);
        const served = await checkedVersion(stored, run, to, { readyUs }, this.trying());
        stored = await store.append(stored.folder, { type: 'version-served', version: served });
        return await this.infoOf(stored);
      } catch (error) {
        throw await this.givenUp(id, error);
      }
    });
  }

  /** Activates the previous version. Throws deployment-unknown before anything is said of it, input-invalid without one. */
  async rollback(id: string, model?: string): Promise<DeploymentInfo> {
    await this.options.store.load(id);
    return this.changes.make(id, 'Returning to the previous version', async () => {
      const found = await this.running(id);
      const { deployment, folder } = found;
      const name = model ?? onlyModel(deployment);
      const { active, previous } = deployment.models[name] ?? { active: null, previous: null };
      if (active === null || previous === null) {
        const remedy =
          'A rollback needs an earlier version, and only the latest one is kept. Deploy a run to it instead.';
        throw invalidInput(id, `${name} has no previous version to return to`, remedy);
      }
      await requireShareable(folder, deployment, previous);
      const stored = await this.changes.begin(found, {
        what: 'rollback',
        to: previous,
        from: active.version,
      });
      const after = await switchVersion(stored, this.tritons.serverOf(stored), {
        to: previous,
        from: active,
        commit: () =>
          this.options.store.append(folder, {
            type: 'rolled-back',
            model: name,
            to: previous.version,
            from: active.version,
          }),
      });
      await this.tritons.tidy(after);
      return this.infoOf(after);
    });
  }

  /** Serves with another engine, once its models answer there as their runs did. Throws input-invalid and as {@link moveEngine}. */
  move(id: string, to: DeploymentEngine): Promise<DeploymentInfo> {
    return this.changes.make(id, 'Moving to another serving environment', async () => {
      const found = await this.running(id);
      const engines = { to, from: found.deployment.engine };
      const stored = await this.changes.begin(found, { what: 'move', engines });
      const { store } = this.options;
      return this.infoOf(await moveEngine(stored, { store, tritons: this.tritons }));
    });
  }

  start(id: string): Promise<DeploymentInfo> {
    return this.changed(id, 'start', 'Starting Triton', (stored) => this.tritons.serve(stored));
  }

  stop(id: string): Promise<DeploymentInfo> {
    return this.changed(id, 'stop', 'Stopping Triton', (stored) => this.tritons.stop(stored));
  }

  restart(id: string): Promise<DeploymentInfo> {
    return this.changed(id, 'restart', 'Restarting Triton', async (stored) =>
      this.tritons.serve(await this.tritons.stop(stored)),
    );
  }

  /** Throws deployment-unknown before anything is said of it. */
  private async changed(
    id: string,
    what: 'start' | 'stop' | 'restart',
    title: string,
    work: (stored: StoredDeployment) => Promise<StoredDeployment>,
  ): Promise<DeploymentInfo> {
    const { store } = this.options;
    await store.load(id);
    return this.changes.make(
      id,
      title,
      async () => this.infoOf(await work(await this.changes.begin(await store.load(id), { what }))),
      ofServer,
    );
  }

  /** Deletes everything. Throws input-invalid while it serves a model, unless `force`. */
  remove(id: string, force: boolean): Promise<void> {
    return this.changes.make(
      id,
      'Removing',
      async () => {
        const stored = await this.options.store.load(id);
        const { state, reason } = await this.infoOf(stored);
        const serves = Object.keys(stored.deployment.models).length > 0;
        if (!force && serves && state !== 'stopped' && state !== 'failed') {
          const what = state === 'unknown' ? `may be serving: ${reason ?? ''}` : 'is serving';
          throw invalidInput(id, `${id} ${what}`, `Stop it first, or remove it with --force.`);
        }
        await this.tritons.remove(await this.changes.begin(stored, { what: 'remove' }), force);
      },
      deploymentChanges,
    );
  }

  /** Traces requests of others. Throws input-invalid, combination-unsupported, cancelled. @returns folder of the files */
  trace(id: string, asked: TraceAsked): Promise<string> {
    return this.changes.make(id, 'Tracing requests', async () => {
      const stored = await this.running(id);
      return traceDeployment(stored, asked, {
        tritons: this.tritons,
        closing: this.closing.signal,
        begun: (tracing) => this.changes.begin(stored, { what: 'trace', tracing }),
        ended: () => this.options.store.append(stored.folder, { type: 'tracing-ended' }),
      });
    });
  }

  async log(id: string, limit: number): Promise<readonly string[]> {
    const stored = await this.options.store.load(id);
    return this.tritons.serverOf(stored).log(stored.deployment, stored.folder, limit);
  }

  underWay(): readonly string[] {
    return this.changes.underWay();
  }

  /** Aborts unfinished work, and waits for its clean-up. */
  async close(): Promise<void> {
    const remedy = 'The previous version is still serving. Start the change again to retry.';
    const message = 'The change of the deployment was cancelled';
    this.closing.abort(new WorkbenchError('cancelled', message, { remedy }));
    await this.changes.settled();
  }

  private infoOf(
    stored: StoredDeployment,
    now: ChangeState = { work: null, isInterrupted: false },
  ): Promise<DeploymentInfo> {
    const { tritons, options } = this;
    return observe(stored, tritons.serverOf(stored), { ...now, now: options.now().getTime() });
  }

  private trying(): TryParts {
    const say = this.changes.say.bind(this.changes);
    return { tritons: this.tritons, signal: this.closing.signal, say };
  }

  /** Removes a failed new deployment, unless its engine is away. */
  private async givenUp(id: string, error: unknown): Promise<WorkbenchError> {
    // Its server may have started since.
    const stored = await this.options.store.load(id);
    const failed = await this.tritons.withLog(stored, error);
    const isGone = await this.tritons.remove(stored).then(
      () => true,
      () => false,
    );
    if (isGone) return failed;
    return new WorkbenchError(failed.code, failed.message, {
      where: failed.where,
      details: failed.details,
      cause: failed,
      remedy: `Once its engine responds again, remove any leftovers: "deployments remove ${id}".`,
    });
  }

  private update(id: string, run: DeployableRun): Promise<DeploymentInfo> {
    return this.changes.make(id, 'Loading the new version', async () => {
      const found = await this.running(id);
      const { deployment, folder } = found;
      requireSameEngine(id, deployment.engine, run.engine);
      const name = run.config.name;
      const before = deployment.models[name];
      const version = before === undefined ? run.version : before.lastVersion + 1;
      const to = { ...run.about, model: name, version };
      const from = before?.active ?? null;
      const stored = await this.changes.begin(found, { what: 'update', to, from: from?.version ?? null });
      const server = this.tritons.serverOf(stored);
      let after: StoredDeployment;
      try {
        await removeLeftModels(stored, server);
        await addFiles(folder, run, to, from);
        const served = await triedVersion(stored, run, to, this.trying());
        this.changes.say(id, 'Switching to the new version');
        after = await switchVersion(stored, server, {
          to: served,
          from,
          commit: () => this.options.store.append(folder, { type: 'version-served', version: served }),
        });
      } catch (error) {
        const failed = await this.tritons.withLog(stored, error);
        await dropVersion(stored, server, to);
        throw failed;
      }
      await this.tritons.tidy(after);
      return this.infoOf(after);
    });
  }

  /** Throws input-invalid unless Triton responds. */
  private async running(id: string): Promise<StoredDeployment> {
    const stored = await this.options.store.load(id);
    const { state, reason } = await this.infoOf(stored);
    if (state === 'ready' || state === 'degraded') return stored;
    throw new WorkbenchError('input-invalid', `${id} is ${state}${reason === null ? '' : `: ${reason}`}`, {
      where: id,
      remedy: state === 'unknown' ? 'Check the host with "hosts check".' : 'Start it first.',
    });
  }
}
