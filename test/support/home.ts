import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultHome } from '../../main/platform/layout';

/** Repository root; tests run from there. */
export const repository = process.cwd();

export interface TestHome {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * A workbench home with runs and cache of its own, and the installed tools of the real one.
 * Throws when a tool is missing: a test that needs it must not pass without it.
 */
export async function createTestHome(): Promise<TestHome> {
  const real = defaultHome(process.env);
  const path = await mkdtemp(join(tmpdir(), 'workbench-home-'));
  for (const tool of ['python', 'triton', 'perf-analyzer', 'electron']) {
    if (!existsSync(join(real, tool)))
      throw new Error(`${tool} is not installed in ${real}: run npm test once`);
    await symlink(join(real, tool), join(path, tool));
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
