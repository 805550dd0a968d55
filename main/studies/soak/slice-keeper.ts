import type { MeasurementWindow } from '../../contract/measured/results';
import type { SoakSlice } from '../../contract/study/soak';
import { present } from '../../contract/trees';
import { medianOf } from '../../domain/statistics';

const known = (values: readonly (number | null | undefined)[]): readonly number[] =>
  values.filter((value) => typeof value === 'number');

const middle = (values: readonly number[]): number | null => (values.length === 0 ? null : medianOf(values));

const secondsOf = (windows: readonly MeasurementWindow[]): number =>
  windows.reduce((sum, { durationUs }) => sum + (durationUs ?? 0) / 1e6, 0);

/** Percentiles of several windows are the medians of theirs. @param toMs when the last one ended. Pure. */
export function sliceOf(
  windows: readonly MeasurementWindow[],
  span: { readonly fromMs: number; readonly toMs: number; readonly life: number },
): SoakSlice {
  const sum = (read: (window: MeasurementWindow) => number): number =>
    windows.reduce((all, window) => all + read(window), 0);
  const seconds = secondsOf(windows);
  const refused = sum(({ refusedCount }) => refusedCount ?? 0);
  const inferences = sum(
    ({ inferencesPerSecond, durationUs }) => (inferencesPerSecond * (durationUs ?? 0)) / 1e6,
  );
  return {
    ...span,
    requests: sum(({ requestCount }) => requestCount ?? 0),
    errors: sum(({ errorCount }) => errorCount),
    ...present({ refused: refused === 0 ? undefined : refused }),
    inferencesPerSecond: seconds === 0 ? 0 : inferences / seconds,
    p50Us: middle(known(windows.map(({ p50Us }) => p50Us))),
    // From when a request was due, where there is a rate.
    p99Us: middle(known(windows.map(({ scheduledP99Us, p99Us }) => scheduledP99Us ?? p99Us))),
  };
}

/** Windows that follow each other closely, as between two loads of a model, become one slice. */
export class SliceKeeper {
  private windows: MeasurementWindow[] = [];
  private fromMs: number | null = null;

  constructor(
    private readonly options: {
      readonly sliceMs: number;
      readonly life: number;
      readonly onSlice: (slice: SoakSlice) => void;
    },
  ) {}

  /** @param toMs when it ended */
  add(window: MeasurementWindow, toMs: number): void {
    this.fromMs ??= Math.max(0, toMs - (window.durationUs ?? 0) / 1000);
    this.windows.push(window);
    // The next one would be longer by half.
    if (toMs - this.fromMs >= 0.75 * this.options.sliceMs) this.flush(toMs);
  }

  flush(toMs: number): void {
    const { windows, fromMs } = this;
    const { life, onSlice } = this.options;
    this.windows = [];
    this.fromMs = null;
    if (windows.length > 0 && fromMs !== null) onSlice(sliceOf(windows, { fromMs, toMs, life }));
  }
}
