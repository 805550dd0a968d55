import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { UsedImage } from '../../contract/measured/results';
import type { DeployedRun } from '../../contract/run/run-state';
import type { Executor } from '../../engine/engine';
import { makeFolder } from '../../platform/files';

/** In whose folder containers of a search may write. */
export const searchStep = 'deploy';

export interface PlaceHands {
  /** Where its Triton is started. @param name of the work; @param dir its folder */
  readonly openExecutor: (run: DeployedRun, name: string, dir: string) => Promise<Executor>;
  /** Waits until nobody else measures on the machine. @returns gives the turn back */
  readonly takeTurn: (run: DeployedRun, name: string, signal: AbortSignal) => Promise<() => Promise<void>>;
}

interface Place {
  readonly run: DeployedRun;
  /** Names the work, and what is left of it after a kill. */
  readonly name: string;
  /** Its folder, absolute. */
  readonly dir: string;
  readonly signal: AbortSignal;
}

/** Works where the run's Triton is started, while nobody else measures there; all is given back however it ends. */
export async function onExecutor<Value>(
  { openExecutor, takeTurn }: PlaceHands,
  { run, name, dir, signal }: Place,
  work: (executor: Executor, images: readonly UsedImage[]) => Promise<Value>,
): Promise<Value> {
  await makeFolder(join(dir, 'repository'));
  // An engine of containers gives them the folders of steps.
  const steps = join(dir, 'steps');
  await makeFolder(steps);
  const executor = await openExecutor(run, name, dir);
  try {
    await executor.reclaim();
    const listener = { signal, log: () => undefined, progress: () => undefined };
    const images = (await executor.prepareImages?.(listener)) ?? [];
    const giveBack = await takeTurn(run, name, signal);
    try {
      return await work(executor, images);
    } finally {
      await giveBack();
    }
  } finally {
    await executor.release();
    await rm(steps, { recursive: true, force: true });
  }
}
