import { readerBounds } from '../contract/reader-limits';
import type { GoldenReaders } from '../golden/golden-samples';
import type { ModelReaders } from '../own/model-readers';
import type { InputReaders } from '../perf/input/input-readers';
import { ReaderPool } from '../readers/reader-pool';
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
  const pool = new ReaderPool(file);
  const reader = (name: ReaderName) => (input: { readonly path?: string; readonly fileName?: string }) =>
    pool.read(name, input, readerBounds[name], input.path ?? input.fileName);
  const names = Object.keys(readerBounds) as ReaderName[];
  // The table in the process has the same names and types.
  const readers = Object.fromEntries(names.map((name) => [name, reader(name)])) as unknown as Readers;
  return {
    readers,
    close: () => pool.close(),
  };
}
