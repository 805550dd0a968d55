/** Errors of a listener do not affect the others. */
export class Listeners<Event> {
  private readonly set = new Set<(event: Event) => void>();

  add(listener: (event: Event) => void): () => void {
    this.set.add(listener);
    return () => {
      this.set.delete(listener);
    };
  }

  emit(event: Event): void {
    for (const listener of [...this.set]) {
      try {
        listener(event);
      } catch {
        // A failing listener must not stop the run.
      }
    }
  }
}

/** Abort reason: leave processes running for reuse. */
export class LeaveRunning extends Error {
  override readonly name = 'LeaveRunning';
}

export const leavesRunning = (signal: AbortSignal): boolean => signal.reason instanceof LeaveRunning;

/** Follows `parents`, and can be aborted itself (Node 18 lacks AbortSignal.any). */
export function linkedAbort(...parents: readonly AbortSignal[]): {
  readonly controller: AbortController;
  readonly dispose: () => void;
} {
  const controller = new AbortController();
  const follow = () => {
    controller.abort(parents.find((parent) => parent.aborted)?.reason);
  };
  for (const parent of parents) {
    if (parent.aborted) follow();
    else parent.addEventListener('abort', follow, { once: true });
  }
  return {
    controller,
    dispose: () => {
      for (const parent of parents) parent.removeEventListener('abort', follow);
    },
  };
}

/** Rejects on abort; `done` removes the listener. */
export function whenAborted(signal: AbortSignal): {
  readonly aborted: Promise<never>;
  readonly done: () => void;
} {
  let done = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    const fail = (): void => reject(new Error('aborted'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
    done = () => signal.removeEventListener('abort', fail);
  });
  aborted.catch(() => undefined);
  return { aborted, done };
}

interface Ending {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly cancelled: () => Error;
  readonly late: () => Error;
  /** Frees what the work holds; before it settles. */
  readonly close: () => void;
}

/** Settles as `begin` says, at the abort, or when the time is up. Aborted already, nothing begins. */
export function untilEnded<Value>(
  { timeoutMs, signal, cancelled, late, close }: Ending,
  begin: (done: (value: Value) => void, fail: (error: Error) => void) => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      close();
      settle();
    };
    const fail = (error: Error) => {
      end(() => reject(error));
    };
    const onAbort = () => {
      fail(cancelled());
    };
    const timer = setTimeout(() => fail(late()), timeoutMs);
    if (signal?.aborted === true) {
      onAbort();
      return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    begin((value) => end(() => resolve(value)), fail);
  });
}
