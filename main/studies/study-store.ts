import { constants } from 'node:fs';
import { lstat, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { studyNamePattern } from '../contract/opened';
import {
  reduceStudy,
  type Study,
  type StudyBody,
  type StudyEntry,
  studyEntrySchema,
} from '../contract/study/study';
import { exists, makeFolder } from '../platform/files';
import { openPlain } from '../platform/plain-entry';
import { createEntryJournal } from '../store/entry-journal';
import { holderText, readLiveHolder, takeFileLease } from '../store/file-lease';

/** Paths of a study. */
export interface StudyFolder {
  readonly dir: string;
  readonly journal: string;
  /** Requests of other processes, as in run folders. */
  readonly cancelRequest: string;
  readonly pauseRequest: string;
}

const journal = createEntryJournal<StudyBody>('study', studyEntrySchema);

/** A folder with a journal per study, and a lease beside it. */
export class StudyStore {
  /** By name, with the mark of the journal that it was read from: a list reads only journals that have changed. */
  private readonly loaded = new Map<string, { readonly mark: string; readonly study: Study }>();

  constructor(private readonly root: string) {}

  folderOf(name: string): StudyFolder {
    const dir = join(this.root, name);
    return {
      dir,
      journal: join(dir, 'journal.jsonl'),
      cancelRequest: join(dir, 'cancel.request'),
      pauseRequest: join(dir, 'pause.request'),
    };
  }

  async names(): Promise<readonly string[]> {
    const names = await readdir(this.root).catch(() => []);
    return names.filter((name) => studyNamePattern.test(name)).sort();
  }

  /** null if unknown. Throws journal-corrupt. */
  async load(name: string): Promise<Study | null> {
    const folder = this.folderOf(name);
    if (!studyNamePattern.test(name) || !(await exists(folder.journal))) return null;
    const { ino, size, mtimeNs, ctimeNs } = await lstat(folder.journal, { bigint: true });
    const mark = [ino, size, mtimeNs, ctimeNs].join(' ');
    const loaded = this.loaded.get(name);
    if (loaded?.mark === mark) return loaded.study;
    const study = reduceStudy(await journal.read(folder.journal));
    if (study?.name !== name) {
      throw new WorkbenchError('journal-corrupt', 'The journal does not begin with the plan of a study', {
        where: folder.journal,
        remedy: 'Remove the study: its runs can stay.',
      });
    }
    this.loaded.set(name, { mark, study });
    return study;
  }

  /** Times of its journal file, ISO 8601: all that a damaged one still gives. */
  async timesOf(name: string): Promise<Pick<Study, 'createdAt' | 'updatedAt'>> {
    const { birthtime, mtime } = await lstat(this.folderOf(name).journal);
    return { createdAt: birthtime.toISOString(), updatedAt: mtime.toISOString() };
  }

  /** Requires the lease. @returns the written entry, synced */
  async append(name: string, body: StudyBody): Promise<StudyEntry> {
    const folder = this.folderOf(name);
    await makeFolder(folder.dir);
    const entries = await journal.append(folder.journal, [body]);
    return entries.at(-1) as StudyEntry;
  }

  /** Takes the lease. @returns the release. Throws study-busy, input-invalid. */
  async hold(name: string): Promise<() => Promise<void>> {
    if (!studyNamePattern.test(name)) {
      const remedy = 'Use up to 40 letters, digits, ".", "_" and "-".';
      throw new WorkbenchError('input-invalid', `"${name}" cannot be the name of a study`, { remedy });
    }
    await makeFolder(this.root);
    const { release, holder } = await takeFileLease(this.leaseOf(name), name);
    if (release !== undefined) return release;
    const who = holder === null ? 'Another process' : holderText(holder);
    throw new WorkbenchError('study-busy', `${who} is working on the study ${name}`, { where: name });
  }

  async isHeld(name: string): Promise<boolean> {
    return (await readLiveHolder(this.leaseOf(name))) !== null;
  }

  /** Requests are polled twice per second. */
  async request(name: string, how: 'cancel' | 'pause'): Promise<void> {
    const path = this.folderOf(name)[how === 'cancel' ? 'cancelRequest' : 'pauseRequest'];
    await (await openPlain(path, constants.O_WRONLY | constants.O_CREAT)).close();
  }

  /** Requests to an earlier process. */
  async forgetRequests(name: string): Promise<void> {
    const { cancelRequest, pauseRequest } = this.folderOf(name);
    for (const path of [cancelRequest, pauseRequest]) await rm(path, { force: true });
  }

  /** Renames first, then deletes. Requires the lease. @param runsStay they no longer make it a study of the list */
  async remove(name: string, { runsStay }: { readonly runsStay: boolean }): Promise<void> {
    const { dir } = this.folderOf(name);
    const mark = this.markOf(name);
    this.loaded.delete(name);
    if (runsStay) await writeFile(mark, '');
    else await rm(mark, { force: true });
    if (!(await exists(dir))) return;
    const gone = join(this.root, `.${name}.removed`);
    await rm(gone, { recursive: true, force: true });
    await rename(dir, gone);
    await rm(gone, { recursive: true, force: true });
  }

  /** Removed without its runs. */
  async isDropped(name: string): Promise<boolean> {
    return studyNamePattern.test(name) && exists(this.markOf(name));
  }

  private markOf(name: string): string {
    return join(this.root, `.${name}.dropped`);
  }

  private leaseOf(name: string): string {
    return join(this.root, `.${name}.lease`);
  }
}
