import { randomUUID } from 'node:crypto';
import { toWire, type WireError, WorkbenchError } from '../contract/errors';

const keptWorks = 20;
/** Throttles events: pulls report hundreds of times per second. */
const emitEveryMs = 200;

interface WorkState {
  readonly id: string;
  readonly status: 'running' | 'done' | 'failed' | 'cancelled';
  readonly fraction: number | null;
  readonly text: string;
  readonly error: WireError | null;
}

interface Entry<Work> {
  readonly key: string;
  readonly controller: AbortController;
  work: Work;
  ended: Promise<Work>;
}

export interface WorkReporter<Facts> {
  readonly signal: AbortSignal;
  readonly change: (part: Partial<Facts & WorkState>) => void;
}

function failed(error: unknown): Pick<WorkState, 'status' | 'text' | 'error'> {
  const wire = toWire(error);
  return wire.code === 'cancelled'
    ? { status: 'cancelled', text: 'Cancelled', error: wire }
    : { status: 'failed', text: 'Failed', error: wire };
}

/** One work per key at a time, and the last 20 ended ones. */
export class Works<Facts> {
  private readonly entries = new Map<string, Entry<Facts & WorkState>>();

  /** @param what "download" */
  constructor(
    private readonly what: string,
    private readonly emit: (work: Facts & WorkState) => void,
  ) {}

  /** Returns the id; an active work of the key is shared. `run` returns its result. */
  start(
    key: string,
    facts: Facts,
    run: (reporter: WorkReporter<Facts>) => Promise<Partial<Facts & WorkState>>,
  ): string {
    const busy = [...this.entries.values()].find(
      (other) => other.key === key && other.work.status === 'running',
    );
    if (busy !== undefined) return busy.work.id;
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const change = (part: Partial<Facts & WorkState>) => {
      entry.work = { ...entry.work, ...part };
      timer ??= setTimeout(() => {
        timer = undefined;
        this.emit(entry.work);
      }, emitEveryMs);
    };
    const finish = (part: Partial<Facts & WorkState>) => {
      clearTimeout(timer);
      entry.work = { ...entry.work, ...part };
      this.forgetOldest();
      this.emit(entry.work);
      return entry.work;
    };
    const state = { status: 'running', fraction: null, text: 'Starting', error: null } as const;
    const work = { id: randomUUID(), ...state, ...facts };
    const entry: Entry<Facts & WorkState> = { key, work, controller, ended: Promise.resolve(work) };
    this.entries.set(work.id, entry);
    this.emit(work);
    entry.ended = run({ signal: controller.signal, change }).then(
      (part) => finish({ status: 'done', fraction: 1, ...part }),
      (error: unknown) => finish(failed(error) as Partial<Facts & WorkState>),
    );
    return work.id;
  }

  /** No-op for ended or unknown works. */
  cancel(workId: string): void {
    this.entries.get(workId)?.controller.abort();
  }

  /** Newest first. */
  list(): readonly (Facts & WorkState)[] {
    return [...this.entries.values()].map(({ work }) => work).reverse();
  }

  /** Resolves at the end. Throws input-invalid for unknown ids. */
  async ended(workId: string): Promise<Facts & WorkState> {
    const entry = this.entries.get(workId);
    if (entry === undefined) throw new WorkbenchError('input-invalid', `No such ${this.what}: ${workId}`);
    return entry.ended;
  }

  async close(): Promise<void> {
    for (const { controller } of this.entries.values()) controller.abort();
    await Promise.all([...this.entries.values()].map(({ ended }) => ended));
  }

  private forgetOldest(): void {
    const over = [...this.entries.values()]
      .filter(({ work }) => work.status !== 'running')
      .slice(0, -keptWorks);
    for (const { work } of over) this.entries.delete(work.id);
  }
}
