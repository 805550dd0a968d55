import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Executor } from '../../engine/engine';
import type { LookThere } from './measure-look';

/**
 * What sends the load of a search from a container on a host, which sees the folders of steps.
 * @param dir of the work. @param step in whose folder a container may write
 */
export function lookThere({ loadTools }: Pick<Executor, 'loadTools'>, dir: string, step: string): LookThere {
  const copied = new Map<string, Promise<string>>();
  const begunAt = Date.now().toString(36);
  let looks = 0;
  const copy = async (from: string): Promise<string> => {
    const to = join(dir, 'steps', `inputs-${copied.size}`);
    await cp(from, to, { recursive: true });
    return to;
  };
  return {
    loadTools,
    // A container is found again by its work: two looks at the same load are not the same, nor those of another process.
    folder: () => {
      looks += 1;
      return join(dir, 'steps', step, `look-${begunAt}-${looks}`);
    },
    inputs: (inputDataDir) => {
      const known = copied.get(inputDataDir) ?? copy(inputDataDir);
      copied.set(inputDataDir, known);
      return known;
    },
  };
}
