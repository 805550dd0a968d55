import { mostGpus, mostModels } from './monitor';

/** Seconds in a block, 15 minutes: a full history drops its oldest block. */
export const slotsPerBlock = 900;
const firstSlots = 32;

/** Approximate heap size of the objects around the values, counted in the budget. */
const blockBytes = 160;
const columnBytes = 72;

/** A serialized column. `values` null: every second of the span has the value `same`. */
interface ColumnImage {
  readonly from: number;
  readonly to: number;
  readonly same: number;
  readonly values: Float32Array | null;
}

/** One field over one block; NaN: no value. A constant run needs no buffer; a buffer starts small and doubles. */
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

  /** @returns the bytes by which the column grew */
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

  /** Copies `count` seconds from `slot` to `target` at `at`, skipping those without a value. */
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

/** 15 minutes of one model or GPU; fields without values have no column. */
class HistoryBlock {
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

/** Tracks kept, including models and GPUs that are gone. */
const mostTracks = mostModels + mostGpus;
/** Of tracks unseen for longer, only the latest few are kept. */
const unseenSlots = 3600;
const mostUnseen = 256;
const trackBytes = 320;

interface Track {
  readonly fields: readonly string[];
  /** By block number, ascending. */
  readonly blocks: Map<number, HistoryBlock>;
  seen: number;
}

export interface TrackRow {
  readonly key: string;
  readonly fields: readonly string[];
  readonly values: readonly (number | null)[];
}

export interface TrackImage {
  readonly key: string;
  readonly fields: readonly string[];
  readonly seen: number;
  readonly blocks: readonly {
    readonly number: number;
    /** One for each field; null where it has no value. */
    readonly columns: readonly (ColumnImage | null)[];
  }[];
}

const ownBytes = (key: string): number => trackBytes + 2 * key.length;

/** The series of a history, bounded in tracks and bytes: names come from servers and are unlimited. */
export class HistoryTracks {
  private readonly tracks = new Map<string, Track>();
  private bytes = 0;

  constructor(private readonly mostBytes: number) {}

  keys(): readonly string[] {
    return [...this.tracks.keys()];
  }

  clear(): void {
    this.tracks.clear();
    this.bytes = 0;
  }

  /** Writes one poll's values into these seconds. @returns the first second kept by a full history; null: all */
  add(rows: readonly TrackRow[], slots: { readonly from: number; readonly to: number }): number | null {
    let fresh = 0;
    for (const { key } of rows) {
      const track = this.tracks.get(key);
      if (track === undefined) fresh += 1;
      else track.seen = slots.to;
    }
    this.forgetUnseen(this.tracks.size + fresh - mostTracks, slots.to);
    for (const row of rows) {
      const track = this.tracks.get(row.key) ?? this.begin(row.key, row.fields, slots.to);
      if (track === null) continue;
      for (let slot = slots.from; slot <= slots.to; slot += 1) this.put(track, slot, row.values);
    }
    let first: number | null = null;
    while (this.bytes > this.mostBytes) {
      const next = this.dropOldestBlock(Math.floor(slots.to / slotsPerBlock));
      if (next === null) break;
      first = next;
    }
    return first;
  }

  /** Drops blocks before `first`, and all but the latest tracks unseen for an hour. */
  drop(first: number, last: number): void {
    const oldest = Math.floor(first / slotsPerBlock);
    for (const [key, track] of this.tracks) {
      for (const number of track.blocks.keys()) if (number < oldest) this.dropBlock(track, number);
      if (track.seen < first) this.forget(key);
    }
    const unseen = [...this.tracks.values()].filter(({ seen }) => seen < last - unseenSlots).length;
    this.forgetUnseen(unseen - mostUnseen, last - unseenSlots);
  }

  copy(key: string, field: string, from: number, target: Float32Array): void {
    const track = this.tracks.get(key);
    const at = track?.fields.indexOf(field) ?? -1;
    if (track === undefined || at < 0) return;
    for (let slot = from; slot < from + target.length;) {
      const number = Math.floor(slot / slotsPerBlock);
      const offset = slot - number * slotsPerBlock;
      const length = Math.min(slotsPerBlock - offset, from + target.length - slot);
      track.blocks.get(number)?.copy(at, offset, length, target, slot - from);
      slot += length;
    }
  }

  image(): readonly TrackImage[] {
    return [...this.tracks].map(([key, { fields, seen, blocks }]) => ({
      key,
      fields,
      seen,
      blocks: [...blocks].map(([number, block]) => ({ number, columns: block.image() })),
    }));
  }

  restore(images: readonly TrackImage[]): void {
    this.clear();
    for (const { key, fields, seen, blocks } of images) {
      const track = this.begin(key, fields, seen);
      if (track === null) return;
      for (const { number, columns } of blocks) {
        const block = new HistoryBlock(fields.length, columns);
        track.blocks.set(number, block);
        this.bytes += block.bytes;
      }
    }
  }

  /** null: no room. */
  private begin(key: string, fields: readonly string[], seen: number): Track | null {
    if (this.tracks.size >= mostTracks) return null;
    const track = { fields, blocks: new Map<number, HistoryBlock>(), seen };
    this.tracks.set(key, track);
    this.bytes += ownBytes(key);
    return track;
  }

  private put(track: Track, slot: number, values: readonly (number | null)[]): void {
    const number = Math.floor(slot / slotsPerBlock);
    let block = track.blocks.get(number);
    if (block === undefined) {
      if (values.every((value) => value === null)) return;
      block = new HistoryBlock(track.fields.length);
      track.blocks.set(number, block);
      this.bytes += block.bytes;
    }
    this.bytes += block.set(slot - number * slotsPerBlock, values);
  }

  /** Drops up to `count` tracks last seen before `slot`, longest unseen first. */
  private forgetUnseen(count: number, slot: number): void {
    if (count <= 0) return;
    const unseen = [...this.tracks].filter(([, { seen }]) => seen < slot);
    unseen.sort(([, a], [, b]) => a.seen - b.seen);
    for (const [key] of unseen.slice(0, count)) this.forget(key);
  }

  private forget(key: string): void {
    const track = this.tracks.get(key);
    if (track === undefined) return;
    for (const number of track.blocks.keys()) this.dropBlock(track, number);
    this.tracks.delete(key);
    this.bytes -= ownBytes(key);
  }

  private dropBlock(track: Track, number: number): void {
    this.bytes -= track.blocks.get(number)?.bytes ?? 0;
    track.blocks.delete(number);
  }

  /** @returns the first second after it; null when only the current block is left */
  private dropOldestBlock(current: number): number | null {
    let oldest = current;
    for (const { blocks } of this.tracks.values()) {
      const [first] = blocks.keys();
      oldest = Math.min(oldest, first ?? current);
    }
    if (oldest >= current) return null;
    for (const track of this.tracks.values()) this.dropBlock(track, oldest);
    return (oldest + 1) * slotsPerBlock;
  }
}
