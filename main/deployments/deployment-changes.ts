import type { DeploymentChange } from '../contract/deployment-change';
import { toWire } from '../contract/errors';
import type { DeploymentStore, StoredDeployment } from './deployment-store';
import type { DeploymentTritons } from './deployment-tritons';
import type { ChangeState } from './observe';
import { recoverChange } from './recover-change';

/** Who looks every few seconds does not start the next recovery before this one holds the deployment. */
const recoveryPauseMs = 10_000;

interface DeploymentChangesOptions {
  readonly store: DeploymentStore;
  readonly tritons: DeploymentTritons;
  /** Nothing begins after it. */
  readonly closing: AbortSignal;
  /** `work`: what begins now; null: nothing is under way any more. */
  readonly onChange: (id: string, work: string | null) => void;
  /** Recovers the deployment in a process of its own, which nobody waits for. */
  readonly startRecovery: (id: string) => void;
}

type ChangeKind = DeploymentChange['what'];

/** Changes of deployments, one at a time of each: what is about to be done is journaled before its first act. */
export class DeploymentChanges {
  /** What this process does with which one. */
  private readonly works = new Map<string, string>();
  private readonly made = new Set<Promise<unknown>>();
  /** When the last recovery of each was started. */
  private readonly recoveries = new Map<string, number>();

  constructor(private readonly options: DeploymentChangesOptions) {}

  /**
   * Makes a change; whoever lists the deployments sees what is under way.
   * @param over of killed changes those that it makes up for: any other is recovered first
   */
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

  /** Journals what is about to be done, within `make`: whoever finds it begun by a process that was killed recovers it. */
  begin(
    { folder }: StoredDeployment,
    change: Pick<DeploymentChange, 'what' | 'to' | 'from'>,
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

  /** Unless somebody is at it. */
  async recoverApart(id: string): Promise<void> {
    if ((await this.options.store.holder(id)) !== null) return;
    const now = performance.now();
    if (now - (this.recoveries.get(id) ?? Number.NEGATIVE_INFINITY) < recoveryPauseMs) return;
    this.recoveries.set(id, now);
    this.options.startRecovery(id);
  }

  /** Those that this process changes. */
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

  /** A change of this process that has no end yet has failed. */
  private async fail(id: string, error: unknown): Promise<void> {
    const { store } = this.options;
    const stored = await store.load(id).catch(() => null);
    const change = stored?.deployment.change;
    if (stored === null || change?.outcome !== null || change.pid !== process.pid) return;
    await store.append(stored.folder, { type: 'failed', what: change.what, error: toWire(error) });
  }
}
