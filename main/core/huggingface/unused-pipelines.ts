import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HomeLayout } from '../../platform/layout';

/** What of a run, a study or a draft names its model: a specification, which a journal begins with. */
const namesModel = (name: string): boolean => /\.(?:yaml|json|jsonl)$/.test(name);
const mostBytes = 4 * 2 ** 20;

async function beginOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes), 0, mostBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

const entriesOf = (folder: string) => readdir(folder, { withFileTypes: true }).catch(() => []);

/** Files of a folder, and of its folders, that may name a model. */
async function namingFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isFile()) found.push(path);
    // A run outside of the home is a link to its folder.
    else for (const inner of await entriesOf(path)) if (inner.isFile()) found.push(join(path, inner.name));
  }
  return found.filter(namesModel);
}

/**
 * Written pipelines that no run, study or draft of the home names; runs in the trash count, as they can be restored.
 * @returns their folders
 */
export async function unusedPipelines(
  layout: Pick<HomeLayout, 'pipelines' | 'runs' | 'trash' | 'studies' | 'drafts'>,
): Promise<readonly string[]> {
  // One that is being written is not there yet.
  const there = (await entriesOf(layout.pipelines)).filter(({ name }) => !name.endsWith('.tmp'));
  const left = new Set(there.map(({ name }) => name));
  for (const folder of [layout.runs, layout.trash, layout.studies, layout.drafts]) {
    if (left.size === 0) return [];
    for (const file of await namingFiles(folder)) {
      const text = await beginOf(file);
      for (const name of left) if (text.includes(`/${name}/`)) left.delete(name);
    }
  }
  return [...left].map((name) => join(layout.pipelines, name));
}
