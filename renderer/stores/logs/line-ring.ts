/** Lines that are read by position; arrays are such lists too. */
export interface LineList {
  readonly length: number;
  at(index: number): string | undefined;
}

/** The last `capacity` lines. A line keeps its number, counted from the first that ever came, while older ones go. */
export interface LineRing extends LineList {
  /** Numbers of the oldest line kept and of the next that will come. */
  readonly first: number;
  readonly end: number;
  /** The line of this number; undefined when it is gone or has not come. */
  numbered(number: number): string | undefined;
  push(line: string): void;
  clear(): void;
}

/** Nothing is moved when a line comes: the newest takes the place of the oldest. */
export function createLineRing(capacity: number): LineRing {
  let places: string[] = [];
  let end = 0;
  const first = (): number => Math.max(0, end - capacity);
  const numbered = (number: number): string | undefined =>
    number >= first() && number < end ? places[number % capacity] : undefined;
  return {
    get length() {
      return end - first();
    },
    get first() {
      return first();
    },
    get end() {
      return end;
    },
    numbered,
    at: (index) => numbered(first() + index),
    push(line) {
      places[end % capacity] = line;
      end += 1;
    },
    clear() {
      places = [];
      end = 0;
    },
  };
}
