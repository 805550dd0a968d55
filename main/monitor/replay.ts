import { setTimeout as sleep } from 'node:timers/promises';
import type { MonitorSample } from '../contract/monitor';
import { readRecording } from './recording';

/** Samples told before the hearers get time for them, milliseconds, when nothing else makes it wait: 20,000 a second. */
const burst = 500;
const restMs = 25;

/**
 * Tells the samples of a recording at `speed` times the pace that they were taken at; 0: as fast as it goes. Resolves at
 * the end or when the signal fires. Throws input-invalid when the file is no recording.
 */
export async function replayRecording(options: {
  readonly path: string;
  readonly speed: number;
  readonly onSample: (sample: MonitorSample) => void;
  readonly onDamaged: (count: number) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { speed, signal } = options;
  let first: { readonly atMs: number; readonly clockMs: number } | null = null;
  let told = 0;
  for await (const sample of readRecording(options.path, options.onDamaged)) {
    if (signal.aborted) return;
    if (speed > 0) {
      first ??= { atMs: sample.atMs, clockMs: performance.now() };
      const dueMs = first.clockMs + (sample.atMs - first.atMs) / speed;
      const waitMs = dueMs - performance.now();
      if (waitMs > 1) await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    } else if (told % burst === 0) await sleep(restMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted as boolean) return;
    options.onSample(sample);
    told += 1;
  }
}
