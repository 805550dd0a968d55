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
        // What a listener makes of an event is its own affair; the run goes on.
      }
    }
  }
}
