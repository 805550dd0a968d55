/** Seconds of a block, 15 minutes: a full history drops its oldest block. */
export const slotsPerBlock = 900;
const firstSlots = 32;

/** Approximate heap of the objects around the values, so that a budget also counts what holds no buffer. */
const blockBytes = 160;
const columnBytes = 72;

/** A column as it crosses from one process to the other. `values` null: every second of the span has the value `same`. */
export interface ColumnImage {
  readonly from: number;
  readonly to: number;
  readonly same: number;
  readonly values: Float32Array | null;
}

/**
 * The values of one field over one block; NaN where there is none. A run of one and the same value, which is what an idle
 * model has, needs no buffer; a buffer begins small and doubles.
 */
class HistoryColumn {
  private from = 0;
  private to = 0;
  private same = NaN;
  private values: Float32Array | null = null;

  static of({ from, to, same, values }: ColumnImage): HistoryColumn {
    return Object.assign(new HistoryColumn(), { from, to, same, values });
  }

  get bytes(): number {
    return columnBytes + (this.values?.byteLength ?? 0);
  }

  /** Returns the bytes by which the column grew. */
  set(slot: number, value: number): number {
    const kept = Math.fround(value);
    if (Number.isNaN(kept) && (slot < this.from || slot >= this.to)) return 0;
    if (this.values === null && this.extends(slot, kept)) return 0;
    const before = this.values?.byteLength ?? 0;
    const values = this.room(slot);
    values[slot - this.from] = kept;
    this.to = Math.max(this.to, slot + 1);
    return values.byteLength - before;
  }

  /** Writes `count` seconds from `slot` on to `target` at `at`; leaves those without a value as they are. */
  copy(slot: number, count: number, target: Float32Array, at: number): void {
    const from = Math.max(slot, this.from);
    const to = Math.min(slot + count, this.to);
    if (from >= to) return;
    const place = at + from - slot;
    if (this.values === null) target.fill(this.same, place, place + to - from);
    else target.set(this.values.subarray(from - this.from, to - this.from), place);
  }

  image(): ColumnImage {
    const { from, to, same } = this;
    return { from, to, same, values: this.values?.slice(0, to - from) ?? null };
  }

  /** Whether the run of one value still holds with this one. */
  private extends(slot: number, value: number): boolean {
    if (this.from === this.to) {
      this.from = slot;
      this.same = value;
    } else if (slot >= this.from && slot < this.to) return value === this.same;
    else if (slot !== this.to || value !== this.same) return false;
    this.to = slot + 1;
    return true;
  }

  private room(slot: number): Float32Array {
    const from = Math.min(this.from, slot);
    const shift = this.from - from;
    const used = this.to - this.from;
    const needed = Math.max(this.to, slot + 1) - from;
    if (this.values !== null && shift === 0 && needed <= this.values.length) return this.values;
    const doubled = Math.max(firstSlots, 2 ** Math.ceil(Math.log2(needed)));
    const values = new Float32Array(Math.min(slotsPerBlock - from, doubled)).fill(NaN);
    if (this.values === null) values.fill(this.same, shift, shift + used);
    else values.set(this.values.subarray(0, used), shift);
    this.from = from;
    this.values = values;
    return values;
  }
}

/** 15 minutes of one model or GPU. A field without a value has no column. */
export class HistoryBlock {
  private readonly columns: (HistoryColumn | null)[];

  constructor(width: number, images: readonly (ColumnImage | null)[] = []) {
    this.columns = Array.from({ length: width }, (_unused, field) => {
      const image = images[field] ?? null;
      return image === null ? null : HistoryColumn.of(image);
    });
  }

  get bytes(): number {
    return this.columns.reduce((sum, column) => sum + (column?.bytes ?? 0), blockBytes);
  }

  /** Returns the bytes by which the block grew. */
  set(slot: number, values: readonly (number | null)[]): number {
    let grown = 0;
    for (let field = 0; field < this.columns.length; field += 1) {
      const value = values[field] ?? NaN;
      let column = this.columns[field] ?? null;
      if (column === null) {
        if (Number.isNaN(value)) continue;
        column = new HistoryColumn();
        this.columns[field] = column;
        grown += column.bytes;
      }
      grown += column.set(slot, value);
    }
    return grown;
  }

  copy(field: number, slot: number, count: number, target: Float32Array, at: number): void {
    this.columns[field]?.copy(slot, count, target, at);
  }

  image(): readonly (ColumnImage | null)[] {
    return this.columns.map((column) => column?.image() ?? null);
  }
}
