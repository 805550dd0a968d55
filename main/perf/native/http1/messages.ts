import { gunzipSync, inflateSync } from 'node:zlib';
import { datatypeBytes } from '../../../contract/measured/input-data';
import { parseJson } from '../../../platform/parse-json';
import { decodeInferReply } from '../../../triton/plain-message';
import type { Tensor } from '../../../triton/tensor';
import { largestReplyBytes, ReplyTooLarge } from '../seam/load-job';
import { ReceiveBuffer } from '../socket/socket';
import { BodyReader } from './body-reader';
import { jsonLengthHeader, parseReplyHead, type ReplyHead } from './reply-head';

const maxHeadBytes = 64 * 1024;
const headEnd = Buffer.from('\r\n\r\n', 'latin1');

interface ReplySink {
  /** The first body bytes have arrived. */
  bodyBegins(): void;
  /** The complete body, as it was encoded; only valid during the call. */
  reply(head: ReplyHead, buffer: Buffer, start: number, end: number): void;
}

/** A reply whose length is known, which arrives in place. */
interface LongReply {
  readonly head: ReplyHead;
  readonly bytes: number;
}

/** Splits a keep-alive connection's bytes into replies. */
export class HttpReplyReader {
  private readonly gathered = new ReceiveBuffer();
  /** Reply whose body is being read; null during a head. */
  private reply: LongReply | null = null;
  /** Reads replies in chunks, those that end with the connection, and interim ones; null: none is under way. */
  private other: BodyReader | null = null;
  private begun = false;

  constructor(
    private readonly sink: ReplySink,
    private readonly limitBytes = largestReplyBytes,
  ) {}

  /** Throws an Error for invalid replies and for excess bytes, because requests are not pipelined; ReplyTooLarge. */
  push(chunk: Buffer, length: number): void {
    if (this.other !== null) {
      this.pushOther(this.other, chunk, length);
      return;
    }
    if (this.reply !== null) {
      this.body(this.reply, chunk, 0, length);
      return;
    }
    const first = this.gathered.length === 0;
    if (first && this.head(chunk, length)) return;
    this.gathered.add(chunk, 0, length);
    if (!first) this.head(Buffer.from(this.gathered.bytes), this.gathered.length);
  }

  /** The connection was closed. @returns whether that completes the reply */
  closed(): boolean {
    return this.other?.closed() ?? false;
  }

  /** Where to read the next bytes, which are then pushed unchanged; null: anywhere. */
  room(): Buffer | null {
    return this.reply === null ? null : this.gathered.room(this.reply.bytes - this.gathered.length);
  }

  /** Parses the head and starts the body; false while the head is incomplete. */
  private head(buffer: Buffer, length: number): boolean {
    const at = buffer.subarray(0, length).indexOf(headEnd);
    if (at < 0) {
      if (length > maxHeadBytes) throw new Error('a reply with a head of more than 64 KiB');
      return false;
    }
    const { framing, ...head } = parseReplyHead(buffer.toString('latin1', 0, at));
    this.gathered.clear();
    this.begun = false;
    if (framing.kind !== 'length' || head.status < 200) {
      this.other = this.otherReader();
      this.pushOther(this.other, buffer, length);
      return true;
    }
    const { bytes } = framing;
    if (bytes > this.limitBytes) throw new ReplyTooLarge(bytes, this.limitBytes);
    this.reply = { head, bytes };
    this.body(this.reply, buffer, at + headEnd.length, length);
    return true;
  }

  private otherReader(): BodyReader {
    const { gathered } = this;
    let found: ReplyHead | null = null;
    return new BodyReader(
      {
        head: (head) => {
          found = head;
        },
        body: (buffer, start, end) => {
          this.begins(end > start);
          gathered.add(buffer, start, end);
        },
        end: () => {
          this.other = null;
          if (found !== null) this.done(found, gathered.bytes, 0, gathered.length);
        },
      },
      this.limitBytes,
    );
  }

  private pushOther(reader: BodyReader, buffer: Buffer, length: number): void {
    reader.push(buffer, length);
    if (this.other === null && !reader.isBetween)
      throw new Error('bytes behind a reply that nobody asked for');
  }

  private begins(hasBytes: boolean): void {
    if (this.begun || !hasBytes) return;
    this.begun = true;
    this.sink.bodyBegins();
  }

  private body(reply: LongReply, buffer: Buffer, start: number, end: number): void {
    this.begins(end > start);
    const { gathered } = this;
    const { head, bytes } = reply;
    if (gathered.length + end - start > bytes) throw new Error('bytes behind a reply that nobody asked for');
    if (gathered.length === 0 && end - start === bytes) {
      this.done(head, buffer, start, end);
      return;
    }
    gathered.add(buffer, start, end, bytes);
    if (gathered.length === bytes) this.done(head, gathered.bytes, 0, bytes);
  }

  private done(head: ReplyHead, buffer: Buffer, start: number, end: number): void {
    this.reply = null;
    this.gathered.clear();
    this.sink.reply(head, buffer, start, end);
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

/** Values are read where responses are checked, which are not all. Throws an Error for an incomplete reply. */
function checkJsonOutputs(buffer: Buffer, start: number, end: number): void {
  const body = buffer.subarray(start, end);
  const text = body.subarray(-16).toString('latin1').trimEnd();
  if (!text.endsWith('}')) throw new Error('a reply that is not whole JSON');
  if (!body.includes('"outputs"')) throw new Error('no output tensor');
}

/** Checks that binary outputs have the length of shape and datatype. A JSON part equal to the last is not parsed. */
export class HttpResponseChecker {
  private known = Buffer.alloc(0);
  private knownBytes = 0;

  /**
   * @param shared outputs are in shared memory, and the reply is only JSON
   * @param json outputs are JSON
   */
  constructor(
    private readonly shared = false,
    private readonly json = false,
  ) {}

  /** Throws an Error for an invalid reply. */
  check(buffer: Buffer, start: number, end: number, rawAfterBytes: number): void {
    if (rawAfterBytes > end - start) throw new Error(`a reply with a wrong ${jsonLengthHeader}`);
    if (this.json && rawAfterBytes < 0) {
      checkJsonOutputs(buffer, start, end);
      return;
    }
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

/** The body without its encoding. Throws an Error for an unknown encoding, broken data and more than the limit. */
export function decodedBody(encoding: string, body: Buffer, limitBytes: number): Buffer {
  const limit = { maxOutputLength: limitBytes };
  if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipSync(body, limit);
  if (encoding === 'deflate') return inflateSync(body, limit);
  throw new Error(`a reply in the encoding "${encoding.slice(0, 40)}", which was not asked for`);
}
