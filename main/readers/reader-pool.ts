import { type ChildProcess, fork } from 'node:child_process';
import { fromWire, WorkbenchError } from '../contract/errors';
import type { ReaderBounds } from '../contract/reader-limits';
import { memorySignal, type ReaderJob, type ReaderMessage } from './serve-readers';

/** V8's heap, MiB. The resident limit applies first, except for one huge allocation. */
const heapMiB = 2048;

/** An idle process takes some tens. */
const largeMiB = 384;

const startMs = 20_000;

type ReaderEnd = 'deadline' | 'memory' | 'gone';

class ReaderEnded extends Error {
  constructor(
    readonly end: ReaderEnd,
    readonly by: string,
  ) {
    super(`The reader ended: ${end} (${by})`);
  }
}

/** One reader process; one job at a time. */
class ReaderChild {
  private readonly child: ChildProcess;
  private readonly ready: Promise<void>;
  private stopped = false;
  private onAnswer: ((message: ReaderMessage) => void) | null = null;
  private onEnd: ((error: ReaderEnded) => void) | null = null;
  ended = false;
  private residentMiB = 0;

  /** @param file bundled entry of the process */
  constructor(file: string) {
    this.child = fork(file, [], {
      // Reading a file needs nothing of the user's environment.
      env: 'electron' in process.versions ? { ELECTRON_RUN_AS_NODE: '1' } : {},
      execArgv: [`--max-old-space-size=${heapMiB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.ready = new Promise((resolve, reject) => {
      this.child.on('message', (message: ReaderMessage) => {
        if (message.type === 'ready') resolve();
        else this.onAnswer?.(message);
      });
      const end = (by: string) => {
        this.ended = true;
        const error = new ReaderEnded(
          this.stopped ? 'deadline' : by === memorySignal ? 'memory' : 'gone',
          by,
        );
        reject(error);
        this.onEnd?.(error);
      };
      this.child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
      this.child.on('error', (error) => end(error.message));
    });
    // Reported to the next caller.
    this.ready.catch(() => undefined);
  }

  /** Throws the reader's error, and {@link ReaderEnded}. The deadline starts when the process is ready. */
  async read(job: ReaderJob, deadlineMs: number): Promise<unknown> {
    this.hold(true);
    let timer = this.stopAfter(startMs + deadlineMs);
    try {
      await this.ready;
      return await new Promise((resolve, reject) => {
        this.onEnd = reject;
        this.onAnswer = (message) => {
          if (message.type !== 'ready') this.residentMiB = message.residentMiB;
          if (message.type === 'answer') resolve(message.value);
          else if (message.type === 'failure') reject(fromWire(message.error));
        };
        clearTimeout(timer);
        timer = this.stopAfter(deadlineMs);
        this.child.send(job);
      });
    } finally {
      clearTimeout(timer);
      this.onAnswer = null;
      this.onEnd = null;
      this.hold(false);
    }
  }

  private stopAfter(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.stopped = true;
      this.child.kill('SIGKILL');
    }, ms);
  }

  get isLarge(): boolean {
    return this.residentMiB > largeMiB;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  /** An idle process must not keep the workbench alive. */
  private hold(on: boolean): void {
    if (on) {
      this.child.ref();
      this.child.channel?.ref();
    } else {
      this.child.unref();
      this.child.channel?.unref();
    }
  }
}

/** Concurrent processes: one that hangs does not block the others. */
const mostProcesses = 4;
/** One process stays warm for this long. */
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

export class ReaderPool {
  private readonly idle: ReaderChild[] = [];
  private readonly all = new Set<ReaderChild>();
  private readonly waiting: (() => void)[] = [];
  private busy = 0;
  private idleTimer: NodeJS.Timeout | undefined;

  /** @param file bundled entry of the process */
  constructor(private readonly file: string) {}

  /** Throws the reader's error; input-invalid where a limit stopped it. @param where of such an error */
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

  /** Ends all; reads in progress fail. */
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
