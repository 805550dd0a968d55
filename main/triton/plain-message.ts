import * as protobuf from 'protobufjs/light.js';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { later } from '../contract/later';
import schema from '../contract/model-config.schema.json';
import { listOf, parseJson } from '../platform/parse-json';
import { jsonData, tensorOfJson } from './json-tensors';
import type { Tensor } from './tensor';

/** Binary tensor data extension: length of the JSON before raw tensors. */
export const jsonLengthHeader = 'Inference-Header-Content-Length';

export interface EncodedInferRequest {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const headOf = ({ name, datatype, shape }: Tensor) => ({ name, datatype, shape });

/** For servers without the extension for binary tensor data. Throws input-invalid for values that JSON does not have. */
export function encodeJsonRequest(inputs: readonly Tensor[], id?: string): EncodedInferRequest {
  const tensors = inputs.map(
    (input) => `${JSON.stringify(headOf(input)).slice(0, -1)},"data":${jsonData(input)}}`,
  );
  const start = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
  return {
    body: Buffer.from(`{${start}"inputs":[${tensors.join(',')}]}`),
    headers: { 'Content-Type': 'application/json' },
  };
}

/** Raw inputs after the JSON; requests raw outputs. @param sequenceId sends a complete sequence */
export function encodeInferRequest(
  inputs: readonly Tensor[],
  id?: string,
  sequenceId?: number,
): EncodedInferRequest {
  const json = Buffer.from(
    JSON.stringify({
      ...(id === undefined ? {} : { id }),
      inputs: inputs.map((input) => ({
        ...headOf(input),
        parameters: { binary_data_size: input.data.byteLength },
      })),
      parameters: {
        binary_data_output: true,
        ...(sequenceId === undefined
          ? {}
          : { sequence_id: sequenceId, sequence_start: true, sequence_end: true }),
      },
    }),
  );
  return {
    body: Buffer.concat([json, ...inputs.map((input) => input.data)]),
    headers: { 'Content-Type': 'application/octet-stream', [jsonLengthHeader]: String(json.length) },
  };
}

const replySchema = later(() =>
  z.object({
    model_name: z.string(),
    model_version: z.string().nullish(),
    outputs: listOf(
      z.object({
        name: z.string(),
        datatype: z.string(),
        shape: listOf(z.int().min(0)),
        parameters: z.object({ binary_data_size: z.int().min(0).optional() }).nullish(),
        data: z.array(z.unknown()).optional(),
      }),
    ),
  }),
);

export interface InferReply {
  readonly modelName: string;
  readonly modelVersion: string;
  readonly outputs: readonly Tensor[];
}

/** Outputs in raw form, or as JSON from servers that have no other. Throws inference-failed for anything else. */
export function decodeInferReply(body: Buffer, jsonLength: string | null): InferReply {
  const end = jsonLength === null ? body.length : Number(jsonLength);
  try {
    const reply = replySchema.parse(parseJson(body.subarray(0, end).toString('utf8')));
    let offset = end;
    const outputs = reply.outputs.map((output) => {
      const { name, datatype, shape, data: values } = output;
      if (values !== undefined) return tensorOfJson({ name, datatype, shape, data: values });
      const size = output.parameters?.binary_data_size;
      if (size === undefined) throw new Error(`output ${name} has neither values nor a size`);
      if (offset + size > body.length) throw new Error(`the bytes of ${output.name} are cut off`);
      const data = body.subarray(offset, offset + size);
      offset += size;
      return { name, datatype, shape, data };
    });
    return { modelName: reply.model_name, modelVersion: reply.model_version ?? '', outputs };
  } catch (error) {
    throw new WorkbenchError('inference-failed', 'The answer to an inference request cannot be read', {
      details: error instanceof Error ? error.message : String(error),
      cause: error,
    });
  }
}

export type PlainMessage = Record<string, unknown>;

interface PlainOptions {
  /** `ignore` drops unknown fields, `reject` throws. */
  readonly unknown: 'ignore' | 'reject';
}

export const integerRanges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

/** `maxBatchSize` -> `max_batch_size`, as in config.pbtxt and Triton's JSON. */
export function textName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function invalid(path: string, what: string): WorkbenchError {
  return new WorkbenchError('config-invalid', `${path}: ${what}`, { where: path });
}

/** protobufjs represents 64-bit integers as Long objects. */
function isLong(value: unknown): value is { toString(radix: number): string } {
  return value !== null && typeof value === 'object' && 'unsigned' in value && 'low' in value;
}

function plainInteger(type: string, range: readonly [bigint, bigint], value: unknown, path: string) {
  const given = isLong(value) ? value.toString(10) : value;
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  if (!/^-?\d+$/.test(text)) throw invalid(path, `"${text}" is not a whole number`);
  const exact = BigInt(text);
  if (exact < range[0] || exact > range[1]) throw invalid(path, `${text} does not fit ${type}`);
  const number = Number(exact);
  return Number.isSafeInteger(number) ? number : text;
}

function plainScalar(type: string, value: unknown, path: string): unknown {
  const range = integerRanges[type];
  if (range !== undefined) return plainInteger(type, range, value, path);
  if (type === 'bool' && typeof value === 'boolean') return value;
  if (type === 'string' && typeof value === 'string') return value;
  if ((type === 'float' || type === 'double') && typeof value === 'number') return value;
  throw invalid(path, `expected ${type}, not ${JSON.stringify(value)}`);
}

function plainEnum(type: protobuf.Enum, value: unknown, path: string, options: PlainOptions): unknown {
  const name = typeof value === 'number' ? type.valuesById[value] : value;
  if (typeof name === 'string' && (name in type.values || options.unknown === 'ignore')) return name;
  const known = Object.keys(type.values).join(', ');
  throw invalid(path, `${JSON.stringify(value)} is not one of ${known}`);
}

function plainValue(field: protobuf.Field, value: unknown, path: string, options: PlainOptions): unknown {
  const { resolvedType } = field;
  if (resolvedType instanceof protobuf.Type) return plainMessage(resolvedType, value, options, path);
  if (resolvedType instanceof protobuf.Enum) return plainEnum(resolvedType, value, path, options);
  return plainScalar(field.type, value, path);
}

function requireObject(value: unknown, path: string, wanted: string): asserts value is object {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw invalid(path, wanted);
}

function plainField(field: protobuf.Field, value: unknown, path: string, options: PlainOptions): unknown {
  if (field instanceof protobuf.MapField) {
    requireObject(value, path, 'expected names with values');
    const entries = Object.entries(value).map(
      ([key, inner]) => [key, plainValue(field, inner, `${path}["${key}"]`, options)] as const,
    );
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
  if (field.repeated) {
    if (!Array.isArray(value)) throw invalid(path, 'expected a list');
    const list = value.map((inner: unknown, index) => plainValue(field, inner, `${path}[${index}]`, options));
    return list.length === 0 ? undefined : list;
  }
  return plainValue(field, value, path, options);
}

/**
 * Normalizes text format, Triton's JSON and objects: camelCase names, enum names, safe integers as numbers, no empty
 * lists and maps. Throws config-invalid with the field's path.
 */
export function plainMessage(
  type: protobuf.Type,
  value: unknown,
  options: PlainOptions,
  path = '',
): PlainMessage {
  requireObject(value, path, 'expected a message');
  const result: PlainMessage = {};
  const fields = new Map(
    type.fieldsArray.flatMap((field) => [
      [field.name, field] as const,
      [textName(field.name), field] as const,
    ]),
  );
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined || inner === null) continue;
    const field = fields.get(name);
    const where = `${path === '' ? '' : `${path}.`}${textName(field?.name ?? name)}`;
    if (field === undefined) {
      if (options.unknown === 'ignore') continue;
      throw invalid(where, `Triton's ModelConfig has no such field`);
    }
    const plain = plainField(field.resolve(), inner, where, options);
    if (plain !== undefined) result[field.name] = plain;
  }
  for (const choice of type.oneofsArray) {
    const set = choice.fieldsArray.filter((field) => field.name in result).map((f) => textName(f.name));
    if (set.length > 1)
      throw invalid(path === '' ? (set[0] ?? '') : path, `only one of ${set.join(', ')} may be given`);
  }
  return result;
}

/**
 * Complete `inference.ModelConfig`: names, numbers and types from the descriptor in tritonclient 2.73.0
 * (`model_config_pb2`). Older servers may refuse newer fields.
 */
export const modelConfigType: protobuf.Type = protobuf.Root.fromJSON(schema)
  .resolveAll()
  .lookupType('inference.ModelConfig');
