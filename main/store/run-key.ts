import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { canonicalJson, exists, makeFolder, syncToDisk, temporaryBeside } from '../platform/files';
import { fileError, readBoundedFile } from '../platform/plain-entry';
import { readJournal } from './journal';
import { runFolder } from './run-folder';

const keyBytes = 32;
const keyPattern = /^[0-9a-f]{64}\n?$/;

/** File systems without hard links. */
const noLinks: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** The home's secret. A seal (HMAC) proves authorship, unlike a checksum. */
export class RunKey {
  private known: Buffer | null = null;

  constructor(private readonly file: string) {}

  /** HMAC-SHA256 (hex) of canonical JSON; creates the key on first use. Throws input-invalid. */
  async seal(value: unknown): Promise<string> {
    return this.sealWith((await this.read()) ?? (await this.make()), value);
  }

  /** False without a readable key. */
  async holds(value: unknown, seal: string | undefined): Promise<boolean> {
    const key = seal === undefined ? null : await this.read();
    if (seal === undefined || key === null) return false;
    const [given, right] = [Buffer.from(seal), Buffer.from(this.sealWith(key, value))];
    return given.length === right.length && timingSafeEqual(given, right);
  }

  private sealWith(key: Buffer, value: unknown): string {
    return createHmac('sha256', key).update(canonicalJson(value)).digest('hex');
  }

  private async read(): Promise<Buffer | null> {
    if (this.known !== null) return this.known;
    const found = await readBoundedFile(this.file, 2 * keyBytes + 1);
    if ('problem' in found || !keyPattern.test(found.text)) return null;
    this.known = Buffer.from(found.text.trim(), 'hex');
    return this.known;
  }

  /** Concurrent callers share the first one's key. */
  private async make(): Promise<Buffer> {
    const temporary = temporaryBeside(this.file);
    try {
      if (!(await exists(this.file))) {
        await makeFolder(dirname(this.file));
        const made = await open(temporary, 'wx', 0o600);
        try {
          await made.writeFile(`${randomBytes(keyBytes).toString('hex')}\n`);
          await made.sync();
        } finally {
          await made.close();
        }
        await this.putInPlace(temporary);
        await syncToDisk(dirname(this.file));
      }
    } catch (error) {
      throw fileError(error, this.file);
    } finally {
      await rm(temporary, { force: true }).catch(() => undefined);
    }
    const key = await this.read();
    if (key !== null) return key;
    throw new WorkbenchError('input-invalid', `The key of this workbench home cannot be read`, {
      where: this.file,
      remedy: 'Delete the file. A new key is then created; trust the runs that you want to continue.',
    });
  }

  private async putInPlace(temporary: string): Promise<void> {
    try {
      await link(temporary, this.file);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (code === 'EEXIST') return;
      if (!noLinks.has(code)) throw error;
      await rename(temporary, this.file);
    }
  }
}

/** Whether the folder's journal is of this run. */
export async function holdsRun(dir: string, runId: string): Promise<boolean> {
  const content = await readJournal(runFolder(dir).journal).catch(() => null);
  const [first] = content?.entries ?? [];
  return first?.type === 'run-created' && first.runId === runId;
}

/** Otherwise actions on a copied folder would reach the original run. Throws run-unknown. */
export function requireSameRun(inJournal: string, ofFolder: string, dir: string): void {
  if (inJournal === ofFolder) return;
  throw new WorkbenchError('run-unknown', `The folder ${ofFolder} is a copy of the run ${inJournal}`, {
    where: dir,
    remedy: `Rename the folder to ${inJournal} if that run no longer exists; otherwise delete the copy.`,
  });
}
