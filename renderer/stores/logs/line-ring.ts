export interface LineList {
  readonly length: number;
  at(index: number): string | undefined;
}

/**
 * The last `capacity` lines. A line keeps its number, counted from the first ever, while older ones go. Nothing is
 * moved: the newest line overwrites the oldest.
 */
export function createLineRing(capacity: number) {
  let places: string[] = [];
  let end = 0;
  const first = (): number => Math.max(0, end - capacity);
  /** undefined: gone, or not there yet. */
  const numbered = (number: number): string | undefined =>
    number >= first() && number < end ? places[number % capacity] : undefined;
  return {
    get length(): number {
      return end - first();
    },
    /** Number of the oldest line kept. */
    get first(): number {
      return first();
    },
    /** Number of the next line that will come. */
    get end(): number {
      return end;
    },
    numbered,
    at: (index: number): string | undefined => numbered(first() + index),
    push(line: string): void {
      places[end % capacity] = line;
      end += 1;
    },
    clear(): void {
      places = [];
      end = 0;
    },
  };
}

export type LineRing = ReturnType<typeof createLineRing>;
