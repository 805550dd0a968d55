import { rm } from 'node:fs/promises';
import { invalidInput } from '../../../contract/errors';
import type { TritonClient } from '../../../triton/client';
import {
  registerSystemRegion,
  systemRegionNames,
  unregisterSystemRegion,
} from '../../../triton/shared-memory';
import { readTls } from '../../../triton/tls';
import type { MeasureInput } from '../../load-tool';
import type { LoadJob, SharedJob } from '../seam/load-job';
import { type Failure, noOutputChecks, type OutputCheckCounts } from '../seam/transport';
import { batchPayloads, type RequestInputs } from './batch-payloads';
import { OutputValidator } from './output-validator';
import {
  comparedBytes,
  inputLayout,
  makeShared,
  outputRegionBytes,
  sharedFolder,
  sharedName,
  sweepSharedFiles,
} from './shared-names';

/** Payloads with reference responses over the network. */
const mostReferences = 8;
/** Time limit for references: a large 3D network takes half a minute per request on a CPU. */
const referencesMs = 2000;
const answerTimeoutMs = 120_000;

export interface SharedRegions {
  readonly job: SharedJob;
  readonly checked: OutputCheckCounts;
  /** Registers again what another client may have unregistered. */
  repair(): Promise<void>;
  /** Unregisters own regions, and removes their files. */
  close(): Promise<void>;
}

/** A response over the network. */
interface Reference {
  /** Length and compared prefix of each output. */
  readonly outputs: readonly { readonly bytes: number; readonly begin: Uint8Array }[];
  /** null: valid. */
  readonly fault: Failure | null;
}

/** References for the first payloads; empty if datatypes or responses do not allow it. */
async function references(
  client: TritonClient,
  input: MeasureInput,
  payloads: readonly RequestInputs[],
  outputNames: readonly string[],
  checks: OutputValidator | null,
): Promise<Reference[]> {
  const all: Reference[] = [];
  const startMs = performance.now();
  for (const [payload, inputs] of payloads.slice(0, mostReferences).entries()) {
    if (performance.now() - startMs > referencesMs) break;
    const reply = await client.infer(
      {
        modelName: input.modelName,
        modelVersion: input.modelVersion,
        inputs: inputs.map(({ name, datatype, shape, data }) => ({ name, datatype, shape, data })),
      },
      { timeoutMs: answerTimeoutMs, signal: input.signal },
    );
    if (checks?.begin(payload, payload) === true) checks.check(payload, payload, () => reply.outputs);
    all.push({
      outputs: outputNames.map((name) => {
        const data = reply.outputs.find((output) => output.name === name)?.data ?? new Uint8Array();
        return { bytes: data.byteLength, begin: Uint8Array.from(data.subarray(0, comparedBytes)) };
      }),
      fault: checks?.take(payload)?.fault ?? null,
    });
  }
  return all;
}

/** Throws input-invalid for an output larger than its region. */
function requireRoom(
  found: Reference['outputs'],
  { outputNames, outputBytes }: Pick<SharedJob, 'outputNames' | 'outputBytes'>,
): void {
  const index = found.findIndex(({ bytes }) => bytes > outputBytes);
  const over = found[index];
  if (over === undefined) return;
  throw invalidInput(
    'performance.outputSharedMemoryBytes',
    `Output ${outputNames[index] ?? ''} has ${over.bytes} bytes, its shared memory ${outputBytes}`,
    `Use at least ${over.bytes}.`,
  );
}

/** One region for inputs and one for outputs. Throws load-tool-failed, inference-failed; cleans up before. */
export async function createSharedRegions(
  client: TritonClient,
  input: MeasureInput,
  job: LoadJob,
): Promise<SharedRegions> {
  const payloads = batchPayloads(job);
  const layout = inputLayout(payloads);
  const server = { httpAddress: input.httpAddress, tls: await readTls(input.httpTls) };
  const metadata = await client.modelMetadata(input.modelName, input.modelVersion);
  const outputNames = metadata.outputs.map((output) => output.name);
  const outputDatatypes = metadata.outputs.map((output) => output.datatype);
  // Remains of killed load processes use the same memory.
  await sweepSharedFiles();
  const own = sharedName();
  const outputs = {
    outputNames,
    outputDatatypes,
    outputBytes: input.settings.outputSharedMemoryBytes ?? 102_400,
  };
  const inputRegion = { name: `${own}-in`, key: `/${own}-in`, bytes: layout.bytes };
  const outputRegion = {
    name: `${own}-out`,
    key: `/${own}-out`,
    bytes: Math.max(1, outputRegionBytes(outputs)),
  };
  const regions = [inputRegion, outputRegion];
  const close = async () => {
    for (const region of regions) {
      // A dead server has no registrations.
      await unregisterSystemRegion(server, region.name).catch(() => undefined);
      await rm(`${sharedFolder}${region.key}`, { force: true });
    }
  };
  const repair = async () => {
    const known = await systemRegionNames(server);
    for (const region of regions) {
      if (!known.has(region.name)) await registerSystemRegion(server, region);
    }
  };
  try {
    const parts = payloads.flatMap((inputs, payload) =>
      inputs.map(({ data }, tensor) => ({ at: layout.offsets[payload]?.[tensor] ?? 0, data })),
    );
    await makeShared(inputRegion.key, inputRegion.bytes, parts);
    await makeShared(outputRegion.key, outputRegion.bytes, []);
    // Without checks there need not be a response to check.
    const { outputChecks } = job;
    const checks = outputChecks === null ? null : new OutputValidator(outputChecks, job);
    const compared = checks === null ? [] : payloads;
    const known = await references(client, input, compared, outputNames, checks);
    requireRoom(known[0]?.outputs ?? [], outputs);
    await repair();
    return {
      job: {
        inputRegion: inputRegion.name,
        payloads: payloads.map((inputs, payload) =>
          inputs.map(({ data, ...head }, tensor) => ({
            ...head,
            offset: layout.offsets[payload]?.[tensor] ?? 0,
            bytes: data.byteLength,
          })),
        ),
        outputRegion: outputRegion.name,
        outputPath: `${sharedFolder}${outputRegion.key}`,
        ...outputs,
        references: known.map(({ outputs: parts }) => parts.map(({ begin }) => begin)),
        referenceFaults: known.map(({ fault }) => fault),
      },
      checked: checks?.counts ?? noOutputChecks,
      repair,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
