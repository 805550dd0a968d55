import { readerBounds } from '../contract/reader-limits';
import type { GoldenReaders } from '../golden/golden-samples';
import type { ModelReaders } from '../own/model-readers';
import type { InputReaders } from '../perf/input/input-readers';
import type { ReaderPool } from '../readers/reader-pool';
import type { SpecReaders } from '../specification/spec-readers';

/** Every reader of outside data; inputs and outputs are plain data. */
export type Readers = Readonly<ModelReaders & InputReaders & SpecReaders & GoldenReaders>;
export type ReaderName = keyof Readers;

export type ReaderTable = {
  readonly [Name in ReaderName]: (
    input: Parameters<Readers[Name]>[0],
  ) => Awaited<ReturnType<Readers[Name]>> | ReturnType<Readers[Name]>;
};

export interface ReaderService {
  readonly readers: Readers;
  readonly close: () => void;
}

/** @param file bundled entry of the reader process. */
export function createReaders(file: string): ReaderService {
  const made: { pool: Promise<ReaderPool> | null } = { pool: null };
  // Loaded when something is read: a preset needs no process.
  const pool = () => {
    made.pool ??= import('../readers/reader-pool').then((readers) => new readers.ReaderPool(file));
    return made.pool;
  };
  const reader =
    (name: ReaderName) => async (input: { readonly path?: string; readonly fileName?: string }) =>
      (await pool()).read(name, input, readerBounds[name], input.path ?? input.fileName);
  const names = Object.keys(readerBounds) as ReaderName[];
  // The table in the process has the same names and types.
  const readers = Object.fromEntries(names.map((name) => [name, reader(name)])) as unknown as Readers;
  return {
    readers,
    close: () => {
      void made.pool?.then((started) => started.close());
    },
  };
}
