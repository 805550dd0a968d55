import type { JobTensor, LoadJob } from './load-job';

export interface RequestInput {
  readonly name: string;
  readonly datatype: string;
  /** With the batch dimension where the model has one. */
  readonly shape: readonly number[];
  readonly data: Buffer;
}

export type RequestInputs = readonly RequestInput[];

/** Requests are made in advance and kept: this bounds their memory. */
const maxBytes = 256 * 1024 * 1024;

function batchOf(tensor: JobTensor, first: number, batchSize: number): Buffer {
  const rows: Uint8Array[] = [];
  for (let row = 0; row < batchSize; row += 1) {
    const sample = tensor.samples[(first + row) % tensor.samples.length];
    if (sample !== undefined) rows.push(sample);
  }
  return Buffer.concat(rows);
}

/**
 * The inputs of the different requests that a level sends in turn: request k holds samples k*batch, k*batch + 1, ...,
 * and begins again at the first sample after the last. As many as there are samples, fewer when they would not fit
 * into 256 MiB; at least one.
 */
export function batchPayloads(job: Pick<LoadJob, 'tensors' | 'batchSize' | 'batched'>): RequestInputs[] {
  const samples = Math.max(...job.tensors.map((tensor) => tensor.samples.length));
  const bytes = job.tensors.reduce((sum, tensor) => sum + (tensor.samples[0]?.byteLength ?? 0), 0);
  const affordable = Math.max(1, Math.floor(maxBytes / Math.max(1, bytes * job.batchSize)));
  const payloads: RequestInputs[] = [];
  for (let index = 0; index < Math.min(samples, affordable); index += 1) {
    payloads.push(
      job.tensors.map((tensor) => ({
        name: tensor.name,
        datatype: tensor.datatype,
        shape: job.batched ? [job.batchSize, ...tensor.shape] : tensor.shape,
        data: batchOf(tensor, index * job.batchSize, job.batchSize),
      })),
    );
  }
  return payloads;
}
