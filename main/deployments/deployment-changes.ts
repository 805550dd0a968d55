import type { DeployedVersion } from '../contract/deployment/deployment';
import { type DeploymentChange, tritonVersionOf } from '../contract/deployment/deployment-change';
import { toWire } from '../contract/errors';
import { isOfRepository, isPlaced } from './deployed-repository';
import type { DeploymentStore, StoredDeployment } from './deployment-store';
import type { DeploymentTritons } from './deployment-tritons';
import { isAway, type MoveParts, recoverMove } from './move-engine';
import { type ChangeState, grpcAddressOf } from './observe';
import { keptConfig, loadVersion, removeLeftModels, undoSwitch } from './switch-version';
import { undoTracing } from './trace-deployment';
import { endApart } from './triton-apart';
import { checkVersion } from './version-check';

/** The change's target version, if it responds like its run; null otherwise. */
async function answering(
  stored: StoredDeployment,
  tritons: DeploymentTritons,
  to: NonNullable<DeploymentChange['to']>,
): Promise<DeployedVersion | null> {
  const { folder, deployment } = stored;
  // Throws if the state is unknown: no version is given up then.
  const { kind } = await tritons.serverOf(stored).readStatus(deployment);
  if (kind !== 'running') return null;
  if (isOfRepository(to) && !(await isPlaced(folder, to))) return null;
  try {
    await tritons.untilAnswering(stored);
    const client = await tritons.clientOf(stored);
    // Another version may be loaded under the same number.
    if (isOfRepository(to)) await loadVersion(client, to);
    const checked = await checkVersion({
      ...{ client, model: to.model, version: to.version, tritonVersion: tritonVersionOf(to), load: false },
      config: await keptConfig(folder, to),
      kept: folder.kept(to.model, to.version),
      grpcAddress: await grpcAddressOf(deployment, tritons.serverOf(stored)),
    });
    return { ...to, ...checked };
  } catch (error) {
    if (isAway(error)) throw error;
    return null;
  }
}

async function recoverVersion(
  stored: StoredDeployment,
  { what, to }: DeploymentChange,
  { store, tritons }: MoveParts,
): Promise<void> {
  const { folder, deployment } = stored;
  const version = to === undefined ? null : await answering(stored, tritons, to);
  const from = deployment.models[to?.model ?? '']?.active ?? null;
  if (version === null && what === 'deploy') return tritons.remove(stored);
  if (version === null) {
    if (to !== undefined) await undoSwitch(stored, tritons.serverOf(stored), { to, from });
    await store.append(folder, { type: 'change-recovered', outcome: 'undone' });
    return;
  }
  const { model } = version;
  const after = await store.append(
    folder,
    what === 'rollback'
      ? { type: 'rolled-back', model, to: version.version, from: from?.version ?? 0 }
      : { type: 'version-served', version },
    { type: 'change-recovered', outcome: 'completed' },
  );
  await removeLeftModels(after, tritons.serverOf(after));
  await tritons.tidy(after);
}

async function recover(stored: StoredDeployment, change: DeploymentChange, parts: MoveParts): Promise<void> {
  const { store, tritons } = parts;
  const { folder, deployment } = stored;
  switch (change.what) {
    case 'deploy':
    case 'update':
    case 'rollback':
      return recoverVersion(stored, change, parts);
    case 'move':
      return recoverMove(stored, parts);
    case 'remove':
      return tritons.remove(stored);
    case 'trace':
      await undoTracing(stored, change, tritons);
      await store.append(folder, { type: 'change-recovered', outcome: 'undone' });
      return;
    case 'stop':
      await tritons.stop(stored);
      break;
    case 'start':
    case 'restart':
      // A restart may have stopped and started it already.
      await tritons.serve(
        change.what === 'restart' && deployment.wanted ? await tritons.stop(stored) : stored,
      );
  }
  await store.append(folder, { type: 'change-recovered', outcome: 'completed' });
}

/**
 * Completes a killed change if the target version responds like its run; undoes it otherwise. Requires the lease.
 * Throws docker-unreachable, host-unreachable, and errors of a start.
 */
async function recoverChange(stored: StoredDeployment, parts: MoveParts): Promise<void> {
  const { change } = stored.deployment;
  if (change?.outcome !== null) return;
  try {
    await endApart(stored, parts.tritons.serverOf(stored));
    await recover(stored, change, parts);
  } catch (error) {
    if (isAway(error)) throw error;
    await parts.store.append(stored.folder, {
      type: 'change-recovered',
      outcome: 'failed',
      problem: toWire(error).message,
    });
    throw error;
  }
}

/** Pause between recoveries, because the previous one may not hold the lease yet. */
const recoveryPauseMs = 10_000;

interface DeploymentChangesOptions {
  readonly store: DeploymentStore;
  readonly tritons: DeploymentTritons;
  /** Starts nothing after it. */
  readonly closing: AbortSignal;
  /** `work`: what begins; null: idle. */
  readonly onChange: (id: string, work: string | null) => void;
  /** Starts recovery in a detached process. */
  readonly startRecovery: (id: string) => void;
}

type ChangeKind = DeploymentChange['what'];

/** Serializes changes per deployment; each is journaled before it acts. */
export class DeploymentChanges {
  private readonly works = new Map<string, string>();
  private readonly made = new Set<Promise<unknown>>();
  private readonly recoveries = new Map<string, number>();

  constructor(private readonly options: DeploymentChangesOptions) {}

  /** Executes a change, visible to listings. @param over killed changes that it replaces; others are recovered first */
  async make<Value>(
    id: string,
    what: string,
    work: () => Promise<Value>,
    over: readonly ChangeKind[] = [],
  ): Promise<Value> {
    const { store, closing, onChange } = this.options;
    const change = store.hold(id, async () => {
      closing.throwIfAborted();
      this.say(id, what);
      try {
        await this.recover(id, over);
        return await work();
      } catch (error) {
        await this.fail(id, error);
        throw error;
      } finally {
        this.works.delete(id);
        onChange(id, null);
      }
    });
    this.made.add(change);
    return change.finally(() => this.made.delete(change));
  }

  /** Journals a change's start, so that a killed one can be recovered. Call within `make`. */
  begin(
    { folder }: StoredDeployment,
    change: Pick<DeploymentChange, 'what' | 'to' | 'from' | 'engines' | 'tracing'>,
  ): Promise<StoredDeployment> {
    return this.options.store.append(folder, { type: 'change-begun', ...change, pid: process.pid });
  }

  say(id: string, what: string): void {
    this.works.set(id, what);
    this.options.onChange(id, what);
  }

  async stateOf(stored: StoredDeployment): Promise<ChangeState> {
    const work = this.works.get(stored.deployment.id) ?? null;
    return { work, isInterrupted: work === null && (await this.isInterrupted(stored)) };
  }

  /** Unless someone holds the lease. */
  async recoverApart(id: string): Promise<void> {
    if ((await this.options.store.holder(id)) !== null) return;
    const now = performance.now();
    if (now - (this.recoveries.get(id) ?? Number.NEGATIVE_INFINITY) < recoveryPauseMs) return;
    this.recoveries.set(id, now);
    this.options.startRecovery(id);
  }

  underWay(): readonly string[] {
    return [...this.works.keys()];
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.made);
  }

  private async isInterrupted({ deployment: { id, change } }: StoredDeployment): Promise<boolean> {
    if (change?.outcome !== null) return false;
    const holder = await this.options.store.holder(id);
    if (holder !== null) return holder.pid !== change.pid;
    // It may just have ended.
    const again = await this.options.store.load(id).catch(() => null);
    return again?.deployment.change?.outcome === null;
  }

  private async recover(id: string, over: readonly ChangeKind[]): Promise<void> {
    const { store, tritons } = this.options;
    const stored = await store.load(id).catch(() => null);
    const change = stored?.deployment.change;
    if (stored === null || change?.outcome !== null || over.includes(change.what)) return;
    await recoverChange(stored, { store, tritons });
  }

  /** Fails an unfinished change of this process. */
  private async fail(id: string, error: unknown): Promise<void> {
    const { store } = this.options;
    const stored = await store.load(id).catch(() => null);
    const change = stored?.deployment.change;
    if (stored === null || change?.outcome !== null || change.pid !== process.pid) return;
    // Its settings are still to be put back.
    if (change.what === 'trace') return;
    await store.append(stored.folder, { type: 'failed', what: change.what, error: toWire(error) });
  }
}
