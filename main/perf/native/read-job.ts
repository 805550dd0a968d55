import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import { datatypeBytes } from '../../contract/input-data';
import type { MeasureInput } from '../load-tool';
import type { JobTensor, LoadJob } from './load-job';

/** `host:port`, `[::1]:port`. Throws input-invalid. */
export function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port] = /^(?:\[([\da-fA-F:]+)\]|([^:[\]/]+)):(\d{1,5})$/.exec(address) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) {
    throw new WorkbenchError('input-invalid', `"${address}" is not of the form host:port`);
  }
  return { host, port: Number(port) };
}

async function readTensor(
  tensor: MeasureInput['inputData']['tensors'][number],
  dir: string,
): Promise<JobTensor> {
  const expected = tensor.shape.reduce((product, dim) => product * dim, datatypeBytes[tensor.datatype]);
  const samples: Uint8Array[] = [];
  for (const file of tensor.files) {
    const path = join(dir, file);
    const bytes = await readFile(path);
    if (bytes.byteLength !== expected) {
      throw new WorkbenchError(
        'input-invalid',
        `Input ${tensor.name}: ${bytes.byteLength} bytes where ${tensor.datatype} [${tensor.shape.join(', ')}] has ${expected}`,
        { where: path },
      );
    }
    samples.push(bytes);
  }
  return { name: tensor.name, datatype: tensor.datatype, shape: tensor.shape, samples };
}

/** Reads the raw inputs of a level. Throws input-invalid. */
export async function readJob(input: MeasureInput): Promise<LoadJob> {
  const { settings, level } = input;
  if (!input.batched && level.batchSize !== 1) {
    throw new WorkbenchError('input-invalid', `${input.modelName} does not batch`, {
      where: `batch size ${level.batchSize}`,
      remedy: 'Use batch size 1.',
    });
  }
  return {
    ...parseAddress(input.protocol === 'grpc' ? input.grpcAddress : input.httpAddress),
    protocol: input.protocol,
    modelName: input.modelName,
    modelVersion: input.modelVersion,
    tensors: await Promise.all(
      input.inputData.tensors.map((tensor) => readTensor(tensor, input.inputDataDir)),
    ),
    batchSize: level.batchSize,
    batched: input.batched,
    concurrency: level.concurrency,
    schedule:
      level.requestRate === undefined
        ? null
        : {
            rate: level.requestRate,
            distribution: settings.requestDistribution ?? 'constant',
            intervalsUs: settings.requestIntervalsUs ?? [],
          },
    shared: null,
    warmupMs: settings.warmupMs,
    mode: settings.measurementMode,
    intervalMs: settings.measurementIntervalMs,
    requestCount: settings.measurementRequestCount,
  };
}
