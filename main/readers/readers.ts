import { readerBounds } from '../contract/reader-limits';
import type { ReaderName, Readers } from './reader-calls';
import { ReaderPool } from './reader-pool';

export interface ReaderService {
  readonly readers: Readers;
  readonly close: () => void;
}

/** Readers with a process of their own. @param file bundled entry of the process. */
export function createReaders(file: string): ReaderService {
  const pool = new ReaderPool(file);
  const reader = (name: ReaderName) => (input: { readonly path?: string; readonly fileName?: string }) =>
    pool.read(name, input, readerBounds[name], input.path ?? input.fileName);
  const names = Object.keys(readerBounds) as ReaderName[];
  // The table of the process has the same names and types; an answer is what its function returns.
  const readers = Object.fromEntries(names.map((name) => [name, reader(name)])) as unknown as Readers;
  return {
    readers,
    close: () => {
      pool.close();
    },
  };
}
