import { connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { WorkbenchError } from '../contract/errors';
import { formatBytes } from '../contract/numbers';
import { encodeBytesField, encodeBytesHead, encodeStringField } from '../perf/native/grpc/protobuf';
import { GrpcStatus } from '../perf/native/grpc/stream';
import { untilEnded } from '../platform/abort';
import type { ModelConfig } from '../triton/model-config';
import { tlsConnection, type TlsMaterial } from '../triton/tls';

/** A model that no repository of the server has. */
export interface SentModel {
  /** Its name is that of the model. */
  readonly config: ModelConfig;
  /** `path` below the model's folder: "1/model.onnx". */
  readonly files: readonly { readonly path: string; readonly content: Uint8Array }[];
}

interface SendTo {
  /** `host:port`. */
  readonly grpcAddress: string;
  /** null: no TLS. */
  readonly tls: TlsMaterial | null;
}

interface SendHow {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Fields of ModelRepositoryLoadRequest, ModelRepositoryParameter and of an entry of their map. */
const loadRequest = { modelName: 2, parameters: 3 } as const;
const parameter = { text: 3, bytes: 4 } as const;
const entry = { key: 1, value: 2 } as const;

/** Triton's own limit of a gRPC message. */
const mostBytes = 2 ** 31 - 1;

type Pieces = readonly Uint8Array[];
const lengthOf = (pieces: Pieces): number => pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);

/** Contents are not copied. */
function parameterOf(key: string, number: number, content: Uint8Array): Pieces {
  const value = [encodeBytesHead(number, content.byteLength), content];
  const fields = [encodeStringField(entry.key, key), encodeBytesHead(entry.value, lengthOf(value)), ...value];
  return [encodeBytesHead(loadRequest.parameters, lengthOf(fields)), ...fields];
}

/** A gRPC message with its prefix. Throws combination-unsupported for a model above 2 GiB. */
export function encodeLoadRequest({ config, files }: SentModel): Buffer {
  const pieces = [
    encodeBytesField(loadRequest.modelName, Buffer.from(config.name)),
    ...parameterOf('config', parameter.text, Buffer.from(JSON.stringify(config))),
    ...files.flatMap(({ path, content }) => parameterOf(`file:${path}`, parameter.bytes, content)),
  ];
  const bytes = lengthOf(pieces);
  if (bytes > mostBytes) {
    throw new WorkbenchError(
      'combination-unsupported',
      `${config.name} has ${formatBytes(bytes)}, and Triton takes at most ${formatBytes(mostBytes)} in a load call`,
      { remedy: 'Search where the workbench starts Triton on this machine.' },
    );
  }
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(bytes, 1);
  return Buffer.concat([prefix, ...pieces]);
}

/**
 * Loads a model with the files that are sent along: the server keeps them in a temporary folder until it is unloaded. By
 * gRPC, because the HTTP service of Triton 24.10 ends its process at a load call of some megabytes. Resolves when loaded.
 * Throws model-load-failed with Triton's reason, combination-unsupported, server-unreachable, cancelled.
 */
export function loadSentModel(
  { grpcAddress, tls }: SendTo,
  model: SentModel,
  { timeoutMs, signal }: SendHow,
): Promise<void> {
  const { name } = model.config;
  const body = encodeLoadRequest(model);
  const host = grpcAddress.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  const session = connect(
    `${tls === null ? 'http' : 'https'}://${grpcAddress}`,
    tls === null ? {} : tlsConnection(tls, host),
  );
  const unreachable = (details: string) =>
    new WorkbenchError('server-unreachable', `No gRPC answer from Triton at ${grpcAddress}`, { details });
  const ending = {
    ...{ timeoutMs, signal },
    cancelled: () => new WorkbenchError('cancelled', `The load of ${name} was cancelled`),
    late: () => unreachable(`${name} was not loaded within ${timeoutMs / 1000} s.`),
    close: () => {
      session.destroy();
    },
  };
  return untilEnded<undefined>(ending, (done, fail) => {
    const lost = (details: string) => {
      fail(unreachable(details));
    };
    session.once('error', (error: Error) => lost(error.message));
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: '/inference.GRPCInferenceService/RepositoryModelLoad',
      ...{ te: 'trailers', 'content-type': 'application/grpc', 'user-agent': 'triton-workbench' },
    });
    const status = new GrpcStatus();
    let hasAnswered = false;
    const take = (headers: IncomingHttpHeaders) => {
      hasAnswered = true;
      for (const [field, value] of Object.entries(headers)) {
        if (value !== undefined) status.field(field, String(value));
      }
    };
    stream.on('response', take);
    stream.on('trailers', take);
    stream.once('error', (error: Error) => lost(error.message));
    stream.once('close', () => {
      if (!hasAnswered) {
        lost('The connection was closed.');
        return;
      }
      const failure = status.failure();
      if (failure === null) done(undefined);
      else {
        const details = failure.message === '' ? failure.kind : failure.message;
        fail(new WorkbenchError('model-load-failed', `Triton could not load ${name}`, { details }));
      }
    });
    stream.resume();
    stream.end(body);
  });
}
