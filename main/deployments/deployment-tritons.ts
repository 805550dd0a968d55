import type { DeploymentBody, DeploymentEngine } from '../contract/deployment/deployment';
import { fromWire, toWire, WorkbenchError } from '../contract/errors';
import type { DeploymentServer } from '../engine/engine';
import { linkedAbort } from '../platform/abort';
import type { TritonClient } from '../triton/client';
import { leftModels, removeModel, removeOthers } from './deployable-run';
import type { DeploymentStore, StoredDeployment } from './deployment-store';
import { clientOf, untilAnswering } from './observe';
import { placeVersion, removeLeftModels } from './switch-version';
import { endApart } from './triton-apart';

const startLimitMs = 300_000;

interface DeploymentTritonsOptions {
  readonly store: DeploymentStore;
  readonly servers: Readonly<Record<DeploymentEngine['kind'], DeploymentServer>>;
  /** Aborts unfinished work. */
  readonly closing: AbortSignal;
}

/** Deployed Tritons; changes are journaled. */
export class DeploymentTritons {
  constructor(private readonly options: DeploymentTritonsOptions) {}

  serverOf({ deployment }: StoredDeployment): DeploymentServer {
    return this.options.servers[deployment.engine.kind];
  }

  clientOf(stored: StoredDeployment): Promise<TritonClient> {
    return clientOf(stored.deployment, this.serverOf(stored));
  }

  /** Mirrors local files to Triton's machine. */
  async sync(stored: StoredDeployment, signal?: AbortSignal): Promise<void> {
    await this.serverOf(stored).sync(stored.deployment, stored.folder, signal);
  }

  /** Removes what the journal no longer names. Failures are left to the next change. */
  async tidy(stored: StoredDeployment): Promise<void> {
    const { folder, deployment } = stored;
    // Models that only the version before was made of.
    if (deployment.engine.asIs) await removeLeftModels(stored, this.serverOf(stored)).catch(() => undefined);
    await removeOthers(folder, deployment.models).catch(() => undefined);
    await this.sync(stored).catch(() => undefined);
  }

  async start(stored: StoredDeployment): Promise<StoredDeployment> {
    const { store, closing } = this.options;
    const { deployment, folder } = stored;
    // However long the transfer takes.
    await this.sync(stored, closing);
    const { controller, dispose } = linkedAbort(AbortSignal.timeout(startLimitMs), closing);
    const how = {
      signal: controller.signal,
      note: (body: DeploymentBody) => store.append(folder, body),
    };
    await this.serverOf(stored).start(deployment, folder, how).finally(dispose);
    return store.append(folder, { type: 'started' });
  }

  /** Starts the journaled versions, and waits for responses. */
  async serve(stored: StoredDeployment): Promise<StoredDeployment> {
    // Remains of an interrupted update must not be loaded.
    const { folder, deployment } = stored;
    for (const name of await leftModels(folder, deployment.models)) await removeModel(folder, name);
    for (const { active } of Object.values(deployment.models)) {
      await placeVersion(folder, active);
    }
    await removeOthers(folder, deployment.models).catch(() => undefined);
    const started = await this.start(stored);
    try {
      await this.untilAnswering(started);
    } catch (error) {
      const failed = await this.withLog(started, error);
      // Triton loads models without the workbench too.
      if (failed.code === 'cancelled') throw failed;
      await this.options.store.append(folder, { type: 'failed', what: 'start', error: toWire(failed) });
      throw failed;
    }
    return started;
  }

  async stop(stored: StoredDeployment): Promise<StoredDeployment> {
    await this.serverOf(stored).stop(stored.deployment);
    return this.options.store.append(stored.folder, { type: 'stopped' });
  }

  async remove(stored: StoredDeployment, force = false): Promise<void> {
    const server = this.serverOf(stored);
    await endApart(stored, server)
      .then(() => server.remove(stored.deployment, stored.folder))
      .catch((error: unknown) => {
        // With `force`, removed hosts are skipped.
        if (!force || toWire(error).code !== 'host-unknown') throw error;
      });
    await this.options.store.remove(stored.folder);
  }

  untilAnswering(stored: StoredDeployment): Promise<void> {
    return untilAnswering(stored.deployment, this.serverOf(stored), this.options.closing);
  }

  /** Adds Triton's last lines, if missing. */
  async withLog(stored: StoredDeployment, error: unknown): Promise<WorkbenchError> {
    const { closing } = this.options;
    if (closing.aborted) return fromWire(toWire(closing.reason));
    const { code, message, where, remedy, details } = toWire(error);
    const lines = await this.serverOf(stored)
      .log(stored.deployment, stored.folder, 40)
      .catch(() => []);
    return new WorkbenchError(code, message, {
      where,
      remedy,
      cause: error,
      details: details ?? (lines.length === 0 ? undefined : lines.join('\n')),
    });
  }
}
