import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reduceRun, type RunState } from '../../../main/contract/run/run-state';
import { readJournal } from '../../../main/store/journal';
import type { TestHome } from './app';

/** The state of the home's only run, from its journal; what the window says is compared with it. */
export async function onlyRun(
  home: Pick<TestHome, 'path'>,
): Promise<{ readonly state: RunState; readonly dir: string }> {
  const names = await readdir(join(home.path, 'runs'));
  const [name] = names;
  if (name === undefined || names.length !== 1) throw new Error(`Expected one run, found ${names.length}`);
  const dir = join(home.path, 'runs', name);
  const { entries } = await readJournal(join(dir, 'journal.jsonl'));
  const state = entries.reduce<RunState | null>(reduceRun, null);
  if (state === null) throw new Error('The journal is empty');
  return { state, dir };
}
