import { deflateSync, gzipSync } from 'node:zlib';
import { encodeJsonRequest } from '../../../triton/plain-message';
import type { RequestInputs } from '../requests/batch-payloads';
import type { SharedPlaces } from '../requests/request-source';
import type { SequencePlace } from '../requests/sequence-plan';
import type { SharedPlace } from '../requests/shared-names';
import type { LoadJob, RequestTarget } from '../seam/load-job';
import { jsonLengthHeader } from './reply-head';

const placeParameters = (place: SharedPlace) => ({
  shared_memory_region: place.region,
  shared_memory_offset: place.offset,
  shared_memory_byte_size: place.bytes,
});

/** Body of a request, and the header fields that describe it. */
export interface InferBody {
  readonly body: Buffer;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

type BodyTarget = Pick<LoadJob, 'json' | 'compression'>;

/** In Triton's form: the length of the JSON is that before compression, which covers the whole body. */
function compressed({ body, fields }: InferBody, { compression }: BodyTarget): InferBody {
  if (compression === undefined) return { body, fields };
  return {
    body: compression === 'gzip' ? gzipSync(body) : deflateSync(body),
    fields: [...fields, ['Content-Encoding', compression], ['Accept-Encoding', compression]],
  };
}

/** Raw tensors, JSON tensors or shared memory; requests outputs in the same form. */
export function encodeInferBody(
  target: BodyTarget,
  inputs: RequestInputs,
  shared: SharedPlaces | null = null,
  sequence: SequencePlace | null = null,
): InferBody {
  if (target.json === true) {
    const { body } = encodeJsonRequest(inputs);
    return compressed({ body, fields: [['Content-Type', 'application/json']] }, target);
  }
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
  const body = Buffer.concat([json, ...inputs.map((input) => input.data)]);
  const fields = [
    ['Content-Type', 'application/octet-stream'],
    [jsonLengthHeader, String(json.length)],
  ] as const;
  return compressed({ body, fields }, target);
}

/** "/v2/models/resnet50/versions/1/infer". */
export function inferPath({ modelName, modelVersion }: RequestTarget): string {
  const version = modelVersion === '' ? '' : `/versions/${encodeURIComponent(modelVersion)}`;
  return `/v2/models/${encodeURIComponent(modelName)}${version}/infer`;
}

/** A complete HTTP/1.1 request. */
export function encodeHttpRequest(
  target: RequestTarget & BodyTarget,
  authority: string,
  inputs: RequestInputs,
  shared: SharedPlaces | null = null,
  sequence: SequencePlace | null = null,
): Buffer {
  const { body, fields } = encodeInferBody(target, inputs, shared, sequence);
  const head = [
    `POST ${inferPath(target)} HTTP/1.1`,
    `Host: ${authority}`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
    ...(target.headers ?? []).map(({ name, value }) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}
