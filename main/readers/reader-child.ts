import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { fromWire } from '../contract/errors';
import type { ReaderJob, ReaderMessage } from './reader-messages';
import { memorySignal } from './reader-messages';

/** V8's own heap, MiB. The limit of resident memory is met first, but by a single huge allocation. */
const heapMiB = 2048;

/** A process that has read nothing takes some tens. */
const largeMiB = 384;

/** A process that cannot be asked by then is not waited for. */
const startMs = 20_000;

/** Why a process ended without an answer. */
type ReaderEnd = 'deadline' | 'memory' | 'gone';

/** Thrown for a process that ended without an answer. */
export class ReaderEnded extends Error {
  constructor(
    readonly end: ReaderEnd,
    /** Exit code or signal. */
    readonly by: string,
  ) {
    super(`The reader ended: ${end} (${by})`);
  }
}

/** One reader's process; does one job at a time. */
export class ReaderChild {
  private readonly child: ChildProcess;
  private readonly ready: Promise<void>;
  private stopped = false;
  private onAnswer: ((message: ReaderMessage) => void) | null = null;
  private onEnd: ((error: ReaderEnded) => void) | null = null;
  ended = false;
  /** After its last job. */
  private residentMiB = 0;

  /** @param file bundled entry of the process. */
  constructor(file: string) {
    this.child = fork(file, [], {
      // Nothing of the user's environment is needed to read a file.
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
      this.child.once('exit', (code, signal) => {
        end(signal ?? `exit code ${code}`);
      });
      this.child.on('error', (error) => {
        end(error.message);
      });
    });
    // Told to whoever asks it.
    this.ready.catch(() => undefined);
  }

  /** Throws what the reader throws, and {@link ReaderEnded}. The deadline counts from when the process can be asked. */
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

  /** What it still holds of the last file would count against the next. */
  get isLarge(): boolean {
    return this.residentMiB > largeMiB;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  /** An idle process keeps nobody from ending. */
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
