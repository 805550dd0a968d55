import { expect, it } from 'vitest';
import { createAlertWatch } from '../../../electron/run-end-watch';
import { sample } from '../monitor/fixtures';

const nowMs = 1_000_000;
const alerting = (atMs: number) =>
  ({
    type: 'monitor-sample',
    alerts: [],
    sample: sample(atMs, {
      markers: [
        { atMs, kind: 'alert', text: 'Alert: echo/1, failing' },
        { atMs, kind: 'model-loaded', text: 'other/1 loaded' },
      ],
    }),
  }) as const;

function noticesFor(focused: boolean, atMs: number): readonly string[] {
  const bodies: string[] = [];
  const watch = createAlertWatch({
    isFocused: () => focused,
    wanted: () => true,
    nowMs: () => nowMs,
    notify: ({ body }) => bodies.push(body),
  });
  watch(alerting(atMs));
  watch({ type: 'runs-changed' });
  return bodies;
}

it('tells of an alert while nobody looks, and of nothing else', () => {
  expect(noticesFor(false, nowMs)).toEqual(['Alert: echo/1, failing']);
  expect(noticesFor(true, nowMs)).toEqual([]);
});

it('is silent for a recording that is played', () => {
  expect(noticesFor(false, nowMs - 3600_000)).toEqual([]);
});
