import { readFile } from 'node:fs/promises';
import type { Rectangle } from 'electron';
import { writeFileAtomic } from '../main/platform/files';

export interface WindowState {
  /** Pixels. */
  readonly bounds: Rectangle | null;
  readonly maximized: boolean;
}

const firstState: WindowState = { bounds: null, maximized: false };

/** Without a schema: this is read before the window is opened, and those of the program take longer than that. Throws. */
function stateOf(value: unknown): WindowState {
  const { bounds, maximized } = value as Readonly<Record<string, unknown>>;
  if (typeof maximized !== 'boolean') throw new Error('maximized must be a boolean');
  if (bounds === null) return { bounds, maximized };
  const { x, y, width, height } = bounds as Readonly<Record<keyof Rectangle, unknown>>;
  const whole = (number: unknown, least = -Infinity): number => {
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= least) return number;
    throw new Error('bounds must be whole numbers');
  };
  return {
    bounds: { x: whole(x), y: whole(y), width: whole(width, 1), height: whole(height, 1) },
    maximized,
  };
}

/** A missing or damaged file is no reason not to open: the window then stands where a first one would. */
export async function readWindowState(path: string): Promise<WindowState> {
  try {
    return stateOf(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return firstState;
  }
}

export async function writeWindowState(path: string, state: WindowState): Promise<void> {
  await writeFileAtomic(path, JSON.stringify(state));
}

const visiblePx = 120;

/** null where too little of them is on a display; pixels. */
export function boundsOnDisplays(bounds: Rectangle | null, displays: readonly Rectangle[]): Rectangle | null {
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
