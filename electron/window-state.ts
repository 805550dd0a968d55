import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { writeFileAtomic } from '../main/platform/files';

const boundsSchema = z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) });
export type Bounds = z.infer<typeof boundsSchema>;

const windowStateSchema = z.object({ bounds: boundsSchema.nullable(), maximized: z.boolean() });
export type WindowState = z.infer<typeof windowStateSchema>;

const firstState: WindowState = { bounds: null, maximized: false };

/** A missing or damaged file is no reason not to open: the window then stands where a first one would. */
export async function readWindowState(path: string): Promise<WindowState> {
  try {
    return windowStateSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return firstState;
  }
}

export async function writeWindowState(path: string, state: WindowState): Promise<void> {
  await writeFileAtomic(path, JSON.stringify(state));
}

const visiblePx = 120;

/** The bounds, if enough of them lies on a display that is still there; pixels. */
export function boundsOnDisplays(bounds: Bounds | null, displays: readonly Bounds[]): Bounds | null {
  if (bounds === null) return null;
  const seen = displays.some((display) => {
    const width =
      Math.min(bounds.x + bounds.width, display.x + display.width) - Math.max(bounds.x, display.x);
    const height =
      Math.min(bounds.y + bounds.height, display.y + display.height) - Math.max(bounds.y, display.y);
    return width >= visiblePx && height >= visiblePx;
  });
  return seen ? bounds : null;
}
