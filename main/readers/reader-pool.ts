import { WorkbenchError } from '../contract/errors';
import type { ReaderBounds } from '../contract/reader-limits';
import { ReaderChild, ReaderEnded } from './reader-child';

/** What reads at once: a reader that hangs does not keep the others waiting. */
const mostProcesses = 4;
/** One process stays warm for this long after its last job. */
const idleMs = 20_000;

const remedies = {
  deadline: 'Check that it is the intended file; such files are usually read in two seconds.',
  memory: 'Check that it is the intended file, and that this machine has free memory.',
  gone: 'Check that it is the intended file, and that this machine has free memory: V8 ends a process that requests too much.',
} as const;

function stopped({ end, by }: ReaderEnded, where: string | undefined, bounds: ReaderBounds): WorkbenchError {
  const { what, deadlineMs, memoryMiB } = bounds;
  const message = {
    deadline: `Reading ${what} was stopped after ${deadlineMs / 1000} s`,
    memory: `Reading ${what} was stopped: it needs more than ${memoryMiB} MiB of memory`,
    gone: `Reading ${what} ended without a result (${by})`,
  }[end];
  return new WorkbenchError('input-invalid', message, { where, remedy: remedies[end] });
}

/** Processes that read what comes from outside, made as they are needed. */
export class ReaderPool {
  private readonly idle: ReaderChild[] = [];
  private readonly all = new Set<ReaderChild>();
  private readonly waiting: (() => void)[] = [];
  private busy = 0;
  private idleTimer: NodeJS.Timeout | undefined;

  /** @param file bundled entry of the process. */
  constructor(private readonly file: string) {}

  /** Throws what the reader throws; input-invalid with the limit where it was stopped. @param where of such an error. */
  async read(name: string, input: unknown, bounds: ReaderBounds, where?: string): Promise<unknown> {
    if (this.busy >= mostProcesses) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.busy += 1;
    const child = this.take();
    try {
      return await child.read({ name, input, memoryMiB: bounds.memoryMiB }, bounds.deadlineMs);
    } catch (error) {
      throw error instanceof ReaderEnded ? stopped(error, where, bounds) : error;
    } finally {
      this.giveBack(child);
      this.busy -= 1;
      this.waiting.shift()?.();
    }
  }

  /** Ends all of them; what is being read fails. */
  close(): void {
    clearTimeout(this.idleTimer);
    for (const child of this.all) child.kill();
    this.idle.length = 0;
    this.all.clear();
  }

  private take(): ReaderChild {
    clearTimeout(this.idleTimer);
    for (let child = this.idle.pop(); child !== undefined; child = this.idle.pop()) {
      if (!child.ended) return child;
      this.all.delete(child);
    }
    const child = new ReaderChild(this.file);
    this.all.add(child);
    return child;
  }

  private giveBack(child: ReaderChild): void {
    if (child.ended || child.isLarge || this.idle.length > 0) {
      child.kill();
      this.all.delete(child);
    } else if (this.all.has(child)) this.idle.push(child);
    clearTimeout(this.idleTimer);
    this.idleTimer = setTimeout(() => {
      for (const one of this.idle.splice(0)) {
        one.kill();
        this.all.delete(one);
      }
    }, idleMs);
    this.idleTimer.unref();
  }
}
