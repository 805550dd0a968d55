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

/** One value per second; NaN: none. `timesMs` ascending. Seconds between slower polls have the next poll's value. */
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

export interface MonitorHistoryImage {
  readonly fromMs: number;
  readonly tracks: readonly TrackImage[];
  readonly markers: readonly MonitorMarker[];
  readonly latest: MonitorSample;
}

/**
 * The last 24 hours at one value per second, for window, CLI and reports, in at most `mostHistoryBytes`: thousands of
 * busy models have fewer hours, and names no longer listed make room. Seconds that were not measured stay empty.
 */
export class MonitorHistory {
  private readonly tracks: HistoryTracks;
  private marked: MonitorMarker[] = [];
  private first: number | null = null;
  private last: number | null = null;
  private lastBlock: number | null = null;
  private latestSample: MonitorSample | null = null;
  private emptied = 0;

  /** @param mostBytes a full history drops its oldest 15 minutes */
  constructor(mostBytes: number = mostHistoryBytes) {
    this.tracks = new HistoryTracks(mostBytes);
  }

  /** Changes when other content replaces the history. */
  get generation(): number {
    return this.emptied;
  }

  add(sample: MonitorSample): void {
    const slot = Math.floor(sample.atMs / slotMs);
    // After the clock was set back it would overwrite earlier values.
    if (this.last !== null && slot < this.last) return;
    // A poll's figures cover the time since the previous one.
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

  latest(): MonitorSample | null {
    return this.latestSample;
  }

  /** First and last kept second, in milliseconds since the epoch; null before the first. */
  span(): { readonly fromMs: number; readonly toMs: number } | null {
    return this.first === null || this.last === null
      ? null
      : { fromMs: this.first * slotMs, toMs: this.last * slotMs };
  }

  markers(fromMs: number, toMs: number): readonly MonitorMarker[] {
    return this.marked.filter((marker) => marker.atMs >= fromMs && marker.atMs <= toMs);
  }

  /** `model:<name>/<version>` and `gpu:<uuid>`. */
  keys(): readonly string[] {
    return this.tracks.keys();
  }

  within(fromMs: number, toMs: number): { readonly fromMs: number; readonly count: number } {
    const from = Math.max(this.first ?? 0, Math.floor(fromMs / slotMs));
    const to = Math.min(this.last ?? -1, Math.floor(toMs / slotMs));
    return { fromMs: from * slotMs, count: Math.max(0, to - from + 1) };
  }

  /** One value per second of `within`; NaN: none. */
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

  private drop(): void {
    const first = this.first ?? 0;
    this.tracks.drop(first, this.last ?? 0);
    this.marked = this.marked.filter((marker) => marker.atMs >= first * slotMs);
  }
}
