import type { ColumnImage } from './history-block';
import { HistoryBlock, slotsPerBlock } from './history-block';
import { mostGpus, mostModels } from './monitor-limits';

/** Models and GPUs that are kept, also those that are no longer there. */
const mostTracks = mostModels + mostGpus;
/** Of those not seen for longer than this, only the latest few are kept. */
const unseenSlots = 3600;
const mostUnseen = 256;
const trackBytes = 320;

interface Track {
  readonly fields: readonly string[];
  /** By number, ascending. */
  readonly blocks: Map<number, HistoryBlock>;
  /** The last second that a server listed it in. */
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

/** The series of a history, within a number of tracks and of bytes: names come from servers, which may have any number. */
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

  /** Puts what one poll saw into these seconds. Returns the first second that a full history still has; null: all of them. */
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

  /** Forgets what ended before `first`, and of those not seen for an hour all but the latest. */
  drop(first: number, last: number): void {
    const oldest = Math.floor(first / slotsPerBlock);
    for (const [key, track] of this.tracks) {
      for (const number of track.blocks.keys()) if (number < oldest) this.dropBlock(track, number);
      if (track.seen < first) this.forget(key);
    }
    const unseen = [...this.tracks.values()].filter(({ seen }) => seen < last - unseenSlots).length;
    this.forgetUnseen(unseen - mostUnseen, last - unseenSlots);
  }

  /** Copies one field of the seconds from `from` on into `target`. */
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

  /** null: there is no room. */
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

  /** Forgets `count` of those last seen before `slot`, the longest unseen first. */
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

  /** Returns the first second after it; null when there is only the current block. */
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
