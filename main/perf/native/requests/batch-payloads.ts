import { invalidInput } from '../../../contract/errors';
import { largestOf } from '../../../domain/statistics';
import type { JobTensor, LoadJob, RequestInputHead } from '../seam/load-job';

interface RequestInput extends RequestInputHead {
  readonly data: Buffer;
}

export type RequestInputs = readonly RequestInput[];

/** Memory limit of prepared requests. */
export const mostPayloadBytes = 256 * 1024 * 1024;

/** Of the same length, padded behind their ends. */
function padded(rows: readonly Uint8Array[], padding: Uint8Array): readonly Uint8Array[] {
  const longest = largestOf(rows.map(({ byteLength }) => byteLength));
  return rows.map((row) => {
    if (row.byteLength === longest) return row;
    const whole = Buffer.alloc(longest, padding);
    whole.set(row);
    return whole;
  });
}

/** A request's items from sample `first` on; not copied for a single item. */
export function batchOf(
  { samples, padding }: Pick<JobTensor, 'samples' | 'padding'>,
  first: number,
  batchSize: number,
): Buffer {
  const rows: Uint8Array[] = [];
  for (let row = 0; row < batchSize; row += 1) {
    const sample = samples[(first + row) % samples.length];
    if (sample !== undefined) rows.push(sample);
  }
  const [only] = rows;
  return rows.length === 1 && only !== undefined
    ? Buffer.from(only.buffer, only.byteOffset, only.byteLength)
    : Buffer.concat(padding === undefined ? rows : padded(rows, padding));
}

/** Of all items, with padding the longest. Throws input-invalid if they differ otherwise. */
function shapeOf(
  { name, shape, shapes, samples, padding }: JobTensor,
  first: number,
  batchSize: number,
): readonly number[] {
  if (shapes === undefined) return shape;
  const shapeAt = (row: number) => shapes[(first + row) % samples.length] ?? shape;
  let found = shapeAt(0);
  for (let row = 1; row < batchSize; row += 1) {
    const other = shapeAt(row);
    if (other.join() === found.join()) continue;
    if (padding !== undefined && other.slice(1).join() === found.slice(1).join()) {
      if ((other[0] ?? 0) > (found[0] ?? 0)) found = other;
      continue;
    }
    const entries = `${first % samples.length} and ${(first + row) % samples.length}`;
    throw invalidInput(
      `batch size ${batchSize}`,
      `Entries ${entries} have ${name} as [${found.join(', ')}] and [${shapeAt(row).join(', ')}]: they cannot be in one batch`,
      'Use batch size 1, or entries of one shape.',
    );
  }
  return found;
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** Characters of a value and its comma per byte of its raw form, about. */
const jsonGrowth = 6;

type Sized = Pick<LoadJob, 'tensors' | 'batchSize' | 'json'>;

/** Maximum tensor bytes of a request; 0 with shared memory. */
export function largestRequestBytes({ tensors, batchSize, json = false }: Sized): number {
  const largest = (tensor: JobTensor) =>
    tensor.samples.reduce((most, sample) => Math.max(most, sample.byteLength), 0);
  const raw = batchSize * tensors.reduce((sum, tensor) => sum + largest(tensor), 0);
  return json ? jsonGrowth * raw : raw;
}

/**
 * Number of distinct requests, and of those that are prepared: all, or the first that fit 256 MiB (at least one).
 * Throws input-invalid if items of a request differ in shape.
 */
export function payloadCounts(job: Sized) {
  const { tensors, batchSize } = job;
  const samples = largestOf(tensors.map((tensor) => tensor.samples.length));
  const affordable = Math.max(1, Math.floor(mostPayloadBytes / Math.max(1, largestRequestBytes(job))));
  const all = samples / greatestDivisor(samples, batchSize);
  const made = Math.min(all, affordable);
  for (const tensor of tensors) {
    for (let index = 0; index < made; index += 1) shapeOf(tensor, index * batchSize, batchSize);
  }
  return { all, made };
}

/** The inputs of one request, from sample `first` on. Throws input-invalid where its items differ in shape. */
export function requestInputs(
  { tensors, batched }: Pick<LoadJob, 'tensors' | 'batched'>,
  first: number,
  size: number,
): RequestInputs {
  return tensors.map((tensor) => {
    const shape = shapeOf(tensor, first, size);
    return {
      name: tensor.name,
      datatype: tensor.datatype,
      shape: batched ? [size, ...shape] : shape,
      data: batchOf(tensor, first, size),
    };
  });
}

/**
 * Inputs of distinct requests: request k has samples k*batch, k*batch + 1, ..., wrapping around. Limited to 256 MiB, at
 * least one. Throws input-invalid if items of a request differ in shape.
 */
export function batchPayloads(job: Sized & Pick<LoadJob, 'batched'>): RequestInputs[] {
  const { made } = payloadCounts(job);
  return Array.from({ length: made }, (_unused, index) =>
    requestInputs(job, index * job.batchSize, job.batchSize),
  );
}
