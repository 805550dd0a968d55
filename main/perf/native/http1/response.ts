import { datatypeBytes } from '../../../contract/input-data';
import { parseJson } from '../../../platform/parse-json';
import { decodeInferReply } from '../../../triton/infer-message';
import type { Tensor } from '../../../triton/tensor';

interface JsonOutput {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  /** Raw bytes behind the JSON; 0 of outputs in shared memory. */
  readonly bytes: number;
}

function readOutput(value: unknown, shared: boolean): JsonOutput {
  const output = value as {
    name?: unknown;
    datatype?: unknown;
    shape?: unknown;
    data?: unknown;
    parameters?: { binary_data_size?: unknown };
  } | null;
  const { name, datatype, shape, data } = output ?? {};
  const bytes = shared && data === undefined ? 0 : output?.parameters?.binary_data_size;
  if (typeof name !== 'string' || typeof datatype !== 'string' || !Array.isArray(shape))
    throw new Error('an output without name, type or shape');
  if (typeof bytes !== 'number') throw new Error(`output ${name} did not come in raw form`);
  return { name, datatype, shape: shape.map(Number), bytes };
}

/** Bytes of all raw outputs that the JSON announces. Throws an Error that says what is wrong. */
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

/**
 * Decodes inference replies in the form of the binary tensor data extension and checks that every output is there
 * and as long as its shape and type say. A JSON part equal to the one before, byte for byte, is not parsed again.
 */
export class HttpResponseChecker {
  private known = Buffer.alloc(0);
  private knownBytes = 0;

  /** @param shared the outputs are in shared memory: the reply is all JSON. */
  constructor(private readonly shared = false) {}

  /** Throws an Error that says what is wrong with the reply. */
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

/** All outputs of a reply in the form of the binary tensor data extension. Throws an Error where it is none. */
export const decodeHttpOutputs = (
  buffer: Buffer,
  start: number,
  end: number,
  jsonBytes: number,
): readonly Tensor[] =>
  decodeInferReply(buffer.subarray(start, end), jsonBytes < 0 ? null : String(jsonBytes)).outputs;
