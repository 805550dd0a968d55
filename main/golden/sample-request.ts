import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InputData } from '../contract/measured/input-data';
import type { Tensor } from '../triton/tensor';

interface Samples {
  readonly inputData: InputData;
  /** Of its files. */
  readonly dir: string;
  /** The model takes a batch dimension. */
  readonly batched: boolean;
}

/** Of the input with most of them; those with fewer begin again. */
export const sampleCount = ({ tensors }: InputData): number =>
  tensors.reduce((most, { files }) => Math.max(most, files.length), 0);

/**
 * The request with that number: so many samples that follow each other, or one of them again and again where their shapes
 * differ.
 */
export async function sampleRequest(
  { inputData, dir, batched }: Samples,
  index: number,
  rows = 1,
): Promise<Tensor[]> {
  const isVarying = inputData.tensors.some(({ shapes }) => shapes !== undefined);
  const first = isVarying ? index : index * rows;
  return Promise.all(
    inputData.tensors.map(async ({ name, datatype, shape, shapes, files }) => {
      const places = Array.from(
        { length: rows },
        (_row, row) => (first + (isVarying ? 0 : row)) % files.length,
      );
      const own = shapes?.[first % files.length] ?? shape;
      const data = Buffer.concat(await Promise.all(places.map((at) => readFile(join(dir, files[at] ?? '')))));
      return { name, datatype, shape: batched ? [rows, ...own] : own, data };
    }),
  );
}
