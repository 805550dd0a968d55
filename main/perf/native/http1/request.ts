import type { RequestInputs } from '../requests/batch-payloads';
import type { SharedPlaces } from '../requests/request-source';
import type { SequencePlace } from '../requests/sequence-plan';
import type { SharedPlace } from '../requests/shared-layout';
import type { RequestTarget } from '../seam/load-job';

/** Header of the binary tensor data extension: length of the JSON that stands before the raw tensors. */
export const jsonLengthHeader = 'Inference-Header-Content-Length';

const placeParameters = (place: SharedPlace) => ({
  shared_memory_region: place.region,
  shared_memory_offset: place.offset,
  shared_memory_byte_size: place.bytes,
});

/** A whole HTTP/1.1 request: head, JSON and raw tensors, or their places in shared memory; no output as JSON. */
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
