/**
 * Numbers of rows: what stays listed keeps its row, and what is new takes the row of something that is gone. A server whose
 * names change every second would have thousands of rows made anew otherwise, faster than a page gives up old ones.
 */
export class RowSlots {
  private slots: ReadonlyMap<string, number> = new Map();

  /** The number of each key's row, in their order; the same again for the same keys. */
  of(keys: readonly string[]): readonly number[] {
    const next = new Map<string, number>();
    for (const key of keys) {
      const slot = this.slots.get(key);
      if (slot !== undefined) next.set(key, slot);
    }
    const used = new Set(next.values());
    let free = 0;
    for (const key of keys) {
      if (next.has(key)) continue;
      while (used.has(free)) free += 1;
      next.set(key, free);
      free += 1;
    }
    this.slots = next;
    return keys.map((key) => next.get(key) ?? 0);
  }
}
