import type { GpuSample, ModelSample, MonitorMarker, MonitorSample } from './monitor';
import { modelKey } from './monitor';

const slotMs = 1000;
const slotsPerBlock = 3600;
/** The longest window that is kept, and shown. */
export const longestWindowMs = 24 * 3600 * 1000;
const keptBlocks = longestWindowMs / slotMs / slotsPerBlock + 1;
const mostMarkers = 5000;

export const seriesFields = [
  'requestsPerSecond',
  'inferencesPerSecond',
  'errorShare',
  'queueUs',
  'computeInputUs',
  'computeInferUs',
  'computeOutputUs',
  'batch',
  'cacheHitShare',
  'pending',
  'probeP50Us',
  'probeP95Us',
  'probeP99Us',
  'probeWorstUs',
] as const;
export const gpuFields = [
  'utilization',
  'memoryUsedBytes',
  'memoryTotalBytes',
  'powerWatts',
  'powerLimitWatts',
] as const;
export type SeriesField = (typeof seriesFields)[number] | (typeof gpuFields)[number];

/** One value a second; NaN where there is none. `timesMs` ascending. Of polls further apart it is the next poll's. */
export interface MonitorSeries {
  readonly timesMs: Float64Array;
  readonly values: Float32Array;
}

function valuesOf(model: ModelSample): readonly (number | null)[] {
  const { rates, pending, probe } = model;
  return [
    rates?.requestsPerSecond ?? null,
    rates?.inferencesPerSecond ?? null,
    rates?.errorShare ?? null,
    rates?.queueUs ?? null,
    rates?.computeInputUs ?? null,
    rates?.computeInferUs ?? null,
    rates?.computeOutputUs ?? null,
    rates?.batch ?? null,
    rates?.cacheHitShare ?? null,
    pending,
    probe?.p50Us ?? null,
    probe?.p95Us ?? null,
    probe?.p99Us ?? null,
    probe?.worstUs ?? null,
  ];
}

const gpuValues = (gpu: GpuSample): readonly (number | null)[] => gpuFields.map((field) => gpu[field]);

/** A history as it crosses from one process to the other. */
export interface MonitorHistoryImage {
  readonly fromMs: number;
  readonly tracks: readonly {
    readonly key: string;
    readonly fields: readonly string[];
    /** One list a field, from `fromMs` on. */
    readonly values: readonly Float32Array[];
  }[];
  readonly markers: readonly MonitorMarker[];
  readonly latest: MonitorSample;
}

interface Track {
  readonly fields: readonly string[];
  /** Values of an hour, field by field, by the number of the hour. */
  readonly blocks: Map<number, Float32Array>;
}

/**
 * The last 24 hours at one value a second: the one store of window, CLI and reports. An hour of a model is 200 kB; a
 * second that was not measured stays empty.
 */
export class MonitorHistory {
  private readonly tracks = new Map<string, Track>();
  private marked: MonitorMarker[] = [];
  private first: number | null = null;
  private last: number | null = null;
  private lastHour: number | null = null;
  private latestSample: MonitorSample | null = null;
  private emptied = 0;

  /** Another number once what was kept is gone and something else in its place. */
  get generation(): number {
    return this.emptied;
  }

  add(sample: MonitorSample): void {
    const slot = Math.floor(sample.atMs / slotMs);
    // A clock that was set back would write into what was measured before.
    if (this.last !== null && slot < this.last) return;
    // What a poll sees is of the time since the one before it.
    const since = Math.max(this.last ?? slot, slot - Math.ceil(sample.intervalMs / slotMs)) + 1;
    const slots = { from: Math.min(slot, since), to: slot };
    this.last = slot;
    this.first ??= slot;
    this.first = Math.max(this.first, slot - longestWindowMs / slotMs);
    for (const model of sample.models)
      this.put(`model:${modelKey(model)}`, seriesFields, slots, valuesOf(model));
    for (const gpu of sample.gpus) this.put(`gpu:${gpu.uuid}`, gpuFields, slots, gpuValues(gpu));
    if (sample.markers.length > 0) this.marked = [...this.marked, ...sample.markers].slice(-mostMarkers);
    this.latestSample = sample;
    const hour = Math.floor(slot / slotsPerBlock);
    if (hour !== this.lastHour) this.drop();
    this.lastHour = hour;
  }

  /** Alerts are told beside the samples. */
  mark(marker: MonitorMarker): void {
    this.marked = [...this.marked, marker].slice(-mostMarkers);
  }

  clear(): void {
    this.emptied += 1;
    this.tracks.clear();
    this.marked = [];
    this.first = null;
    this.last = null;
    this.latestSample = null;
  }

  /** The newest sample; null before the first. */
  latest(): MonitorSample | null {
    return this.latestSample;
  }

  /** First and last second that is kept, in milliseconds since the epoch; null before the first. */
  span(): { readonly fromMs: number; readonly toMs: number } | null {
    return this.first === null || this.last === null
      ? null
      : { fromMs: this.first * slotMs, toMs: this.last * slotMs };
  }

  markers(fromMs: number, toMs: number): readonly MonitorMarker[] {
    return this.marked.filter((marker) => marker.atMs >= fromMs && marker.atMs <= toMs);
  }

  /** `model:<name>/<version>` and `gpu:<uuid>` that anything is known of. */
  keys(): readonly string[] {
    return [...this.tracks.keys()];
  }

  /** The seconds that are kept of a span: the first one, milliseconds, and how many. */
  within(fromMs: number, toMs: number): { readonly fromMs: number; readonly count: number } {
    const from = Math.max(this.first ?? 0, Math.floor(fromMs / slotMs));
    const to = Math.min(this.last ?? -1, Math.floor(toMs / slotMs));
    return { fromMs: from * slotMs, count: Math.max(0, to - from + 1) };
  }

  /** One value for each second of `within`; NaN where there is none. */
  values(key: string, field: SeriesField, fromMs: number, toMs: number): Float32Array {
    const kept = this.within(fromMs, toMs);
    const from = kept.fromMs / slotMs;
    const values = new Float32Array(kept.count).fill(NaN);
    const track = this.tracks.get(key);
    const at = track?.fields.indexOf(field) ?? -1;
    if (track === undefined || at < 0) return values;
    for (let slot = from; slot < from + kept.count;) {
      const hour = Math.floor(slot / slotsPerBlock);
      const offset = slot - hour * slotsPerBlock;
      const length = Math.min(slotsPerBlock - offset, from + kept.count - slot);
      const block = track.blocks.get(hour);
      if (block !== undefined) {
        const start = at * slotsPerBlock + offset;
        values.set(block.subarray(start, start + length), slot - from);
      }
      slot += length;
    }
    return values;
  }

  series(key: string, field: SeriesField, fromMs: number, toMs: number): MonitorSeries {
    const kept = this.within(fromMs, toMs);
    const timesMs = Float64Array.from(
      { length: kept.count },
      (_unused, index) => kept.fromMs + index * slotMs,
    );
    return { timesMs, values: this.values(key, field, fromMs, toMs) };
  }

  /** null before the first sample. */
  image(): MonitorHistoryImage | null {
    const span = this.span();
    if (span === null || this.latestSample === null) return null;
    const tracks = [...this.tracks].map(([key, { fields }]) => ({
      key,
      fields,
      values: fields.map((field) => this.series(key, field as SeriesField, span.fromMs, span.toMs).values),
    }));
    return { fromMs: span.fromMs, tracks, markers: this.marked, latest: this.latestSample };
  }

  /** Takes the place of everything that was kept. */
  restore(image: MonitorHistoryImage | null): void {
    this.clear();
    if (image === null) return;
    this.first = Math.floor(image.fromMs / slotMs);
    this.last = Math.floor(image.latest.atMs / slotMs);
    this.lastHour = Math.floor(this.last / slotsPerBlock);
    this.latestSample = image.latest;
    this.marked = [...image.markers];
    for (const { key, fields, values } of image.tracks) {
      const blocks = new Map<number, Float32Array>();
      values.forEach((column, field) => {
        this.fill(blocks, fields.length, field, column);
      });
      this.tracks.set(key, { fields, blocks });
    }
  }

  private fill(blocks: Map<number, Float32Array>, width: number, field: number, column: Float32Array): void {
    const first = this.first ?? 0;
    for (let at = 0; at < column.length;) {
      const hour = Math.floor((first + at) / slotsPerBlock);
      const offset = first + at - hour * slotsPerBlock;
      const length = Math.min(slotsPerBlock - offset, column.length - at);
      const block = blocks.get(hour) ?? new Float32Array(width * slotsPerBlock).fill(NaN);
      blocks.set(hour, block);
      block.set(column.subarray(at, at + length), field * slotsPerBlock + offset);
      at += length;
    }
  }

  private put(
    key: string,
    fields: readonly string[],
    slots: { readonly from: number; readonly to: number },
    values: readonly (number | null)[],
  ): void {
    const track = this.tracks.get(key) ?? { fields, blocks: new Map<number, Float32Array>() };
    this.tracks.set(key, track);
    for (let slot = slots.from; slot <= slots.to; slot += 1) {
      const hour = Math.floor(slot / slotsPerBlock);
      let block = track.blocks.get(hour);
      if (block === undefined) {
        block = new Float32Array(fields.length * slotsPerBlock).fill(NaN);
        track.blocks.set(hour, block);
      }
      const offset = slot - hour * slotsPerBlock;
      for (let index = 0; index < fields.length; index += 1) {
        block[index * slotsPerBlock + offset] = values[index] ?? NaN;
      }
    }
  }

  /** Forgets the hours that no window reaches, and what was only known in them. */
  private drop(): void {
    const oldest = Math.floor((this.last ?? 0) / slotsPerBlock) - keptBlocks;
    for (const [key, track] of this.tracks) {
      for (const hour of track.blocks.keys()) if (hour < oldest) track.blocks.delete(hour);
      if (track.blocks.size === 0) this.tracks.delete(key);
    }
    const fromMs = (this.first ?? 0) * slotMs;
    this.marked = this.marked.filter((marker) => marker.atMs >= fromMs);
  }
}
