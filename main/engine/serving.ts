import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { toWire, WorkbenchError } from '../contract/errors';
import { present } from '../contract/trees';
import { inferOverStream } from '../perf/native/grpc/stream-connection';
import { linkedAbort } from '../platform/abort';
import { cleanLine } from '../platform/lines';
import { LogFile } from '../platform/log-file';
import type { RepositoryEntry, TritonClient } from '../triton/client';
import { datatypeOf, type ModelConfig } from '../triton/model-config';
import { traitsOf } from '../triton/model-traits';
import { type Tensor, tensorValues, zeroTensor } from '../triton/tensor';
import type { TlsMaterial } from '../triton/tls';
import type { ServerExit, ServerHandle } from './engine';

/** A client sees a closed connection before the exit event arrives; how long to wait for the event. */
const exitNoticeMs = 2000;

const ending = (exit: ServerExit): string => {
  if (exit.outOfMemory === true) return 'was killed because it reached its memory limit';
  return exit.exitCode === null
    ? `was ended by ${exit.signal ?? 'a signal'}`
    : `ended with exit code ${exit.exitCode}`;
};

/** Aborts `work` when the server ends. Throws server-gone with its last lines, or the error of the work. */
export async function whileServing<Value>(
  server: ServerHandle,
  signal: AbortSignal,
  what: string,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { controller, dispose } = linkedAbort(signal);
  const gone: { exit: ServerExit | null } = { exit: null };
  const done = new AbortController();
  const watch = server.exited.then((exit) => {
    if (done.signal.aborted) return;
    gone.exit = exit;
    controller.abort();
  });
  const failIfGone = () => {
    if (gone.exit === null) return;
    const code = gone.exit.outOfMemory === true ? 'out-of-memory' : 'server-gone';
    throw new WorkbenchError(code, `Triton ${ending(gone.exit)} ${what}`, {
      details: gone.exit.tail.join('\n'),
    });
  };
  try {
    const value = await work(controller.signal);
    failIfGone();
    return value;
  } catch (error) {
    const { code } = toWire(error);
    if (code === 'server-unreachable' || code === 'server-gone') {
      await Promise.race([watch, sleep(exitNoticeMs)]);
    }
    failIfGone();
    throw error;
  } finally {
    done.abort();
    dispose();
  }
}

const keptLines = 200;

/** The last error line, or ''. */
export function lastComplaint(tail: readonly string[]): string {
  const line = tail.findLast((candidate) => /^E\d{4} /.test(candidate));
  return line === undefined ? '' : `: ${line.replace(/^E\d{4} \S+ +\d+ /, '')}`;
}

/** A Triton log: sanitized, capped, with its last lines in memory. */
export class TritonLog {
  readonly tail: string[] = [];

  /** @param file null: an unwritable log must not end the server */
  constructor(
    private readonly file: LogFile | null,
    private readonly emit: (lines: readonly string[]) => void,
  ) {}

  /** Truncates: Docker replays a container's whole log on attach. */
  static async open(path: string, emit: (lines: readonly string[]) => void): Promise<TritonLog> {
    return new TritonLog(await LogFile.open(path, { truncate: true }).catch(() => null), emit);
  }

  add(lines: readonly string[]): void {
    const clean = this.file?.add(lines) ?? lines.map(cleanLine);
    this.tail.push(...clean.slice(-keptLines));
    if (this.tail.length > keptLines) this.tail.splice(0, this.tail.length - keptLines);
    this.emit(clean);
  }

  async close(): Promise<void> {
    await this.file?.close();
  }
}

interface LoadAndCheckInput {
  readonly client: TritonClient;
  /** Required by decoupled models, which answer over a stream only. */
  readonly grpc?: { readonly address: string; readonly tls: TlsMaterial | null } | undefined;
  readonly modelName: string;
  readonly modelVersion: string;
  /** As written to the repository. */
  readonly config: ModelConfig;
  /** Request with real values, including a batch dimension; defaults to zeros. */
  readonly canary?: readonly Tensor[] | undefined;
  /** Canary values are arbitrary, so outputs are not checked. */
  readonly anyValues?: boolean | undefined;
  /** Any number of responses, as nothing compares them. */
  readonly anyAnswers?: boolean | undefined;
  /** False for servers that load their own models. */
  readonly load: boolean;
  readonly signal?: AbortSignal | undefined;
}

const canaryTimeoutMs = 120_000;
export const loadTimeoutMs = 300_000;

/** The smallest valid request: batch 1, and 1 for variable dimensions. */
export function zeroCanary(config: ModelConfig): readonly Tensor[] {
  return config.input
    .filter((input) => input['optional'] !== true)
    .map((input) => {
      const dims = input.dims.map((size) => (size === -1 ? 1 : size));
      const shape = config.maxBatchSize > 0 ? [1, ...dims] : dims;
      return zeroTensor(input.name, datatypeOf(input.dataType), shape);
    });
}

function fits(shape: readonly number[], wanted: readonly number[]): boolean {
  return (
    shape.length === wanted.length && wanted.every((size, index) => size === -1 || size === shape[index])
  );
}

/** Throws inference-failed unless each configured output has its type and shape, and finite values. */
export function checkCanaryReply(
  config: ModelConfig,
  outputs: readonly Tensor[],
  batchSize: number,
  anyValues = false,
): void {
  const fail = (message: string) =>
    new WorkbenchError('inference-failed', `The canary inference of ${config.name}: ${message}`);
  for (const wanted of config.output) {
    const output = outputs.find((candidate) => candidate.name === wanted.name);
    if (output === undefined) throw fail(`output ${wanted.name} is missing`);
    if (output.datatype !== datatypeOf(wanted.dataType)) {
      throw fail(`output ${wanted.name} is ${output.datatype}, not ${datatypeOf(wanted.dataType)}`);
    }
    const shape = config.maxBatchSize > 0 ? [batchSize, ...wanted.dims] : wanted.dims;
    if (!fits(output.shape, shape)) {
      throw fail(`output ${wanted.name} has shape [${output.shape.join(', ')}], not [${shape.join(', ')}]`);
    }
    if (output.datatype === 'BYTES' || anyValues) continue;
    const values = tensorValues(output);
    const odd = values.findIndex((value) => !Number.isFinite(value));
    if (odd !== -1)
      throw fail(`output ${wanted.name} has the value ${String(values[odd])} at position ${odd}`);
  }
}

/** Outputs of every response. Stateful models get their own sequence; decoupled ones mark the last response. */
export async function askOnce(
  input: Pick<LoadAndCheckInput, 'client' | 'grpc' | 'modelName' | 'modelVersion' | 'config' | 'signal'>,
  inputs: readonly Tensor[],
): Promise<readonly (readonly Tensor[])[]> {
  const { client, grpc, modelName, modelVersion, signal } = input;
  const { sequences, decoupled } = traitsOf(input.config);
  // Any unused id.
  const sequenceId = sequences ? randomInt(1, 2 ** 31) : undefined;
  const request = { modelName, modelVersion, inputs, sequenceId };
  const call = { timeoutMs: canaryTimeoutMs, signal };
  if (!decoupled) return [(await client.infer(request, call)).outputs];
  if (grpc === undefined) {
    throw new WorkbenchError(
      'combination-unsupported',
      `${modelName} is decoupled: it responds only over gRPC`,
    );
  }
  return inferOverStream({ ...request, ...call, grpcAddress: grpc.address, tls: grpc.tls });
}

/** Throws combination-unsupported: several responses cannot be compared. */
function refuseSeveral(modelName: string, count: number): void {
  if (count < 2) return;
  throw new WorkbenchError(
    'combination-unsupported',
    `${modelName} sent ${count} responses to the canary request, but the accuracy check compares one response per request`,
    {
      where: 'model_transaction_policy',
      remedy: 'Measure it where it is served: perf --url ... --protocol grpc --streaming.',
    },
  );
}

/** CUDA errors for code that driver or GPU cannot run; the published documents name the first. */
const driverTexts: readonly (readonly [text: RegExp, remedy: string])[] = [
  [
    /PTX was compiled with an unsupported toolchain/,
    'The driver is older than the CUDA of this release: choose an older release (--release), or install a newer driver. "triton-workbench detect" names the release that fits.',
  ],
  [
    /no kernel image is available for execution/,
    'This release has no code for the compute capability of the GPU: choose another release (--release). "triton-workbench detect" names the one that fits.',
  ],
];

/** Adds a remedy to driver errors. */
export function withDriverRemedy(error: unknown): unknown {
  if (!(error instanceof WorkbenchError)) return error;
  const { code, message, where, details } = error;
  const remedy = driverTexts.find(([text]) => text.test(`${message}\n${details ?? ''}`))?.[1];
  if (remedy === undefined) return error;
  return new WorkbenchError(code, message, { ...present({ where, details }), remedy, cause: error });
}

/**
 * Loads a model and verifies a response, because Triton also reports "ready" for models whose Python stub has died.
 * Throws model-load-failed, model-not-ready, inference-failed, combination-unsupported, server-unreachable, cancelled.
 */
export async function loadAndCheckModel(input: LoadAndCheckInput): Promise<void> {
  try {
    await loadAndAsk(input);
  } catch (error) {
    throw withDriverRemedy(error);
  }
}

/** Triton's entry for the model, in the requested version if present. */
export function versionsText(entries: readonly RepositoryEntry[], version: string): string {
  if (entries.length === 0) return 'The repository has no such model.';
  const asked = entries.filter((entry) => entry.version === version);
  return (asked.length === 0 ? entries : asked)
    .map(({ version: one, state = '', reason = '' }) => {
      if (one === undefined || state === '') return 'It was not loaded.';
      return `Version ${one} is ${state.toLowerCase()}${reason === '' ? '' : `: ${reason}`}.`;
    })
    .join(' ');
}

async function loadAndAsk(input: LoadAndCheckInput): Promise<void> {
  const { client, modelName, modelVersion, config, signal } = input;
  if (input.load) {
    await client.loadModel(modelName, { timeoutMs: loadTimeoutMs, signal });
  }
  if (!(await client.modelReady(modelName, modelVersion, { signal }))) {
    const entries = await client.repositoryIndex({ signal });
    throw new WorkbenchError('model-not-ready', `Version ${modelVersion} of ${modelName} is not ready`, {
      details: versionsText(
        entries.filter(({ name }) => name === modelName),
        modelVersion,
      ),
    });
  }
  const inputs = input.canary ?? zeroCanary(config);
  const answers = await askOnce(input, inputs).catch((error: unknown) => {
    // A model may reject zeros, but it responded.
    const refused = error instanceof WorkbenchError && error.code === 'inference-failed';
    if (input.anyValues === true && refused) return [];
    throw error;
  });
  if (input.anyAnswers !== true) refuseSeveral(modelName, answers.length);
  for (const outputs of answers) {
    checkCanaryReply(config, outputs, inputs[0]?.shape[0] ?? 1, input.anyValues);
  }
}
