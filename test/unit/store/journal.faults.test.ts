import { fsyncSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { JournalWriter, readJournal } from '../../../main/store/journal';
import { environmentFixture, specFixture } from '../../support/run-state';
import { runStore } from '../../support/run-store';

const started = (attempt: number) => ({ type: 'run-started' as const, attempt, pid: 7 });
const failure = (code: string) => Object.assign(new Error(code), { code });

let dir = '';
let path = '';
/** What all file handles share: the place to inject a fault of the disk. */
let handles: FileHandle;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'journal-faults-'));
  path = join(dir, 'journal.jsonl');
  const probe = await open(dir, 'r');
  handles = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(dir, { recursive: true, force: true });
});

/** The next append writes this many bytes of its line, then the disk is full. */
function failingAppend(writtenBytes: number): void {
  vi.spyOn(handles, 'appendFile').mockImplementationOnce(async function (this: FileHandle, data) {
    await this.write(Buffer.from(data as Uint8Array).subarray(0, writtenBytes));
    throw failure('ENOSPC');
  });
}

describe('a write that fails', () => {
  it('leaves nothing behind', async () => {
    const { writer } = await JournalWriter.open(path);
    await writer.append(started(1));
    failingAppend(20);
    await expect(writer.append(started(2))).rejects.toMatchObject({ code: 'disk-full' });
    await writer.append(started(3));
    await writer.close();
    const { entries, damagedLines } = await readJournal(path);
    expect(entries).toMatchObject([{ attempt: 1 }, { attempt: 3 }]);
    expect(damagedLines).toEqual([]);
  });

  it('and cannot be cut off yet is cut off by the next one', async () => {
    const { writer } = await JournalWriter.open(path);
    await writer.append(started(1));
    failingAppend(20);
    vi.spyOn(handles, 'truncate').mockRejectedValueOnce(failure('EIO'));
    await expect(writer.append(started(2))).rejects.toMatchObject({ code: 'disk-full' });
    await writer.append(started(3));
    await writer.close();
    const { entries, damagedLines } = await readJournal(path);
    expect(entries).toMatchObject([{ attempt: 1 }, { attempt: 3 }]);
    expect(damagedLines).toEqual([]);
  });

  // 0: nothing written; 20: half a line; 10,000: the whole line, and only the answer was an error.
  it.each([0, 20, 10_000])('after %i bytes never merges with the next record', async (writtenBytes) => {
    const { writer } = await JournalWriter.open(path);
    await writer.append(started(1));
    failingAppend(writtenBytes);
    const truncate = vi.spyOn(handles, 'truncate').mockRejectedValue(failure('EIO'));
    await expect(writer.append(started(2))).rejects.toMatchObject({ code: 'disk-full' });
    const next = await writer.append(started(3));
    await writer.append(started(4));
    await writer.close();
    truncate.mockRestore();
    expect(next.seq).toBe(3);
    const { entries } = await readJournal(path);
    const attempts = entries.map((entry) => (entry.type === 'run-started' ? entry.attempt : 0));
    expect(attempts.filter((attempt) => attempt !== 2)).toEqual([1, 3, 4]);
    const before = await readFile(path);
    const again = await JournalWriter.open(path);
    await again.writer.close();
    expect(await readFile(path)).toEqual(before);
  });
});

it('a run whose first line cannot be written is no run: nothing is listed and nothing is left', async () => {
  const store = runStore(join(dir, 'runs'));
  failingAppend(20);
  const made = store.create(specFixture(), environmentFixture());
  await expect(made).rejects.toMatchObject({ code: 'disk-full' });
  expect(await store.list()).toEqual({ runs: [], unreadable: [] });
  expect(await readdir(join(dir, 'runs'))).toEqual(['.run-key']);
});

/** Folders that were put on disk while `act` ran. */
async function syncedBy(act: () => Promise<unknown>): Promise<readonly string[]> {
  const synced: string[] = [];
  vi.spyOn(handles, 'sync').mockImplementation(async function (this: FileHandle) {
    synced.push(await readlink(`/proc/self/fd/${this.fd}`));
    fsyncSync(this.fd);
  });
  await act();
  return synced;
}

describe('the folder of what is new is put on disk', () => {
  it('for a new journal, and not for one that is there', async () => {
    const openOnce = async () => {
      const { writer } = await JournalWriter.open(path);
      await writer.append(started(1));
      await writer.close();
    };
    expect(await syncedBy(openOnce)).toEqual([dir]);
    vi.restoreAllMocks();
    expect(await syncedBy(openOnce)).toEqual([]);
  });

  it('for every new folder of a new run, and for the link to one elsewhere', async () => {
    const store = runStore(join(dir, 'home', 'runs'));
    const inHome = await syncedBy(() => store.create(specFixture(), environmentFixture()));
    expect(inHome).toEqual(expect.arrayContaining([dir, join(dir, 'home'), join(dir, 'home', 'runs')]));
    vi.restoreAllMocks();
    const out = join(dir, 'elsewhere', 'run');
    const linked = await syncedBy(() => store.create(specFixture(), environmentFixture(), out));
    expect(linked).toEqual(expect.arrayContaining([dir, join(dir, 'elsewhere'), join(dir, 'home', 'runs')]));
  });
});
