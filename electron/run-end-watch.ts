import type { CoreEvent } from '../main/contract/api';
import type { RunOutcome } from '../main/contract/run/run-events';
import type { Settings } from '../main/contract/settings/settings';

/** Milliseconds; a shorter run is still being watched. */
const longRunMs = 60_000;

const outcomeText: Readonly<Record<RunOutcome, string>> = {
  done: 'Run done',
  failed: 'Run failed',
  'gate-failed': 'Run ended: the accuracy gate did not pass',
  cancelled: 'Run cancelled',
  paused: 'Run paused',
};

/**
 * Notifies of the end of a run while the window is not in front, as the settings say: every run, none, or those that
 * took more than a minute by their journal.
 */
export function createRunEndWatch(options: {
  readonly isFocused: () => boolean;
  readonly wanted: () => Settings['notifications.runs'];
  readonly notify: (notice: { readonly title: string; readonly body: string }) => void;
}): (event: CoreEvent) => void {
  const startedMs = new Map<string, number>();
  const names = new Map<string, string>();
  return (event) => {
    if (event.type !== 'journal') return;
    const { runId, entry } = event;
    if (entry.type === 'run-created') {
      if ('spec' in entry) {
        const { model, format, precision } = entry.spec;
        names.set(runId, `${model.preset}, ${format} ${precision}, ${model.profile}`);
      }
    }
    if (entry.type === 'run-started') startedMs.set(runId, Date.parse(entry.at));
    if (entry.type !== 'run-finished') return;
    const from = startedMs.get(runId);
    startedMs.delete(runId);
    const wanted = options.wanted();
    const isLong = from !== undefined && Date.parse(entry.at) - from > longRunMs;
    if (from === undefined || wanted === 'off' || (wanted === 'long' && !isLong) || options.isFocused())
      return;
    options.notify({ title: outcomeText[entry.outcome], body: names.get(runId) ?? runId });
  };
}

/** Alerts of a recording that is played are old; a notification is about now. */
const freshMs = 15_000;

export function createAlertWatch(options: {
  readonly isFocused: () => boolean;
  readonly wanted: () => boolean;
  readonly nowMs: () => number;
  readonly notify: (notice: { readonly title: string; readonly body: string }) => void;
}): (event: CoreEvent) => void {
  return (event) => {
    if (event.type !== 'monitor-sample' || !options.wanted() || options.isFocused()) return;
    const { atMs, markers } = event.sample;
    if (Math.abs(options.nowMs() - atMs) > freshMs) return;
    for (const marker of markers) {
      if (marker.kind !== 'alert' && marker.kind !== 'alert-resolved') continue;
      options.notify({ title: 'Triton monitor', body: marker.text });
    }
  };
}
