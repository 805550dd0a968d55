interface Beginning {
  isAskedNow: boolean;
  readonly begun: Promise<void>;
}

/** Stops that are asked of runs while they begin: until they have begun there is nothing that could be stopped. */
export class EarlyStops {
  private readonly beginning = new Map<string, Beginning>();

  /** Begins a run. @param begin may ask whether it was asked meanwhile to stop at once */
  async during<Begun>(runId: string, begin: (isAskedNow: () => boolean) => Promise<Begun>): Promise<Begun> {
    // The second of two attempts is refused, and decides nothing.
    if (this.beginning.has(runId)) return begin(() => false);
    let tell = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const one: Beginning = { isAskedNow: false, begun };
    this.beginning.set(runId, one);
    try {
      return await begin(() => one.isAskedNow);
    } finally {
      this.beginning.delete(runId);
      tell();
    }
  }

  /** When a run that begins has begun, or failed to; null of every other one. */
  begun(runId: string, when: 'soon' | 'now'): Promise<void> | null {
    const one = this.beginning.get(runId);
    if (one === undefined) return null;
    if (when === 'now') one.isAskedNow = true;
    return one.begun;
  }
}
