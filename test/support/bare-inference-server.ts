import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';

/** What this stand-in lacks or does, against Triton. */
interface BareOptions {
  /** Lists its models; default false. */
  readonly index?: boolean;
  /** Answers come in chunks without a length; default false. */
  readonly chunked?: boolean;
  /** Answers come compressed where the client takes it; default false. */
  readonly gzip?: boolean;
  /** Outputs are this many times the inputs; default 2. */
  readonly factor?: number;
  /** Shape of input and output in the metadata; default [-1, 2]. */
  readonly shape?: readonly number[];
}

export interface BareInferenceServer {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Of every request its method and path. */
  readonly asked: readonly string[];
  /** Header fields of the last inference request. */
  readonly lastHeaders: () => IncomingMessage['headers'];
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

interface Tensors {
  readonly inputs: readonly {
    readonly name: string;
    readonly shape: readonly number[];
    readonly data: readonly number[];
  }[];
}

/**
 * A stand-in for what a server of the Open Inference Protocol may lack: it has health, metadata and inference with JSON tensors
 * only, and answers 404 to all of Triton's extensions.
 */
export async function startBareInferenceServer(options: BareOptions = {}): Promise<BareInferenceServer> {
  const { index = false, chunked = false, gzip = false, factor = 2, shape = [-1, 2] } = options;
  const asked: string[] = [];
  let headers: IncomingMessage['headers'] = {};
  const tensor = (name: string) => ({ name, datatype: 'FP32', shape });
  const documents: Readonly<Record<string, unknown>> = {
    'GET /v2': { name: 'bare', version: '1.0', extensions: null },
    'GET /v2/health/ready': {},
    'GET /v2/models/double': {
      ...{ name: 'double', versions: null, platform: '' },
      ...{ inputs: [tensor('X')], outputs: [tensor('Y')] },
    },
    'GET /v2/models/double/ready': {},
    ...(index ? { 'POST /v2/repository/index': [{ name: 'double', version: null, state: 'READY' }] } : {}),
  };
  const send = (response: ServerResponse, status: number, value: unknown, isPacked: boolean) => {
    const text = Buffer.from(JSON.stringify(value));
    const body = isPacked ? gzipSync(text) : text;
    response.writeHead(status, {
      'Content-Type': 'application/json',
      ...(isPacked ? { 'Content-Encoding': 'gzip' } : {}),
      ...(chunked ? {} : { 'Content-Length': String(body.length) }),
    });
    if (!chunked) {
      response.end(body);
      return;
    }
    const middle = Math.floor(body.length / 2);
    response.write(body.subarray(0, middle));
    response.end(body.subarray(middle));
  };
  const infer = async (request: IncomingMessage, response: ServerResponse) => {
    ({ headers } = request);
    const { inputs } = JSON.parse((await bodyOf(request)).toString('utf8')) as Tensors;
    const outputs = inputs.map(({ shape: sent, data }) => ({
      ...{ name: 'Y', datatype: 'FP32', shape: sent },
      data: data.map((value) => value * factor),
    }));
    const isPacked = gzip && /gzip/.test(request.headers['accept-encoding'] ?? '');
    send(response, 200, { model_name: 'double', outputs }, isPacked);
  };
  const server: Server = createServer((request, response) => {
    const what = `${request.method ?? ''} ${request.url ?? ''}`;
    asked.push(what);
    if (what === 'POST /v2/models/double/infer') void infer(request, response);
    else if (what in documents) send(response, 200, documents[what], false);
    else send(response, 404, { error: 'Not Found' }, false);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    lastHeaders: () => headers,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
