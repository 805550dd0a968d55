/** A set of listeners with disposers; a failing listener does not keep the others from hearing. */
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
        // A listener that fails does not stop the run.
      }
    }
  }
}

/** The reason of an abort after which nothing is stopped or removed: what runs is taken up again. */
export class LeaveRunning extends Error {
  override readonly name = 'LeaveRunning';
}

export const leavesRunning = (signal: AbortSignal): boolean => signal.reason instanceof LeaveRunning;

/** A signal that follows `parents` and can also be aborted by its owner, with their reason (Node 18 has no AbortSignal.any). */
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

/** Rejects when the signal is aborted; `done` forgets about it. */
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
