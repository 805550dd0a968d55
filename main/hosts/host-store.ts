import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { type Host, hostSchema } from '../contract/host/hosts';
import { writeFileAtomic } from '../platform/files';
import { privateFile } from '../platform/private-home';
import { readBoundedFile } from '../platform/read-bounded-file';
import { withFileTurn } from '../store/file-lease';

const version = 1;
const fileSchema = z.strictObject({ version: z.literal(version), hosts: z.array(hostSchema).max(1000) });
const versionSchema = z.looseObject({ version: z.int().min(version + 1) });

const mostBytes = 1024 * 1024;

/** The list of hosts of a home, in one file. */
export interface HostStore {
  /** By name. Throws input-invalid for a file that is damaged, which is renamed first, or cannot be read. */
  read(): Promise<readonly Host[]>;
  /** One change at a time, of all processes: each sees what the one before it wrote. Throws as `read`. */
  change(edit: (hosts: readonly Host[]) => readonly Host[]): Promise<void>;
}

const problemOf = (error: unknown): string =>
  error instanceof z.ZodError
    ? error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
    : (error as Error).message;

/** "gpu2" before "gpu10". */
const order = new Intl.Collator('en', { numeric: true });

const byName = (hosts: readonly Host[]): readonly Host[] =>
  [...hosts].sort((a, b) => order.compare(a.name, b.name));

/** @param options.file `hosts.json` of the home */
export function createHostStore(options: { readonly file: string; readonly now: () => Date }): HostStore {
  const { file, now } = options;
  const setAside = async (problem: string): Promise<WorkbenchError> => {
    const stamp = now().toISOString().replace(/[:.]/g, '-');
    const aside = join(dirname(file), `hosts-unreadable-${stamp}.json`);
    const moved = await rename(file, aside).then(
      () => true,
      () => false,
    );
    return new WorkbenchError(
      'input-invalid',
      `The list of hosts is damaged${moved ? ` and was renamed to ${aside}` : ''}: ${problem.slice(0, 500)}`,
      {
        where: file,
        remedy: moved
          ? 'Correct that file and rename it back, or add the hosts again.'
          : 'Correct the file or rename it.',
      },
    );
  };
  const read = async (): Promise<readonly Host[]> => {
    const found = await readBoundedFile(file, mostBytes, { links: 'follow' });
    if ('problem' in found) {
      if (found.problem === 'it does not exist') return [];
      throw new WorkbenchError('input-invalid', `The list of hosts cannot be read: ${found.problem}`, {
        where: file,
        remedy: 'Make the file readable for your user, or rename it.',
      });
    }
    let content: unknown;
    try {
      content = JSON.parse(found.text);
    } catch (error) {
      throw await setAside(problemOf(error));
    }
    if (versionSchema.safeParse(content).success) {
      throw new WorkbenchError('input-invalid', 'The list of hosts was written by a newer workbench', {
        where: file,
        remedy: 'Use that version, or rename the file.',
      });
    }
    const parsed = fileSchema.safeParse(content);
    if (!parsed.success) throw await setAside(problemOf(parsed.error));
    return byName(parsed.data.hosts);
  };
  return {
    read,
    change: (edit) =>
      withFileTurn(file, 'the list of hosts', async (place) => {
        const hosts = byName(edit(await read()));
        await writeFileAtomic(place, `${JSON.stringify({ version, hosts }, null, 2)}\n`, privateFile);
      }),
  };
}
