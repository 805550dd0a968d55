import type { DeploymentChange } from '../contract/deployment-change';
import { toWire } from '../contract/errors';
import type { DeploymentStore, StoredDeployment } from './deployment-store';
import type { DeploymentTritons } from './deployment-tritons';
import type { ChangeState } from './observe';
import { recoverChange } from './recover-change';

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
    await store.append(stored.folder, { type: 'failed', what: change.what, error: toWire(error) });
  }
}
