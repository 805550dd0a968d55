import { z } from 'zod';
import type { RequestHeader } from '../contract/address';
import { type ErrorCode, WorkbenchError } from '../contract/errors';
import { clipped } from '../contract/words';
import { cleanLine } from '../platform/lines';
import { listOf, parseJson } from '../platform/parse-json';
import { errorTextOf, type HttpRequest, type HttpResponse, requestTriton } from './http';
import type { ModelConfig } from './model-config';
import {
  decodeInferReply,
  encodeInferRequest,
  encodeJsonRequest,
  type InferReply,
  jsonLengthHeader,
} from './plain-message';
import { runtimeReason } from './runtime-reason';
import { parseServedConfig } from './served-config';
import { type ModelStatistics, parseModelStatistics } from './statistics';
import type { Tensor } from './tensor';
import type { TlsMaterial } from './tls';

/** Half of gRPC's 2 GiB limit; segmentation outputs of volumes are tens of MB. */
const maxInferReplyBytes = 2 ** 30;
/** For replies without lists: a name, version or status. */
const maxShortReplyBytes = 2 ** 18;
/** Maximum characters of error details. */
const longestDetails = 4000;

/** Servers other than Triton write null for what they do not have. */
const orNone = <Entry extends z.ZodType>(entry: Entry) =>
  listOf(entry)
    .nullish()
    .transform((list) => list ?? []);
const orEmpty = z
  .string()
  .nullish()
  .transform((text) => text ?? '');
const orAbsent = z
  .string()
  .nullable()
  .transform((text) => text ?? undefined)
  .optional();

const tensorMetadata = orNone(
  z.object({ name: z.string(), datatype: z.string(), shape: listOf(z.coerce.number()) }),
);
const serverMetadataSchema = z.object({
  name: z.string(),
  version: orEmpty,
  extensions: orNone(z.string()),
});
const modelMetadataSchema = z.object({
  name: z.string(),
  versions: orNone(z.string()),
  platform: orEmpty,
  inputs: tensorMetadata,
  outputs: tensorMetadata,
});
const repositoryIndexSchema = listOf(
  z.object({ name: z.string(), version: orAbsent, state: orAbsent, reason: orAbsent }),
);

export type ServerMetadata = z.infer<typeof serverMetadataSchema>;
export type ModelMetadata = z.infer<typeof modelMetadataSchema>;
export type RepositoryEntry = z.infer<typeof repositoryIndexSchema>[number];

export interface CallOptions {
  /** Timeout of this call; defaults to the client's. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface InferInput {
  readonly modelName: string;
  /** '' or absent lets the server choose. */
  readonly modelVersion?: string | undefined;
  readonly inputs: readonly Tensor[];
  readonly id?: string | undefined;
  /** Sends a complete sequence with this correlation id. */
  readonly sequenceId?: number | undefined;
  /** Tensors as JSON, for servers without the extension for binary tensor data. */
  readonly json?: boolean | undefined;
}

/** KServe v2 over HTTP with Triton's extensions. Every call may throw server-unreachable, and cancelled by its signal. */
export interface TritonClient {
  readonly address: string;
  /** False if not ready; throws if unreachable. */
  serverReady(options?: CallOptions): Promise<boolean>;
  serverMetadata(options?: CallOptions): Promise<ServerMetadata>;
  modelReady(name: string, version?: string, options?: CallOptions): Promise<boolean>;
  /** Throws model-not-ready. */
  modelMetadata(name: string, version?: string, options?: CallOptions): Promise<ModelMetadata>;
  /** Effective configuration. Throws model-not-ready. */
  modelConfig(name: string, version?: string, options?: CallOptions): Promise<ModelConfig>;
  /** Counters per version since load. Throws model-not-ready. */
  modelStatistics(name: string, version?: string, options?: CallOptions): Promise<readonly ModelStatistics[]>;
  /** Resolves when loaded. Throws model-load-failed with Triton's reason. */
  loadModel(name: string, options?: CallOptions): Promise<void>;
  /** Asynchronous in Triton. Throws model-load-failed. */
  unloadModel(name: string, options?: CallOptions): Promise<void>;
  repositoryIndex(options?: CallOptions): Promise<readonly RepositoryEntry[]>;
  /** Throws inference-failed with Triton's reason. */
  infer(input: InferInput, options?: CallOptions): Promise<InferReply>;
}

function modelPath(name: string, version?: string): string {
  const chosen = version === undefined || version === '' ? '' : `/versions/${encodeURIComponent(version)}`;
  return `/v2/models/${encodeURIComponent(name)}${chosen}`;
}

/** Triton's metrics port answers every GET with 200 and nothing, and other methods with 405; its HTTP port does neither. */
const isOfMetricsPort = ({ status, body }: HttpResponse): boolean =>
  status === 405 || (status === 200 && body.length === 0);

function parseReply<Schema extends z.ZodType>(
  schema: Schema,
  response: HttpResponse,
  what: string,
): z.infer<Schema> {
  try {
    return schema.parse(parseJson(response.body.toString('utf8')));
  } catch (error) {
    const message = isOfMetricsPort(response)
      ? 'This is the metrics port of Triton, and not its HTTP port'
      : `The server sent an unreadable ${what}`;
    throw new WorkbenchError('server-unreachable', message, {
      remedy: isOfMetricsPort(response)
        ? 'Give the HTTP address, which has port 8000 by default.'
        : 'Check that the address is the HTTP address of a Triton Inference Server.',
      details: (error instanceof Error ? error.message : String(error)).slice(0, longestDetails),
      cause: error,
    });
  }
}

function refused(code: ErrorCode, message: string, response: HttpResponse): WorkbenchError {
  return new WorkbenchError(code, message, { details: errorTextOf(response) });
}

const longestTitle = 100;

/** By its extensions, because `--server-id` changes its name. */
export const isTriton = ({ extensions }: Pick<ServerMetadata, 'extensions'>): boolean =>
  extensions.includes('statistics') && extensions.includes('model_configuration');

interface ClientOptions {
  readonly timeoutMs?: number | undefined;
  /** null or absent: no TLS. */
  readonly tls?: TlsMaterial | null | undefined;
  /** Sent with every request. */
  readonly headers?: readonly RequestHeader[] | undefined;
}

const createSend =
  (httpAddress: string, { timeoutMs: defaultTimeoutMs = 10_000, tls, headers = [] }: ClientOptions) =>
  (
    request: Omit<HttpRequest, 'timeoutMs' | 'signal' | 'tls'>,
    call: CallOptions = {},
    timeoutMs = defaultTimeoutMs,
  ): Promise<HttpResponse> =>
    requestTriton(httpAddress, {
      ...request,
      headers: { ...Object.fromEntries(headers.map(({ name, value }) => [name, value])), ...request.headers },
      timeoutMs: call.timeoutMs ?? timeoutMs,
      signal: call.signal,
      tls,
    });

/** The reply names the mismatching tensor, so it is the message. */
function inferenceRefused(modelName: string, response: HttpResponse): WorkbenchError {
  const text = errorTextOf(response);
  const message = `${modelName} refused an inference request: ${clipped(runtimeReason(text), 500)}`;
  return new WorkbenchError('inference-failed', message, { details: text });
}

/** `httpAddress` is `host:port`; `timeoutMs` (default 10 s) applies per call, 120 s for loading. */
export function createTritonClient(httpAddress: string, options: ClientOptions = {}): TritonClient {
  const send = createSend(httpAddress, options);
  const get = (path: string, call?: CallOptions, maxResponseBytes?: number) =>
    send({ method: 'GET', path, maxResponseBytes }, call);
  const post = (path: string, body: unknown, call?: CallOptions, timeoutMs?: number) =>
    send(
      {
        method: 'POST',
        path,
        body: Buffer.from(JSON.stringify(body)),
        headers: { 'Content-Type': 'application/json' },
      },
      call,
      timeoutMs,
    );
  const change = async (how: 'load' | 'unload', name: string, call?: CallOptions): Promise<void> => {
    const path = `/v2/repository/models/${encodeURIComponent(name)}/${how}`;
    const response = await post(path, {}, call, 120_000);
    if (response.status !== 200) {
      throw refused('model-load-failed', `Triton could not ${how} ${name}`, response);
    }
  };
  /** As the server calls itself, once it was asked. */
  const server = { title: 'Triton' };
  const ofModel = async (path: string, name: string, call?: CallOptions): Promise<HttpResponse> => {
    const response = await get(path, call);
    if (response.status !== 200) {
      throw refused('model-not-ready', `${server.title} at ${httpAddress} does not serve ${name}`, response);
    }
    return response;
  };

  return {
    address: httpAddress,
    serverReady: async (call) => (await get('/v2/health/ready', call, maxShortReplyBytes)).status === 200,
    serverMetadata: async (call) => {
      const response = await get('/v2', call, maxShortReplyBytes);
      if (response.status !== 200) {
        throw refused('server-unreachable', `No Triton Inference Server answers at ${httpAddress}`, response);
      }
      const metadata = parseReply(serverMetadataSchema, response, 'server metadata');
      if (!isTriton(metadata)) server.title = cleanLine(metadata.name).slice(0, longestTitle);
      return metadata;
    },
    modelReady: async (name, version, call) =>
      (await get(`${modelPath(name, version)}/ready`, call, maxShortReplyBytes)).status === 200,
    modelMetadata: async (name, version, call) =>
      parseReply(modelMetadataSchema, await ofModel(modelPath(name, version), name, call), 'model metadata'),
    modelConfig: async (name, version, call) => {
      const response = await ofModel(`${modelPath(name, version)}/config`, name, call);
      return parseServedConfig(
        parseReply(z.record(z.string(), z.unknown()), response, 'model configuration'),
      );
    },
    modelStatistics: async (name, version, call) => {
      const response = await ofModel(`${modelPath(name, version)}/stats`, name, call);
      return parseModelStatistics(parseReply(z.unknown(), response, 'statistics'));
    },
    loadModel: (name, call) => change('load', name, call),
    unloadModel: (name, call) => change('unload', name, call),
    repositoryIndex: async (call) => {
      const response = await post('/v2/repository/index', {}, call);
      return parseReply(repositoryIndexSchema, response, 'repository index');
    },
    infer: async (input, call) => {
      const path = `${modelPath(input.modelName, input.modelVersion)}/infer`;
      const encoded =
        input.json === true
          ? encodeJsonRequest(input.inputs, input.id)
          : encodeInferRequest(input.inputs, input.id, input.sequenceId);
      const response = await send(
        { method: 'POST', path, maxResponseBytes: maxInferReplyBytes, ...encoded },
        call,
      );
      if (response.status !== 200) throw inferenceRefused(input.modelName, response);
      return decodeInferReply(response.body, response.headers.get(jsonLengthHeader));
    },
  };
}
