import { HistoryTracks, slotsPerBlock, type TrackImage, type TrackRow } from './history-tracks';
import { modelColumns, type ModelField, modelFields } from './model-columns';
import {
  type GpuSample,
  modelKey,
  type ModelSample,
  type MonitorMarker,
  type MonitorSample,
  mostGpus,
  mostHistoryBytes,
  mostModels,
} from './monitor';

const slotMs = 1000;
/** The longest window that is kept, and shown. */
export const longestWindowMs = 24 * 3600 * 1000;
const mostMarkers = 5000;

export const gpuFields = [
  'utilization',
  'memoryUsedBytes',
  'memoryTotalBytes',
  'powerWatts',
  'powerLimitWatts',
] as const;
export type SeriesField = ModelField | (typeof gpuFields)[number];

/** One value a second; NaN where there is none. `timesMs` ascending. Of polls further apart it is the next poll's. */
export interface MonitorSeries {
  readonly timesMs: Float64Array;
  readonly values: Float32Array;
}

const valuesOf = (model: ModelSample): readonly (number | null)[] =>
  modelFields.map((field) => modelColumns[field].read(model) ?? null);

const gpuValues = (gpu: GpuSample): readonly (number | null)[] => gpuFields.map((field) => gpu[field]);

function rowsOf({ models, gpus }: MonitorSample): readonly TrackRow[] {
  const modelRows = models.slice(0, mostModels).map((model) => ({
    key: `model:${modelKey(model)}`,
    fields: modelFields,
    values: valuesOf(model),
  }));
  const gpuRows = gpus
    .slice(0, mostGpus)
    .map((gpu) => ({ key: `gpu:${gpu.uuid}`, fields: gpuFields, values: gpuValues(gpu) }));
  return [...modelRows, ...gpuRows];
}

/** A history as it crosses from one process to the other. */
export interface MonitorHistoryImage {
  readonly fromMs: number;
  readonly tracks: readonly TrackImage[];
  readonly markers: readonly MonitorMarker[];
  readonly latest: MonitorSample;
}

/**
 * The last 24 hours at one value a second: the one store of window, CLI and reports. It holds at most `mostHistoryBytes`:
 * thousands of busy models have fewer hours, and names that are no longer listed make room for new ones. A second that was
 * not measured stays empty.
 */
export class MonitorHistory {
  private readonly tracks: HistoryTracks;
  private marked: MonitorMarker[] = [];
  private first: number | null = null;
  private last: number | null = null;
  private lastBlock: number | null = null;
  private latestSample: MonitorSample | null = null;
  private emptied = 0;

  /** @param mostBytes a full history drops its oldest quarter of an hour. */
  constructor(mostBytes: number = mostHistoryBytes) {
    this.tracks = new HistoryTracks(mostBytes);
  }

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
    const kept = this.tracks.add(rowsOf(sample), slots);
    if (kept !== null) this.first = Math.max(this.first, kept);
    if (sample.markers.length > 0) this.marked = [...this.marked, ...sample.markers].slice(-mostMarkers);
    this.latestSample = sample;
    const block = Math.floor(slot / slotsPerBlock);
    if (block !== this.lastBlock) this.drop();
    this.lastBlock = block;
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
    return this.tracks.keys();
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
    this.tracks.copy(key, field, from, values);
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
    return {
      fromMs: span.fromMs,
      tracks: this.tracks.image(),
      markers: this.marked,
      latest: this.latestSample,
    };
  }

  /** Takes the place of everything that was kept. */
  restore(image: MonitorHistoryImage | null): void {
    this.clear();
    if (image === null) return;
    this.first = Math.floor(image.fromMs / slotMs);
    this.last = Math.floor(image.latest.atMs / slotMs);
    this.lastBlock = Math.floor(this.last / slotsPerBlock);
    this.latestSample = image.latest;
    this.marked = [...image.markers];
    this.tracks.restore(image.tracks);
  }

  /** Forgets what no window reaches. */
  private drop(): void {
    const first = this.first ?? 0;
    this.tracks.drop(first, this.last ?? 0);
    this.marked = this.marked.filter((marker) => marker.atMs >= first * slotMs);
  }
}
