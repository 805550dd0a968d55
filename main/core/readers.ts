import { readerBounds } from '../contract/reader-limits';
import type { ModelReaders } from '../own/model-readers';
import type { InputReaders } from '../perf/input/input-readers';
import { ReaderPool } from '../readers/reader-pool';
import type { SpecReaders } from '../spec/spec-readers';

/** Everything that is read of what came from outside: input and output of each reader, plain data both. */
export type Readers = Readonly<ModelReaders & InputReaders & SpecReaders>;
export type ReaderName = keyof Readers;

/** The same functions, as they are in the process that reads. */
export type ReaderTable = {
  readonly [Name in ReaderName]: (
    input: Parameters<Readers[Name]>[0],
  ) => Awaited<ReturnType<Readers[Name]>> | ReturnType<Readers[Name]>;
};

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
