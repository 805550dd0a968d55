import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CancellingTransport } from '../../../../../main/perf/native/generator/cancelling-transport';
import {
  cancelled,
  noConnections,
  noOutputChecks,
  type Transport,
  type TransportEvents,
} from '../../../../../main/perf/native/seam/transport';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Answers each request after a time, unless it is cancelled. */
class TimedTransport implements Transport {
  readonly sequencesEnded = 0;
  readonly opened = noConnections;
  readonly checks = { checked: 0, wrong: 0 };
  readonly outputs = noOutputChecks;
  readonly faults = [];
  private readonly timers = new Map<number, NodeJS.Timeout>();

  constructor(
    private readonly events: TransportEvents,
    private readonly answersMs: number,
  ) {}

  start(slot: number): void {
    const answer = () => {
      this.timers.delete(slot);
      this.events.success(slot, 0, 1000 * this.answersMs, 1, 1);
    };
    this.timers.set(slot, setTimeout(answer, this.answersMs));
  }

  cancel(slot: number): void {
    clearTimeout(this.timers.get(slot));
    if (this.timers.delete(slot)) this.events.failure(slot, cancelled.kind, cancelled.message);
  }

  closeSequence(): boolean {
    return false;
  }

  close(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
  }
}

function sent(share: number, answersMs: number, requests: number) {
  const ended = { answered: 0, cancelled: 0 };
  const transport = new CancellingTransport(
    (events) => new TimedTransport(events, answersMs),
    {
      success: () => {
        ended.answered += 1;
      },
      failure: (_slot, kind) => {
        if (kind === 'cancelled') ended.cancelled += 1;
      },
      fatal: () => undefined,
    },
    { share, delayMs: 50, seed: 3 },
  );
  for (let request = 0; request < requests; request += 1) {
    transport.start(0);
    vi.advanceTimersByTime(200);
  }
  transport.close();
  return ended;
}

it('cancels the asked share of the requests that are still under way', () => {
  const { answered, cancelled: left } = sent(0.3, 100, 1000);
  expect(answered + left).toBe(1000);
  expect(left).toBeGreaterThan(250);
  expect(left).toBeLessThan(350);
  expect(sent(1, 100, 20)).toEqual({ answered: 0, cancelled: 20 });
});

it('lets those be that are answered before', () => {
  expect(sent(1, 20, 20)).toEqual({ answered: 20, cancelled: 0 });
});
