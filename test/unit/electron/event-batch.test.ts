import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEventBatch } from '../../../electron/event-batch';
import type { WindowEvent } from '../../../main/contract/api';

const log = (step: 'export' | 'convert', ...lines: string[]): WindowEvent => ({
  type: 'log',
  runId: 'a',
  step,
  lines,
});

describe('events to the window', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('go together, in order, with the lines of one step joined', () => {
    const sent: (readonly WindowEvent[])[] = [];
    const batch = createEventBatch((events) => sent.push(events));
    batch.add(log('export', '1'));
    batch.add(log('export', '2', '3'));
    batch.add({ type: 'runs-changed' });
    batch.add(log('export', '4'));
    batch.add(log('convert', '5'));
    expect(sent).toEqual([]);
    vi.runAllTimers();
    expect(sent).toEqual([
      [log('export', '1', '2', '3'), { type: 'runs-changed' }, log('export', '4'), log('convert', '5')],
    ]);
    batch.add({ type: 'runs-changed' });
    vi.runAllTimers();
    expect(sent).toHaveLength(2);
  });

  it('are not sent after the window is gone', () => {
    const send = vi.fn();
    const batch = createEventBatch(send);
    batch.add({ type: 'runs-changed' });
    batch.dispose();
    vi.runAllTimers();
    expect(send).not.toHaveBeenCalled();
  });
});
