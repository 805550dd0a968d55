import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boundsOnDisplays, readWindowState, writeWindowState } from '../../../electron/window-state';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'window-state-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('where the window stood', () => {
  it('is read back', async () => {
    const path = join(folder, 'inner', 'state.json');
    const state = { bounds: { x: 10, y: 20, width: 1300, height: 820 }, maximized: true };
    await writeWindowState(path, state);
    expect(await readWindowState(path)).toEqual(state);
  });

  it.each(['', '{"bounds":', '{"bounds":{"x":"a"},"maximized":1}', 'null'])(
    'is forgotten when the file says %j',
    async (text) => {
      const path = join(folder, 'damaged.json');
      await writeFile(path, text);
      expect(await readWindowState(path)).toEqual({ bounds: null, maximized: false });
    },
  );

  it('counts only where enough of it is on a display', () => {
    const display = { x: 0, y: 0, width: 1920, height: 1080 };
    const inside = { x: 100, y: 100, width: 1280, height: 800 };
    expect(boundsOnDisplays(inside, [display])).toEqual(inside);
    expect(boundsOnDisplays({ ...inside, x: 1900 }, [display])).toBeNull();
    expect(boundsOnDisplays({ ...inside, x: 2000 }, [display, { ...display, x: 1920 }])).toEqual({
      ...inside,
      x: 2000,
    });
    expect(boundsOnDisplays(null, [display])).toBeNull();
  });
});
