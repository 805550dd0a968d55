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

const allTools = ['python', 'triton', 'perf-analyzer', 'electron'] as const;

/**
 * A workbench home with runs and cache of its own, and these installed tools of the real one; all where none is named.
 * Throws when a tool is missing: a test that needs it must not pass without it.
 */
export async function createTestHome(
  tools: readonly (typeof allTools)[number][] = allTools,
): Promise<TestHome> {
  const real = defaultHome(process.env);
  const path = await mkdtemp(join(tmpdir(), 'workbench-home-'));
  for (const tool of tools) {
    if (!existsSync(join(real, tool)))
      throw new Error(`${tool} is not installed in ${real}: run npm test once`);
    await symlink(join(real, tool), join(path, tool));
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
