import { EventEmitter } from 'node:events';
import type { BrowserWindow } from 'electron';
import { describe, expect, it } from 'vitest';
import { guardClose } from '../../../electron/close-guard';

/** A window that can only be closed: `closed` says whether anybody objected. */
class FakeWindow extends EventEmitter {
  closed = false;
  close(): void {
    let prevented = false;
    this.emit('close', {
      preventDefault: () => {
        prevented = true;
      },
    });
    this.closed ||= !prevented;
  }
  isDestroyed(): boolean {
    return this.closed;
  }
}

function guarded(active: string[]) {
  const window = new FakeWindow();
  const asked: (readonly string[])[] = [];
  const guard = guardClose(window as unknown as BrowserWindow, {
    activeRuns: () => active,
    ask: (runIds) => asked.push(runIds),
    stop: () => {
      active.length = 0;
      return Promise.resolve();
    },
  });
  return { window, asked, guard };
}

describe('closing the window', () => {
  it('is not asked about when nothing runs', () => {
    const { window, asked } = guarded([]);
    window.close();
    expect({ closed: window.closed, asked }).toEqual({ closed: true, asked: [] });
  });

  it('waits for an answer while a run is under way', () => {
    const { window, asked } = guarded(['a']);
    window.close();
    window.close();
    expect({ closed: window.closed, asked }).toEqual({ closed: false, asked: [['a'], ['a']] });
  });

  it('stops the runs first when that is the answer', async () => {
    const active = ['a'];
    const { window, guard } = guarded(active);
    window.close();
    await guard.closeNow();
    expect({ closed: window.closed, active }).toEqual({ closed: true, active: [] });
  });
});
