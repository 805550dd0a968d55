import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkbenchError } from '../../../contract/errors';
import { defaultRequestSeed } from '../../../contract/run/run-spec';
import type { TritonClient } from '../../../triton/client';
import { readTls } from '../../../triton/tls';
import { sizeProblem } from '../../input/wanted-tensor';
import type { MeasureInput } from '../../load-tool';
import { type JobTensor, type LoadJob, parseAddress } from '../seam/load-job';

async function readTensor(
  tensor: MeasureInput['inputData']['tensors'][number],
  dir: string,
): Promise<JobTensor> {
  const { name, datatype, shape, shapes } = tensor;
  const samples: Uint8Array[] = [];
  for (const [index, file] of tensor.files.entries()) {
    const path = join(dir, file);
    const data = await readFile(path);
    const wrong = sizeProblem({ name, datatype }, { shape: shapes?.[index] ?? shape, data });
    if (wrong !== null) throw new WorkbenchError('input-invalid', `Input ${wrong}`, { where: path });
    samples.push(data);
  }
  return { name, datatype, shape, ...(shapes === undefined ? {} : { shapes }), samples };
}

/** What some of the responses are held against; null: that is not asked for. Throws what the client throws, and input-invalid. */
export async function readOutputChecks(
  client: TritonClient,
  input: MeasureInput,
): Promise<LoadJob['outputChecks']> {
  const { checkOutputs = 'form' } = input.settings;
  if (checkOutputs === 'none') return null;
  const { outputs } = await client.modelMetadata(input.modelName, input.modelVersion, {
    signal: input.signal,
  });
  const expected = input.inputData.expected ?? [];
  return {
    outputs,
    finite: checkOutputs === 'finite',
    anyBatch: input.decoupled === true,
    expected: await Promise.all(expected.map((tensor) => readTensor(tensor, input.inputDataDir))),
  };
}

/** Reads the raw inputs of a level. Throws input-invalid. */
export async function readJob(input: MeasureInput): Promise<LoadJob> {
  const { settings, level } = input;
  if (!input.batched && level.batchSize !== 1) {
    throw new WorkbenchError('input-invalid', `${input.modelName} does not support batching`, {
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
            seed: settings.requestSeed ?? defaultRequestSeed,
            intervalsUs: settings.requestIntervalsUs ?? [],
          },
    shared: null,
    outputChecks: null,
    sequences: settings.sequences ?? null,
    ...(input.inputData.streams === undefined ? {} : { streams: input.inputData.streams }),
    streaming: settings.streaming ?? false,
    tls: await readTls(input.protocol === 'grpc' ? input.grpcTls : input.httpTls),
    headers: input.headers ?? [],
    warmupMs: settings.warmupMs,
    mode: settings.measurementMode,
    intervalMs: settings.measurementIntervalMs,
    requestCount: settings.measurementRequestCount,
  };
}
