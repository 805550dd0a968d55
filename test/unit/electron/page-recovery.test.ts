import { EventEmitter } from 'node:events';
import type { MessageBoxOptions } from 'electron';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PageDeaths, recoverPage } from '../../../electron/page-recovery';

describe('a page that died', () => {
  it('is drawn again at once, then with growing waits, and not for ever', () => {
    const deaths = new PageDeaths();
    expect([0, 100, 2000, 8000, 9000].map((at) => deaths.died(at))).toEqual([0, 1000, 5000, null, null]);
  });

  it('begins anew after a minute, or when it is told to forget', () => {
    const deaths = new PageDeaths();
    expect([0, 70_000, 140_000, 150_000].map((at) => deaths.died(at))).toEqual([0, 0, 0, 1000]);
    deaths.forget();
    expect(deaths.died(150_001)).toBe(0);
  });
});

/** A window whose page dies when the test says so. */
class DyingWindow {
  destroyed = false;
  reloads = 0;
  private readonly events = new EventEmitter();
  readonly webContents = {
    on: (event: string, listener: (event: unknown, details: { reason: string }) => void) =>
      this.events.on(event, listener),
    reload: () => {
      this.reloads += 1;
    },
  };
  isDestroyed = () => this.destroyed;
  die(reason = 'crashed'): void {
    this.events.emit('render-process-gone', {}, { reason });
  }
}

describe('the window of a page that died', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function recovered(answer: number) {
    const window = new DyingWindow();
    const asked: MessageBoxOptions[] = [];
    const closed = { times: 0 };
    recoverPage(window, {
      nowMs: () => Date.now(),
      ask: (question) => {
        asked.push(question);
        return Promise.resolve(answer);
      },
      close: () => {
        closed.times += 1;
        return Promise.resolve();
      },
    });
    return { window, asked, closed };
  }

  it('asks after the fourth death in a minute, and tries again when that is chosen', async () => {
    const { window, asked, closed } = recovered(0);
    for (const reloads of [1, 2, 3]) {
      window.die();
      await vi.advanceTimersByTimeAsync(6000);
      expect(window.reloads).toBe(reloads);
    }
    expect(asked).toEqual([]);
    window.die();
    await vi.advanceTimersByTimeAsync(0);
    expect(asked.map(({ buttons }) => buttons)).toEqual([['Try again', 'Close']]);
    expect(asked[0]?.detail).toContain('Runs continue in the background');
    expect([window.reloads, closed.times]).toEqual([4, 0]);
    window.die();
    expect(window.reloads).toBe(5);
  });

  it('draws nothing more once closing was chosen', async () => {
    const { window, closed } = recovered(1);
    for (let death = 0; death < 4; death += 1) window.die();
    window.destroyed = true;
    await vi.advanceTimersByTimeAsync(60_000);
    expect([window.reloads, closed.times]).toEqual([1, 1]);
  });

  it('leaves a page that ended as it should', () => {
    const { window } = recovered(0);
    window.die('clean-exit');
    expect(window.reloads).toBe(0);
  });
});
