import { datatypeBytes } from '../../../contract/measured/input-data';
import { parseJson } from '../../../platform/parse-json';
import { decodeInferReply } from '../../../triton/plain-message';
import type { Tensor } from '../../../triton/tensor';
import type { RequestInputs } from '../requests/batch-payloads';
import type { SharedPlaces } from '../requests/request-source';
import type { SequencePlace } from '../requests/sequence-plan';
import type { SharedPlace } from '../requests/shared-names';
import { largestReplyBytes, ReplyTooLarge, type RequestTarget } from '../seam/load-job';
import { ReceiveBuffer } from '../socket/socket';

/** Binary tensor data extension: length of the JSON before raw tensors. */
const jsonLengthHeader = 'Inference-Header-Content-Length';
const maxHeadBytes = 64 * 1024;
const headEnd = Buffer.from('\r\n\r\n', 'latin1');

export interface HttpReply {
  readonly status: number;
  /** Bytes of JSON before raw tensors; -1 if the reply is only JSON. */
  readonly jsonBytes: number;
  readonly bodyBytes: number;
  readonly keepAlive: boolean;
}

/** `head` includes the empty line. Throws an Error for replies without Content-Length. */
export function parseHttpHead(head: string): HttpReply {
  const lines = head.split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})(?: |$)/.exec(lines[0] ?? '')?.[1];
  if (status === undefined) throw new Error('the server does not answer with HTTP/1.1');
  let bodyBytes = -1;
  let jsonBytes = -1;
  let keepAlive = true;
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (name === 'content-length') bodyBytes = Number(line.slice(colon + 1));
    else if (name === lowerJsonLengthHeader) jsonBytes = Number(line.slice(colon + 1));
    else if (name === 'connection')
      keepAlive =
        line
          .slice(colon + 1)
          .trim()
          .toLowerCase() !== 'close';
    else if (name === 'transfer-encoding')
      throw new Error('the server answers in chunks, which this client does not read');
  }
  if (!Number.isSafeInteger(bodyBytes) || bodyBytes < 0) throw new Error('a reply without a Content-Length');
  if (!Number.isSafeInteger(jsonBytes) || jsonBytes > bodyBytes)
    throw new Error(`a reply with a wrong ${jsonLengthHeader}`);
  return { status: Number(status), jsonBytes, bodyBytes, keepAlive };
}

const lowerJsonLengthHeader = jsonLengthHeader.toLowerCase();

interface ReplySink {
  /** The first body bytes have arrived. */
  bodyBegins(): void;
  /** The complete body; only valid during the call. */
  reply(reply: HttpReply, buffer: Buffer, start: number, end: number): void;
}

/** Splits a keep-alive connection's bytes into replies. */
export class HttpReplyReader {
  private readonly gathered = new ReceiveBuffer();
  /** Reply whose body is being read; null during a head. */
  private reply: HttpReply | null = null;
  private begun = false;

  constructor(
    private readonly sink: ReplySink,
    private readonly limitBytes = largestReplyBytes,
  ) {}

  /** Throws an Error for invalid replies and for excess bytes, because requests are not pipelined; ReplyTooLarge. */
  push(chunk: Buffer, length: number): void {
    if (this.reply !== null) {
      this.body(this.reply, chunk, 0, length);
      return;
    }
    const first = this.gathered.length === 0;
    if (first && this.head(chunk, length)) return;
    this.gathered.add(chunk, 0, length);
    if (!first) this.head(Buffer.from(this.gathered.bytes), this.gathered.length);
  }

  /** Where to read the next bytes, which are then pushed unchanged; null: anywhere. */
  room(): Buffer | null {
    return this.reply === null ? null : this.gathered.room(this.reply.bodyBytes - this.gathered.length);
  }

  /** Parses the head and starts the body; false while the head is incomplete. */
  private head(buffer: Buffer, length: number): boolean {
    const at = buffer.subarray(0, length).indexOf(headEnd);
    if (at < 0) {
      if (length > maxHeadBytes) throw new Error('a reply with a head of more than 64 KiB');
      return false;
    }
    const reply = parseHttpHead(buffer.toString('latin1', 0, at));
    if (reply.bodyBytes > this.limitBytes) throw new ReplyTooLarge(reply.bodyBytes, this.limitBytes);
    this.reply = reply;
    this.gathered.clear();
    this.begun = false;
    this.body(reply, buffer, at + headEnd.length, length);
    return true;
  }

  private body(reply: HttpReply, buffer: Buffer, start: number, end: number): void {
    if (!this.begun && end > start) {
      this.begun = true;
      this.sink.bodyBegins();
    }
    const { gathered } = this;
    if (gathered.length + end - start > reply.bodyBytes)
      throw new Error('bytes behind a reply that nobody asked for');
    if (gathered.length === 0 && end - start === reply.bodyBytes) {
      this.done(reply, buffer, start, end);
      return;
    }
    gathered.add(buffer, start, end, reply.bodyBytes);
    if (gathered.length === reply.bodyBytes) this.done(reply, gathered.bytes, 0, reply.bodyBytes);
  }

  private done(reply: HttpReply, buffer: Buffer, start: number, end: number): void {
    this.reply = null;
    this.gathered.clear();
    this.sink.reply(reply, buffer, start, end);
  }
}

function readOutput(value: unknown, shared: boolean) {
  const output = value as {
    name?: unknown;
    datatype?: unknown;
    shape?: unknown;
    data?: unknown;
    parameters?: { binary_data_size?: unknown };
  } | null;
  const { name, datatype, shape, data } = output ?? {};
  // Raw data follow the JSON.
  const bytes = shared && data === undefined ? 0 : output?.parameters?.binary_data_size;
  if (typeof name !== 'string' || typeof datatype !== 'string' || !Array.isArray(shape))
    throw new Error('an output without name, type or shape');
  if (typeof bytes !== 'number') throw new Error(`output ${name} did not come in raw form`);
  return { name, datatype, shape: shape.map(Number), bytes };
}

/** Sum of raw output sizes in the JSON. Throws an Error for an invalid reply. */
function announcedBytes(json: string, shared: boolean): number {
  const reply = parseJson(json) as { outputs?: unknown } | null;
  const listed: readonly unknown[] = Array.isArray(reply?.outputs) ? reply.outputs : [];
  const outputs = listed.map((output) => readOutput(output, shared));
  if (outputs.length === 0) throw new Error('no output tensor');
  let sum = 0;
  for (const output of outputs) {
    const size = (datatypeBytes as Readonly<Record<string, number>>)[output.datatype];
    const expected = size === undefined ? null : output.shape.reduce((product, dim) => product * dim, size);
    if (!shared && expected !== null && expected !== output.bytes) {
      throw new Error(
        `output ${output.name} has ${output.bytes} bytes where its shape and type make ${expected}`,
      );
    }
    sum += output.bytes;
  }
  return sum;
}

/** Checks that binary outputs have the length of shape and datatype. A JSON part equal to the last is not parsed. */
export class HttpResponseChecker {
  private known = Buffer.alloc(0);
  private knownBytes = 0;

  /** @param shared outputs are in shared memory, and the reply is only JSON */
  constructor(private readonly shared = false) {}

  /** Throws an Error for an invalid reply. */
  check(buffer: Buffer, start: number, end: number, rawAfterBytes: number): void {
    const jsonBytes = this.shared && rawAfterBytes < 0 ? end - start : rawAfterBytes;
    if (jsonBytes < 0) throw new Error('the outputs did not come in raw form');
    const jsonEnd = start + jsonBytes;
    if (this.known.length !== jsonBytes || buffer.compare(this.known, 0, jsonBytes, start, jsonEnd) !== 0) {
      const raw = announcedBytes(buffer.toString('utf8', start, jsonEnd), this.shared);
      this.known = Buffer.from(buffer.subarray(start, jsonEnd));
      this.knownBytes = raw;
    }
    if (end - jsonEnd !== this.knownBytes) {
      throw new Error(`${end - jsonEnd} bytes of outputs where ${this.knownBytes} were announced`);
    }
  }
}

/** Decodes outputs of a binary tensor reply. Throws an Error. */
export const decodeHttpOutputs = (
  buffer: Buffer,
  start: number,
  end: number,
  jsonBytes: number,
): readonly Tensor[] =>
  decodeInferReply(buffer.subarray(start, end), jsonBytes < 0 ? null : String(jsonBytes)).outputs;

const placeParameters = (place: SharedPlace) => ({
  shared_memory_region: place.region,
  shared_memory_offset: place.offset,
  shared_memory_byte_size: place.bytes,
});

/** A complete HTTP/1.1 request with raw tensors or shared memory; requests binary outputs. */
export function encodeHttpRequest(
  target: RequestTarget,
  authority: string,
  inputs: RequestInputs,
  shared: SharedPlaces | null = null,
  sequence: SequencePlace | null = null,
): Buffer {
  const inSequence =
    sequence === null
      ? {}
      : { sequence_id: sequence.id, sequence_start: sequence.start, sequence_end: sequence.end };
  const json = Buffer.from(
    JSON.stringify({
      inputs: [
        ...inputs.map(({ data, ...head }) => ({ ...head, parameters: { binary_data_size: data.length } })),
        ...(shared?.inputs ?? []).map(({ place, ...head }) => ({
          ...head,
          parameters: placeParameters(place),
        })),
      ],
      ...(shared === null
        ? { parameters: { binary_data_output: true, ...inSequence } }
        : {
            outputs: shared.outputs.map(({ name, place }) => ({
              name,
              parameters: placeParameters(place),
            })),
          }),
    }),
  );
  const raw = inputs.map((input) => input.data);
  const version = target.modelVersion === '' ? '' : `/versions/${encodeURIComponent(target.modelVersion)}`;
  const bytes = raw.reduce((sum, data) => sum + data.length, json.length);
  const head = [
    `POST /v2/models/${encodeURIComponent(target.modelName)}${version}/infer HTTP/1.1`,
    `Host: ${authority}`,
    'Content-Type: application/octet-stream',
    `${jsonLengthHeader}: ${json.length}`,
    `Content-Length: ${bytes}`,
    ...(target.headers ?? []).map(({ name, value }) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), json, ...raw]);
}
