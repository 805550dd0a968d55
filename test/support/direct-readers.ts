import { readerTable } from '../../main/core/reader-table';
import type { ReaderName, Readers } from '../../main/core/readers';

const direct =
  (name: ReaderName) =>
  async (input: unknown): Promise<unknown> =>
    structuredClone(await (readerTable[name] as (given: unknown) => unknown)(structuredClone(input)));

/** The readers themselves, in this process, where a test is of what is made of their answers. */
export const directReaders = Object.fromEntries(
  (Object.keys(readerTable) as ReaderName[]).map((name) => [name, direct(name)]),
) as unknown as Readers;
