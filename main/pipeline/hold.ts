import { type WireError, WorkbenchError } from '../contract/errors';
import type { RunWait } from '../contract/run/run-events';

/** What keeps a run from going on, and goes away without it: a full disk, an engine that is away. */
export interface Hold {
  readonly wait: RunWait;
  /** What the run met. */
  readonly error: WireError;
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  /** The run waits no longer and fails; for ever where absent. */
  readonly limitMs?: number | undefined;
  isOver(): Promise<boolean>;
}

/** Ends the steps of an attempt without an outcome: it continues once the hold is over. */
export class HeldUp extends WorkbenchError {
  constructor(
    readonly hold: Hold,
    cause: unknown,
  ) {
    const { code, message, where, remedy, details } = hold.error;
    super(code, message, { where, remedy, details, cause });
  }
}

/** A person may know better than the looks: the run tries at once. */
export class ContinueNow {
  private asked: (() => void) | null = null;

  /** False when nothing waits. */
  ask(): boolean {
    this.asked?.();
    return this.asked !== null;
  }

  listen(take: () => void): () => void {
    this.asked = take;
    return () => {
      this.asked = null;
    };
  }
}
