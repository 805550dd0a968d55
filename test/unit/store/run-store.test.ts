import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { homeLayout } from '../../../main/platform/layout';
import { createRunTrash } from '../../../main/store/run-trash';
import { environmentFixture, specFixture } from '../../support/run-state';
import { runStore } from '../../support/run-store';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-run-store-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const create = (out: string, home = dir) =>
  runStore(join(home, 'runs'), join(home, 'run-key')).create(specFixture(), environmentFixture(), out);

describe('a run folder that the user names', () => {
  it('is made, and linked below the home', async () => {
    const { folder, state } = await create(join(dir, 'new', 'run'));
    expect(folder.dir).toBe(join(dir, 'new', 'run'));
    expect(await readdir(join(dir, 'runs'))).toEqual([state.runId]);
  });

  it('in /proc is an error at once, not a call that never ends', async () => {
    await expect(create('/proc/triton-workbench')).rejects.toMatchObject({
      code: 'file-unwritable',
      message: 'Cannot create the folder /proc/triton-workbench: /proc does not accept new folders',
    });
    await expect(readdir(join(dir, 'runs'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('of which a part is a file is an error that names the file', async () => {
    const file = join(dir, 'file');
    await writeFile(file, '');
    for (const out of [file, join(file, 'run')]) {
      await expect(create(out)).rejects.toMatchObject({
        code: 'file-unwritable',
        message: `Cannot create the folder ${out}: ${file} is a file`,
      });
    }
  });

  it('that holds something is refused', async () => {
    await writeFile(join(dir, 'file'), '');
    await expect(create(dir)).rejects.toMatchObject({ code: 'run-folder-exists', where: '--out' });
  });

  it('is not the only one: a home in /proc is an error too', async () => {
    await expect(create(join(dir, 'run'), '/proc/triton-workbench')).rejects.toMatchObject({
      code: 'file-unwritable',
      message: 'Cannot create the folder /proc/triton-workbench/runs: /proc does not accept new folders',
    });
  });
});

describe('a run folder that was copied', () => {
  const copied = async () => {
    const layout = homeLayout(dir);
    const store = runStore(layout.runs, layout.runKey);
    const { state, folder } = await store.create(specFixture(), environmentFixture());
    // Listed before, so that the row which is kept beside the journal is copied too.
    await store.list();
    await cp(folder.dir, join(layout.runs, 'backup'), { recursive: true });
    return { layout, store, runId: state.runId, original: folder.dir };
  };

  it('does not show its id twice, and the list says what to do', async () => {
    const { store, runId } = await copied();
    const { runs, unreadable } = await store.list();
    expect(runs.map((run) => run.runId)).toEqual([runId]);
    expect(unreadable.map((run) => run.runId)).toEqual(['backup']);
    expect(unreadable[0]?.reason).toBe(
      `The folder backup is a copy of the run ${runId}. Rename the folder to ${runId} if that run no longer exists; otherwise delete the copy.`,
    );
    await expect(store.load('backup')).rejects.toMatchObject({ code: 'run-unknown' });
  });

  it.each(['removed', 'moved to the trash'] as const)('leaves the original when it is %s', async (how) => {
    const { layout, store, runId, original } = await copied();
    const before = await readdir(original);
    if (how === 'removed') await store.remove('backup');
    else await createRunTrash(store, layout).remove('backup');
    expect(await readdir(layout.runs)).toEqual([runId]);
    expect(await readdir(original)).toEqual(before);
  });
});

describe('a link in the place of a run', () => {
  const victim = async () => {
    const path = join(dir, 'victim');
    await mkdir(path);
    await writeFile(join(path, 'thesis.txt'), 'years of work');
    return path;
  };

  it('to another folder is refused, and nothing is deleted behind it', async () => {
    const path = await victim();
    const runs = join(dir, 'runs');
    await mkdir(runs);
    await symlink(path, join(runs, 'evil'));
    await expect(runStore(runs, join(dir, 'run-key')).remove('evil')).rejects.toMatchObject({
      code: 'run-unknown',
      where: join(runs, 'evil'),
    });
    expect(await readdir(path)).toEqual(['thesis.txt']);
  });

  it('to another run is refused', async () => {
    const store = runStore(join(dir, 'runs'), join(dir, 'run-key'));
    const { folder } = await store.create(specFixture(), environmentFixture());
    await symlink(folder.dir, join(dir, 'runs', 'evil'));
    await expect(store.remove('evil')).rejects.toMatchObject({ code: 'run-unknown' });
    expect(await readdir(folder.dir)).toContain('journal.jsonl');
  });

  it('to the folder that --out named for this run goes with that folder', async () => {
    const out = join(dir, 'elsewhere');
    const { state } = await create(out);
    await runStore(join(dir, 'runs'), join(dir, 'run-key')).remove(state.runId);
    expect((await readdir(dir)).sort()).toEqual(['run-key', 'runs']);
    expect(await readdir(join(dir, 'runs'))).toEqual([]);
  });
});
