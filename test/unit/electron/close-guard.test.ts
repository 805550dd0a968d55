import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { guardClose } from '../../../electron/close-guard';
import type { WorkUnderWay } from '../../../main/contract/api';

/** A window that can only be closed: `closed` says whether anybody objected. */
class FakeWindow extends EventEmitter {
  closed = false;
  /** As a page that is busy for good keeps its window. */
  hangs = false;
  close(): void {
    let prevented = this.hangs;
    this.emit('close', {
      preventDefault: () => {
        prevented = true;
      },
    });
    this.closed ||= !prevented;
  }
  destroy(): void {
    this.closed = true;
  }
  isDestroyed(): boolean {
    return this.closed;
  }
}

const ofRuns = (runIds: readonly string[]): WorkUnderWay => ({
  runIds,
  images: [],
  fetches: [],
  tools: [],
  deployments: [],
  studies: [],
});

function guarded(active: string[], stopping: () => Promise<void> = () => Promise.resolve()) {
  const window = new FakeWindow();
  const asked: WorkUnderWay[] = [];
  const guard = guardClose(window as unknown as BrowserWindow, {
    underWay: () => ofRuns([...active]),
    ask: (work) => asked.push(work),
    stop: () => {
      active.length = 0;
      return stopping();
    },
  });
  return { window, asked, guard };
}

describe('closing the window', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is not asked about when nothing runs', () => {
    const { window, asked } = guarded([]);
    window.close();
    expect({ closed: window.closed, asked }).toEqual({ closed: true, asked: [] });
  });

  it('waits for an answer while a run is under way', () => {
    const { window, asked } = guarded(['a']);
    window.close();
    window.close();
    expect({ closed: window.closed, asked }).toEqual({
      closed: false,
      asked: [ofRuns(['a']), ofRuns(['a'])],
    });
  });

  it('waits for an answer also while only an image is pulled or a file fetched', () => {
    for (const work of [
      { ...ofRuns([]), images: [{ kind: 'pull' as const, image: 'example:1' }] },
      { ...ofRuns([]), fetches: ['A data set'] },
    ]) {
      const window = new FakeWindow();
      const asked: WorkUnderWay[] = [];
      guardClose(window as unknown as BrowserWindow, {
        underWay: () => work,
        ask: (what) => asked.push(what),
        stop: () => Promise.resolve(),
      });
      window.close();
      expect({ closed: window.closed, asked }).toEqual({ closed: false, asked: [work] });
    }
  });

  it('stops the runs first when that is the answer', async () => {
    const active = ['a'];
    const { window, guard } = guarded(active);
    window.close();
    await guard.closeNow();
    expect({ closed: window.closed, active }).toEqual({ closed: true, active: [] });
  });

  it('is not kept up by a page that does not answer', async () => {
    vi.useFakeTimers();
    const { window, guard } = guarded([]);
    window.hangs = true;
    await guard.closeNow();
    expect(window.closed).toBe(false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(window.closed).toBe(true);
  });

  it('happens also where a run could not be stopped', async () => {
    const { window, guard } = guarded(['a'], () => Promise.reject(new Error('no space left')));
    await expect(guard.closeNow()).rejects.toThrow('no space left');
    expect(window.closed).toBe(true);
  });
});
