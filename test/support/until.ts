import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a condition holds; the limit only keeps a test that fails from hanging. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const limit = performance.now() + 180_000;
  while (!(await holds())) {
    if (performance.now() > limit) throw new Error(`It never came to be that ${what}`);
    await sleep(20);
  }
}
