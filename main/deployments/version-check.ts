import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { DeployedVersion } from '../contract/deployment/deployment';
import { WorkbenchError } from '../contract/errors';
import {
  type KeptSamples,
  keptSamplesFile,
  keptSamplesSchema,
  type KeptTensor,
} from '../contract/kept-samples';
import type { OutputRules } from '../contract/measured/output-rules';
import { formatTyped } from '../contract/numbers';
import { present } from '../contract/trees';
import { compareOutput, compareValues } from '../domain/outputs/compare-outputs';
import type { DecodedTensor } from '../domain/outputs/decoded-tensor';
import { toleranceRule, type Tolerances } from '../domain/outputs/rule-text';
import { loadAndCheckModel } from '../engine/serving';
import { askModel } from '../golden/ask-model';
import { makeFolder, writeFileAtomic } from '../platform/files';
import { openPlain, readPlainText } from '../platform/plain-entry';
import type { TritonClient } from '../triton/client';
import { decodeTensor } from '../triton/decode-tensor';
import type { ModelConfig } from '../triton/model-config';
import { repeatedRows, rowOf, type Tensor, tensorValues, zeroTensor } from '../triton/tensor';

/** Limit per file: a run keeps 64 MiB in total, or one sample. */
const mostTensorBytes = 2 ** 30;
const mostDocumentBytes = 4 * 2 ** 20;

type KeptSample = KeptSamples['samples'][number];

const tolerance = z.record(z.string(), z.number());
const checkSchema = z.object({
  /** Request shapes that the model accepts; null: configured shapes. */
  canary: z
    .array(z.object({ name: z.string(), datatype: z.string(), shape: z.array(z.int().min(0)) }))
    .nullable(),
  anyValues: z.boolean(),
  /** Decoupled models may send none or several; absent: one. */
  anyAnswers: z.literal(true).optional(),
  atol: tolerance,
  rtol: tolerance,
  maxMismatch: tolerance,
});
export type VersionCheck = z.infer<typeof checkSchema>;

const parsed = async <Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>> =>
  schema.parse(JSON.parse(await readPlainText(path, mostDocumentBytes)));

const checkName = 'check.json';

/** Samples and batch size of the check, and the golden file that they are of. */
export type CheckedBy = Pick<DeployedVersion, 'checkedSamples' | 'checkedBatchSize' | 'golden'>;

export function checkedBy(kept: KeptSamples | null): CheckedBy {
  const samples: readonly KeptSample[] = kept?.samples ?? [];
  return {
    checkedSamples: samples.filter(({ repeat }) => repeat === undefined).length,
    ...present({
      checkedBatchSize: samples.find(({ repeat }) => repeat !== undefined)?.repeat,
      golden: kept?.golden,
    }),
  };
}

/** Stores the check with the samples of a folder, if there are any. Returns what it checks by. */
export async function keepCheck(
  folder: string,
  check: VersionCheck,
  samples: string | null,
): Promise<CheckedBy> {
  await makeFolder(folder);
  await writeFileAtomic(join(folder, checkName), `${JSON.stringify(check, null, 1)}\n`);
  const found = samples === null ? null : await readSamples(samples);
  if (found === null || samples === null) return checkedBy(null);
  for (const { inputs, outputs } of found.samples) {
    for (const { file } of [...inputs, ...outputs]) await copyFile(join(samples, file), join(folder, file));
  }
  await writeFileAtomic(join(folder, keptSamplesFile), `${JSON.stringify(found, null, 1)}\n`);
  return checkedBy(found);
}

export const readCheck = (folder: string): Promise<VersionCheck> =>
  parsed(join(folder, checkName), checkSchema);

/** null if the run kept none. */
export const readSamples = (folder: string): Promise<KeptSamples | null> =>
  parsed(join(folder, keptSamplesFile), keptSamplesSchema).catch(() => null);

async function readTensor(folder: string, tensor: KeptTensor): Promise<Tensor> {
  const file = await openPlain(join(folder, tensor.file), 0);
  try {
    const { size } = await file.stat();
    if (size > mostTensorBytes)
      throw new WorkbenchError(
        'input-invalid',
        `${tensor.file} has ${size} bytes, at most ${mostTensorBytes} are read`,
      );
    return { ...tensor, data: await file.readFile() };
  } finally {
    await file.close();
  }
}

/** Single samples that a run kept, with the outputs of its reference. */
interface RunSamples {
  readonly samples: readonly { readonly id: string; readonly inputs: Tensor[]; readonly outputs: Tensor[] }[];
  /** Outputs whose rows have lengths of their own. */
  readonly without: readonly string[];
  /** Of a golden file. */
  readonly rules?: OutputRules | undefined;
}

/** Empty without kept ones. Batches, which repeat the single samples, are left out. */
export async function keptSamples(folder: string): Promise<RunSamples> {
  const { samples = [], lengths = {}, rules } = (await readSamples(folder)) ?? {};
  const read = (tensors: readonly KeptTensor[]) =>
    Promise.all(tensors.map((tensor) => readTensor(folder, tensor)));
  const found = [];
  for (const { id, inputs, outputs, repeat } of samples) {
    if (repeat !== undefined) continue;
    const kept = outputs.filter(({ name }) => !Object.hasOwn(lengths, name));
    found.push({ id, inputs: await read(inputs), outputs: await read(kept) });
  }
  return { samples: found, without: Object.keys(lengths), ...present({ rules }) };
}

/** Valid values of the last axis; all unless another output limits them. */
function validLength(name: string, lengths: KeptSamples['lengths'], outputs: readonly Tensor[]): number {
  const other = outputs.find((output) => output.name === lengths[name]);
  return other === undefined ? Number.POSITIVE_INFINITY : (tensorValues(other)[0] ?? 0);
}

/** The first `width` values of each row. */
function cropped(tensor: DecodedTensor, width: number): DecodedTensor {
  const axis = tensor.shape.at(-1) ?? 1;
  if (width >= axis) return tensor;
  const values = Array.from(tensor.values as ArrayLike<number | string>).filter(
    (_value, at) => at % axis < width,
  ) as number[] | string[];
  return { ...tensor, shape: [...tensor.shape.slice(0, -1), width], values };
}

/** The mismatch of one output; null within the accuracy tolerances. */
export function outputDifference(
  expected: Tensor,
  served: Tensor,
  tolerances: Tolerances,
  valid: { readonly expected: number; readonly served: number },
): string | null {
  const { name } = expected;
  const [wanted, got] = [decodeTensor(expected), decodeTensor(served)];
  const count = ({ values }: DecodedTensor, length: number) =>
    Number.isFinite(length) ? length : values.length;
  if (count(wanted, valid.expected) !== count(got, valid.served)) {
    return `${name} has ${count(got, valid.served)} values where ${count(wanted, valid.expected)} are expected`;
  }
  const { reason, worst, differing, compared } = compareValues(
    cropped(wanted, valid.expected),
    cropped(got, valid.served),
    toleranceRule(tolerances, name),
  );
  if (reason === null || worst === null) return reason;
  const size = Number.isFinite(worst.size) ? formatTyped(worst.size) : 'infinity';
  const by = wanted.datatype === 'BYTES' ? '' : ` by up to ${size}`;
  return (
    `${name} differs${by} in ${differing} of ${compared} values; ` +
    `worst at [${worst.at.join(', ')}]: ${worst.found} where ${worst.expected} is expected`
  );
}

interface Held {
  readonly check: VersionCheck;
  readonly lengths: KeptSamples['lengths'];
  /** Of a golden file, in place of the tolerances. */
  readonly rules?: OutputRules | undefined;
}

/** Only outputs that are expected may be of a type that has values here. */
function goldenDifference(
  wanted: readonly Tensor[],
  outputs: readonly Tensor[],
  rules: OutputRules,
): string | null {
  const isWanted = ({ name }: Tensor) => wanted.some((tensor) => tensor.name === name);
  const [expected, found] = [wanted.map(decodeTensor), outputs.filter(isWanted).map(decodeTensor)];
  for (const [name, rule] of Object.entries(rules)) {
    if (!expected.some((tensor) => tensor.name === name)) continue;
    const { reason } = compareOutput(name, { expected, found }, rule);
    if (reason !== null) return `${name}: ${reason}`;
  }
  return null;
}

function differenceOf(
  name: string,
  wanted: readonly Tensor[],
  outputs: readonly Tensor[],
  { check, lengths }: Held,
): string | null {
  const [expected, served] = [wanted, outputs].map((tensors) =>
    tensors.find((tensor) => tensor.name === name),
  );
  if (expected === undefined || served === undefined) return `${name} is missing`;
  return outputDifference(expected, served, check, {
    expected: validLength(name, lengths, wanted),
    served: validLength(name, lengths, outputs),
  });
}

/** The mismatch of one response; null if it matches. */
export function answerDifference(
  wanted: readonly Tensor[],
  outputs: readonly Tensor[],
  held: Held,
): string | null {
  if (held.rules !== undefined) return goldenDifference(wanted, outputs, held.rules);
  for (const { name, shape } of wanted) {
    // Each sample of a batch has its own length.
    const rows = Object.hasOwn(held.lengths, name)
      ? Array.from({ length: shape[0] ?? 1 }, (_, row) => row)
      : [null];
    for (const row of rows) {
      const part = (tensors: readonly Tensor[]) =>
        row === null ? tensors : tensors.map((tensor) => rowOf(tensor, row));
      const difference = differenceOf(name, part(wanted), part(outputs), held);
      if (difference !== null) return difference;
    }
  }
  return null;
}

interface AskedVersion {
  readonly client: TritonClient;
  readonly model: string;
  /** Of the deployment. */
  readonly version: number;
  /** Of Triton; absent: that of the deployment. */
  readonly tritonVersion?: number | undefined;
  /** Folder of `keepCheck`, or of a run's samples. */
  readonly kept: string;
  /** `host:port`, for models that answer over a stream only. */
  readonly grpcAddress?: string | undefined;
  /** Configuration under the served name. */
  readonly config: ModelConfig;
  readonly signal?: AbortSignal | undefined;
}

interface CheckVersionInput extends AskedVersion {
  readonly load: boolean;
}

/** Canary with the run's shapes. */
export function canaryOf({ canary }: VersionCheck): readonly Tensor[] | undefined {
  return canary?.map(({ name, datatype, shape }) => zeroTensor(name, datatype, shape));
}

const streamOf = (grpcAddress: string | undefined) =>
  grpcAddress === undefined ? undefined : { address: grpcAddress, tls: null };

/** How a version is asked whether it answers. */
export const canaryRequest = (check: VersionCheck, grpcAddress: string | undefined) => ({
  ...{ canary: canaryOf(check), anyValues: check.anyValues, anyAnswers: check.anyAnswers },
  grpc: streamOf(grpcAddress),
});

/**
 * "the sample 3 as its run did: …" of the first kept sample, or batch of them, that a loaded version answers otherwise; null:
 * it answers each as expected. Throws inference-failed.
 */
export async function keptDifference(
  { client, model, version, tritonVersion = version, kept, grpcAddress, config, signal }: AskedVersion,
  check: VersionCheck,
): Promise<string | null> {
  const { samples = [], lengths = {}, rules, golden } = (await readSamples(kept)) ?? {};
  for (const sample of samples) {
    const { id, repeat } = sample;
    const read = async (tensor: KeptTensor): Promise<Tensor> => {
      const single = await readTensor(kept, tensor);
      return repeat === undefined ? single : repeatedRows(single, repeat);
    };
    const inputs = await Promise.all(sample.inputs.map(read));
    const wanted = await Promise.all(sample.outputs.map(read));
    const asked = { client, model, version: String(tritonVersion), config, grpc: streamOf(grpcAddress) };
    const outputs = await askModel(asked, inputs, signal);
    const difference = answerDifference(wanted, outputs, { check, lengths, rules });
    if (difference === null) continue;
    const what = repeat === undefined ? `the sample ${id}` : `a batch of ${repeat} samples`;
    const as = golden === undefined ? 'as its run did' : `as ${golden} has it`;
    return `${what} ${as}: ${difference}`;
  }
  return null;
}

/**
 * Verifies that a version responds, and reproduces the framework's outputs for its run's samples, singly and in the
 * largest batch. Throws model-load-failed, model-not-ready, inference-failed, verification-failed.
 */
export async function checkVersion(input: CheckVersionInput): Promise<CheckedBy> {
  const { client, model, version, tritonVersion = version, config, kept, load, signal } = input;
  const check = await readCheck(kept);
  await loadAndCheckModel({
    ...{ client, modelName: model, modelVersion: String(tritonVersion), config, load, signal },
    ...canaryRequest(check, input.grpcAddress),
  });
  const difference = await keptDifference(input, check);
  if (difference === null) return checkedBy(await readSamples(kept));
  throw new WorkbenchError(
    'verification-failed',
    `Version ${version} of ${model} does not answer ${difference}`,
  );
}
