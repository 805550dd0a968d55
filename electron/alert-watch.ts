import type { CoreEvent } from '../main/contract/api';

/** Alerts of a recording that is played are old; a notification is about now. */
const freshMs = 15_000;

/** Hears the core's events and tells of an alert that fires while nobody looks at the window. */
export function createAlertWatch(options: {
  readonly isLookedAt: () => boolean;
  readonly nowMs: () => number;
  readonly tell: (notice: { readonly title: string; readonly body: string }) => void;
}): (event: CoreEvent) => void {
  return (event) => {
    if (event.type !== 'monitor-sample' || options.isLookedAt()) return;
    const { atMs, markers } = event.sample;
    if (Math.abs(options.nowMs() - atMs) > freshMs) return;
    for (const marker of markers) {
      if (marker.kind !== 'alert' && marker.kind !== 'alert-resolved') continue;
      options.tell({ title: 'Triton monitor', body: marker.text });
    }
  };
}
