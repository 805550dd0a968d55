import { join } from 'node:path';
import type {
  DeployedVersion,
  DeploymentEngine,
  DeploymentInfo,
  DeployRequest,
} from '../contract/deployment';
import { fromWire, invalidInput, toWire, WorkbenchError } from '../contract/errors';
import type { DeploymentServer } from '../engine/engine';
import { linkedAbort } from '../platform/abort';
import type { TritonClient } from '../triton/client';
import {
  addVersion,
  type DeployableRun,
  leftModels,
  removeModel,
  removeOthers,
  removeVersion,
  requireModelName,
  servingOnly,
  writeCandidate,
  writeConfig,
} from './deployable-run';
import type { DeploymentFolder, DeploymentStore, StoredDeployment } from './deployment-store';
import { clientOf, hostOf, observe, unreadable, untilAnswering } from './observe';
import { choosePorts, freeName, onlyModel, requireSameEngine, requireTarget } from './placement';
import { keptConfig, removeLeftModels, switchVersion } from './switch-version';
import { checkVersion, keepCheck } from './version-check';

const startLimitMs = 300_000;

interface DeploymentsOptions {
  readonly store: DeploymentStore;
  readonly servers: Readonly<Record<DeploymentEngine['kind'], DeploymentServer>>;
  /** A run whose model may be deployed. Throws where it may not. */
  readonly runOf: (runId: string, allowUnverified: boolean) => Promise<DeployableRun>;
  /** `work`: what begins now; null: nothing is under way any more. */
  readonly onChange: (id: string, work: string | null) => void;
  readonly now: () => Date;
}

/** Models that are kept serving. */
export class Deployments {
  /** What this process does with which one. */
  private readonly works = new Map<string, string>();
  private readonly changes = new Set<Promise<unknown>>();
  /** A new deployment or version that is not done by then goes; what serves continues. */
  private readonly closing = new AbortController();

  constructor(private readonly options: DeploymentsOptions) {}

  async list(): Promise<readonly DeploymentInfo[]> {
    const found = await Promise.all(
      (await this.options.store.ids()).map((id) =>
        this.show(id).catch((error: unknown) =>
          // Removed since the folder was read.
          toWire(error).code === 'deployment-unknown' ? null : unreadable(id, error),
        ),
      ),
    );
    return found.filter((info) => info !== null);
  }

  async show(id: string): Promise<DeploymentInfo> {
    return this.infoOf(await this.options.store.load(id), this.works.get(id) ?? null);
  }

  /** A new deployment of a run, or a new version or model in one that there is. Gives it as it then serves. */
  async deploy(request: DeployRequest): Promise<DeploymentInfo> {
    if (request.to !== undefined) await requireTarget(this.options.store, request.to);
    const run = await this.options.runOf(request.runId, request.allowUnverified === true);
    requireModelName(run.config.name);
    if (request.to !== undefined) return this.update(request.to, run);
    const { store } = this.options;
    const ids = await store.ids();
    const id = request.name ?? freeName(run.config.name, ids);
    return this.changing(id, 'Starting Triton', async () => {
      const others = await Promise.all(ids.map((other) => store.load(other).catch(() => null)));
      const { engine } = run;
      const onSame = others.filter((other) => other !== null && hostOf(other.deployment) === hostOf(run));
      const taken = onSame.flatMap((other) => Object.values(other?.deployment.ports ?? {}));
      const { httpPort: http, grpcPort: grpc, metricsPort: metrics, listen } = request;
      const busy = await this.options.servers[engine.kind].busyPorts(engine);
      const ports = await choosePorts({ http, grpc, metrics }, new Set(taken), busy);
      const chosen = engine.kind === 'docker' && listen !== undefined ? { ...engine, listen } : engine;
      if (engine.kind === 'local' && listen !== undefined) {
        throw new WorkbenchError('input-invalid', 'The local Triton listens on this machine only', {
          where: 'listen',
          remedy: 'Deploy a run of the engine "docker" to serve other machines.',
        });
      }
      let stored = await store.create({ type: 'deployment-created', id, engine: chosen, ports });
      try {
        const version = run.version;
        await this.addFiles(stored.folder, run, version);
        await writeConfig(stored.folder, servingOnly(run.config, version));
        stored = await this.startServer(stored);
        await this.untilAnswering(stored);
        const served = await this.checked(stored, run, version, run.config.name, false);
        stored = await store.append(stored.folder, { type: 'version-served', version: served });
        return await this.infoOf(stored);
      } catch (error) {
        throw await this.givenUp(stored, error);
      }
    });
  }

  /** Puts the version before in the place of the one that serves. Throws input-invalid where there is none. */
  rollback(id: string, model?: string): Promise<DeploymentInfo> {
    return this.changing(id, 'Returning to the previous version', async () => {
      const stored = await this.running(id);
      const { deployment, folder } = stored;
      const name = model ?? onlyModel(deployment);
      const { active, previous } = deployment.models[name] ?? { active: null, previous: null };
      if (active === null || previous === null) {
        throw invalidInput(id, `${name} has no previous version to return to`);
      }
      const after = await switchVersion(stored, this.serverOf(stored), {
        ...{ to: previous, from: active },
        commit: () =>
          this.options.store.append(folder, {
            ...{ type: 'rolled-back', model: name, to: previous.version, from: active.version },
          }),
      });
      await this.tidy(after);
      return this.infoOf(after);
    });
  }

  start(id: string): Promise<DeploymentInfo> {
    return this.changing(id, 'Starting Triton', async () => this.started(await this.options.store.load(id)));
  }

  stop(id: string): Promise<DeploymentInfo> {
    return this.changing(id, 'Stopping Triton', async () =>
      this.infoOf(await this.stopped(await this.options.store.load(id))),
    );
  }

  restart(id: string): Promise<DeploymentInfo> {
    return this.changing(id, 'Restarting Triton', async () =>
      this.started(await this.stopped(await this.options.store.load(id))),
    );
  }

  /** Stops it and deletes its files. Throws input-invalid while it serves a model, unless `force`. */
  remove(id: string, force: boolean): Promise<void> {
    return this.changing(id, 'Removing', async () => {
      const stored = await this.options.store.load(id);
      const { state, reason } = await this.infoOf(stored);
      const serves = Object.keys(stored.deployment.models).length > 0;
      if (!force && serves && state !== 'stopped' && state !== 'failed') {
        const what = state === 'unknown' ? `may be serving: ${reason ?? ''}` : 'is serving';
        throw invalidInput(id, `${id} ${what}`, `Stop it first, or remove it with --force.`);
      }
      await this.serverOf(stored)
        .remove(stored.deployment, stored.folder)
        .catch((error: unknown) => {
          // A host that nobody knows any more is not asked.
          if (!force || toWire(error).code !== 'host-unknown') throw error;
        });
      await this.options.store.remove(stored.folder);
    });
  }

  async log(id: string, limit: number): Promise<readonly string[]> {
    const stored = await this.options.store.load(id);
    return this.serverOf(stored).log(stored.deployment, stored.folder, limit);
  }

  /** Those that this process changes. */
  underWay(): readonly string[] {
    return [...this.works.keys()];
  }

  /** Gives up what is not done, and waits until that is cleared away. */
  async close(): Promise<void> {
    const remedy = 'What served before still does. Start the change again when you want it.';
    const message = 'The change of the deployment was cancelled';
    this.closing.abort(new WorkbenchError('cancelled', message, { remedy }));
    await Promise.allSettled(this.changes);
  }

  private infoOf(stored: StoredDeployment, work: string | null = null): Promise<DeploymentInfo> {
    return observe(stored, this.serverOf(stored), { work, now: this.options.now().getTime() });
  }

  private serverOf({ deployment }: StoredDeployment): DeploymentServer {
    return this.options.servers[deployment.engine.kind];
  }

  /** One change at a time; whoever lists the deployments sees what is under way. */
  private async changing<Value>(id: string, what: string, work: () => Promise<Value>): Promise<Value> {
    const change = this.options.store.hold(id, async () => {
      this.closing.signal.throwIfAborted();
      this.say(id, what);
      try {
        return await work();
      } finally {
        this.works.delete(id);
        this.options.onChange(id, null);
      }
    });
    this.changes.add(change);
    return change.finally(() => this.changes.delete(change));
  }

  private say(id: string, what: string): void {
    this.works.set(id, what);
    this.options.onChange(id, what);
  }

  /** A new deployment came to nothing: all of it goes, unless its engine is away and may keep some. */
  private async givenUp(stored: StoredDeployment, error: unknown): Promise<WorkbenchError> {
    const { deployment, folder } = stored;
    const failed = await this.withLog(stored, error);
    const isGone = await this.serverOf(stored)
      .remove(deployment, folder)
      .then(
        () => true,
        () => false,
      );
    if (isGone) {
      await this.options.store.remove(folder);
      return failed;
    }
    const left = new WorkbenchError(failed.code, failed.message, {
      ...{ where: failed.where, details: failed.details, cause: failed },
      remedy: `Once its engine answers, remove what may be left there: "deployments remove ${deployment.id}".`,
    });
    await this.options.store.append(folder, { type: 'failed', what: 'deploy', error: toWire(left) });
    return left;
  }

  private update(id: string, run: DeployableRun): Promise<DeploymentInfo> {
    return this.changing(id, 'Loading the new version', async () => {
      const stored = await this.running(id);
      const { deployment, folder } = stored;
      requireSameEngine(id, deployment.engine, run.engine);
      const name = run.config.name;
      const before = deployment.models[name];
      const version = before === undefined ? run.version : before.lastVersion + 1;
      const server = this.serverOf(stored);
      const { store } = this.options;
      let after: StoredDeployment;
      try {
        await removeLeftModels(stored, server);
        await this.addFiles(folder, run, version);
        // Under another name first: what serves is not touched before the new version has shown what it answers.
        const candidate = await writeCandidate(folder, run.config, version);
        await this.sync(stored, this.closing.signal);
        this.closing.signal.throwIfAborted();
        const served = await this.checked(stored, run, version, candidate, true);
        await removeLeftModels(stored, server, name);
        this.say(id, 'Switching to the new version');
        after = await switchVersion(stored, server, {
          ...{ to: served, from: before?.active ?? null },
          commit: () => store.append(folder, { type: 'version-served', version: served }),
        });
      } catch (error) {
        const failed = await this.withLog(stored, error);
        await removeLeftModels(stored, server).catch(() => undefined);
        if (before === undefined) await removeModel(folder, name);
        else await removeVersion(folder, name, version);
        await this.sync(stored).catch(() => undefined);
        await store.append(folder, { type: 'failed', what: 'deploy', error: toWire(failed) });
        throw failed;
      }
      await this.tidy(after);
      return this.infoOf(after);
    });
  }

  /** What the journal names no more goes. It serves without that: what fails here is done by the next change or start. */
  private async tidy(stored: StoredDeployment): Promise<void> {
    await removeOthers(stored.folder, stored.deployment.models).catch(() => undefined);
    await this.sync(stored).catch(() => undefined);
  }

  /** A deployment whose Triton answers. Throws input-invalid for any other. */
  private async running(id: string): Promise<StoredDeployment> {
    const stored = await this.options.store.load(id);
    const { state, reason } = await this.infoOf(stored);
    if (state === 'ready' || state === 'degraded') return stored;
    throw new WorkbenchError('input-invalid', `${id} is ${state}${reason === null ? '' : `: ${reason}`}`, {
      where: id,
      remedy: state === 'unknown' ? 'Check the host with "hosts check".' : 'Start it first.',
    });
  }

  private async addFiles(folder: DeploymentFolder, run: DeployableRun, version: number): Promise<void> {
    const { name } = run.config;
    await removeVersion(folder, name, version);
    await addVersion(folder, { from: run.files, model: name, version });
    await keepCheck(folder.kept(name, version), run.check, run.samples);
    await run.keepConfig(join(folder.kept(name, version), 'config.pbtxt'), servingOnly(run.config, version));
  }

  private async checked(
    stored: StoredDeployment,
    run: DeployableRun,
    version: number,
    servedAs: string,
    load: boolean,
  ): Promise<DeployedVersion> {
    const { deployment, folder } = stored;
    const { name } = run.config;
    this.say(deployment.id, 'Checking the new version');
    const checkedSamples = await checkVersion({
      client: await this.clientOf(stored),
      model: servedAs,
      version,
      config: { ...run.config, name: servedAs },
      kept: folder.kept(name, version),
      load,
      signal: this.closing.signal,
    });
    return { ...run.about, model: name, version, checkedSamples };
  }

  private clientOf(stored: StoredDeployment): Promise<TritonClient> {
    return clientOf(stored.deployment, this.serverOf(stored));
  }

  /** What Triton reads is what is here. */
  private async sync(stored: StoredDeployment, signal?: AbortSignal): Promise<void> {
    await this.serverOf(stored).sync(stored.deployment, stored.folder, signal);
  }

  private async startServer(stored: StoredDeployment): Promise<StoredDeployment> {
    const { deployment, folder } = stored;
    // However long the line takes for it.
    await this.sync(stored, this.closing.signal);
    const { controller, dispose } = linkedAbort(AbortSignal.timeout(startLimitMs), this.closing.signal);
    const process = await this.serverOf(stored).start(deployment, folder, controller.signal).finally(dispose);
    const entries = process === null ? [] : [process];
    return this.options.store.append(folder, ...entries, { type: 'started' });
  }

  private async started(stored: StoredDeployment): Promise<DeploymentInfo> {
    // What an update left that did not come to its end is not to be loaded, and what the journal says is served.
    const { folder, deployment } = stored;
    for (const name of await leftModels(folder, deployment.models)) await removeModel(folder, name);
    for (const { active } of Object.values(deployment.models)) {
      await writeConfig(folder, await keptConfig(folder, active));
    }
    await removeOthers(folder, deployment.models).catch(() => undefined);
    const started = await this.startServer(stored);
    try {
      await this.untilAnswering(started);
    } catch (error) {
      const failed = await this.withLog(started, error);
      // It loads its models without the workbench too.
      if (failed.code === 'cancelled') throw failed;
      await this.options.store.append(started.folder, {
        type: 'failed',
        what: 'start',
        error: toWire(failed),
      });
      throw failed;
    }
    return this.infoOf(started);
  }

  private async stopped(stored: StoredDeployment): Promise<StoredDeployment> {
    await this.serverOf(stored).stop(stored.deployment);
    return this.options.store.append(stored.folder, { type: 'stopped' });
  }

  private untilAnswering(stored: StoredDeployment): Promise<void> {
    return untilAnswering(stored.deployment, this.serverOf(stored), this.closing.signal);
  }

  /** The same error with Triton's last lines, where it has none of its own. */
  private async withLog(stored: StoredDeployment, error: unknown): Promise<WorkbenchError> {
    if (this.closing.signal.aborted) return fromWire(toWire(this.closing.signal.reason));
    const { code, message, where, remedy, details } = toWire(error);
    const lines = await this.serverOf(stored)
      .log(stored.deployment, stored.folder, 40)
      .catch(() => []);
    return new WorkbenchError(code, message, {
      ...{ where, remedy, cause: error },
      details: details ?? (lines.length === 0 ? undefined : lines.join('\n')),
    });
  }
}
