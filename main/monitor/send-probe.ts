import { request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import type { RequestHeader } from '../contract/address';
import { type Datatype, datatypeBytes } from '../contract/measured/input-data';
import type { ProbeSettings } from '../contract/monitor/monitor';
import { rawValues } from '../perf/generate-input';
import { createRandom } from '../perf/request-schedule';
import type { ModelMetadata } from '../triton/client';
import { errorWords } from '../triton/error-words';
import type { EncodedInferRequest } from '../triton/infer-message';
import { countToMake, elementBytes, type Tensor, zeroTensor } from '../triton/tensor';
import { tlsConnection, type TlsMaterial } from '../triton/tls';

/** `refused`: the server takes the request for wrong (HTTP 4xx), which says nothing of the model's health. */
type ProbeOutcome =
  { readonly kind: 'ok' } | { readonly kind: 'failed' | 'refused' | 'unreachable'; readonly reason: string };

/** Of an error reply; what comes of an answer is read and dropped. */
const mostErrorBytes = 4096;

/**
 * Sends one inference over a connection of its own: Triton waits for idle connections when it stops, and a monitor must
 * not hold it up. Never rejects.
 */
export function sendProbe(
  address: string,
  path: string,
  message: EncodedInferRequest,
  options: {
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
    readonly tls: TlsMaterial | null;
    readonly headers?: readonly RequestHeader[];
  },
): Promise<ProbeOutcome> {
  const { tls, headers = [] } = options;
  const own = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  const { hostname, port } = new URL(`http://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const sent = (tls === null ? request : requestOverTls)(
      {
        ...(tls === null ? {} : tlsConnection(tls, host)),
        host,
        port: port === '' ? 80 : Number(port),
        method: 'POST',
        path,
        agent: false,
        headers: {
          ...own,
          ...message.headers,
          'Content-Length': String(message.body.length),
          Connection: 'close',
        },
        signal: options.signal,
        timeout: options.timeoutMs,
      },
      (response) => {
        const status = response.statusCode ?? 0;
        let text = '';
        response.on('data', (chunk: Buffer) => {
          if (status !== 200 && text.length < mostErrorBytes) text += chunk.toString('utf8');
        });
        response.on('end', () => {
          if (status === 200) resolve({ kind: 'ok' });
          else
            resolve({
              kind: status >= 500 ? 'failed' : 'refused',
              reason: errorWords(text === '' ? `HTTP status ${status}` : text),
            });
        });
        response.on('error', (error) => {
          resolve({ kind: 'unreachable', reason: error.message });
        });
      },
    );
    const timer = setTimeout(() => {
      resolve({ kind: 'failed', reason: `No answer within ${options.timeoutMs / 1000} s` });
      sent.destroy();
    }, options.timeoutMs);
    sent.on('close', () => {
      clearTimeout(timer);
    });
    sent.on('error', (error) => {
      resolve({ kind: 'unreachable', reason: error.message });
    });
    sent.end(message.body);
  });
}

const seed = 20210721;
/** Of all inputs together: what Triton's HTTP server takes of a request unless `--http-max-input-size` says otherwise. */
const mostProbeBytes = 64 * 2 ** 20;

/**
 * One request from what the server says of the model: batch 1, varying dimensions 1 unless asked for. Text inputs are empty.
 * `batched`: the first dimension is the batch. Throws input-invalid for inputs of more than 64 MiB.
 */
export function probeInput(
  metadata: Pick<ModelMetadata, 'inputs'>,
  batched: boolean,
  settings: Pick<ProbeSettings, 'input' | 'shapes'>,
): readonly Tensor[] {
  const next = createRandom(seed);
  let room = mostProbeBytes;
  const made = (name: string, datatype: string, shape: readonly number[], mostBytes: number): Tensor => {
    if (settings.input === 'zero' || !Object.hasOwn(datatypeBytes, datatype))
      return zeroTensor(name, datatype, shape, mostBytes);
    const count = countToMake({ name, datatype, shape }, elementBytes(datatype) ?? 1, mostBytes);
    return { name, datatype, shape, data: rawValues(datatype as Datatype, count, next) };
  };
  return metadata.inputs.map(({ name, datatype, shape }) => {
    const item = (batched ? shape.slice(1) : shape).map((size) => (size < 0 ? 1 : size));
    const dims = settings.shapes[name] ?? item;
    const whole = batched ? [1, ...dims] : dims;
    const tensor = made(name, datatype, whole, room);
    room -= tensor.data.byteLength;
    return tensor;
  });
}
