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

  it('of a flood carry the last lines and a count, and wait without growing', () => {
    const sent: (readonly WindowEvent[])[] = [];
    const batch = createEventBatch((events) => sent.push(events));
    const handed: WindowEvent[] = [];
    for (let count = 1; count <= 100_000; count += 1) {
      // Two that take turns are a flood each.
      handed.push(log('export', `e${count}`), { type: 'container-log', id: 'c', lines: [`c${count}`] });
    }
    for (const event of handed) batch.add(event);
    vi.runAllTimers();
    const [first, second, ...more] = sent.flat();
    expect(more).toEqual([]);
    if (first?.type !== 'log' || second?.type !== 'container-log') throw new Error('other events');
    expect(first.lines).toHaveLength(2001);
    expect(first.lines[0]).toBe('… 98,000 lines are not shown: too many came at once');
    expect(first.lines.at(-1)).toBe('e100000');
    expect(second.lines.at(1)).toBe('c98001');
    expect(handed[0]).toEqual(log('export', 'e1'));
  });

  it('of long lines carry one MiB at most', () => {
    const sent: (readonly WindowEvent[])[] = [];
    const batch = createEventBatch((events) => sent.push(events));
    for (let count = 0; count < 1000; count += 1) batch.add(log('export', 'x'.repeat(65_536)));
    vi.runAllTimers();
    const [[only] = []] = sent;
    if (only?.type !== 'log') throw new Error('other events');
    expect(only.lines).toHaveLength(17);
    expect(only.lines[0]).toBe('… 984 lines are not shown: too many came at once');
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
