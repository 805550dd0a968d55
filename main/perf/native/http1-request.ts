import type { RequestInputs } from './batch-payloads';
import type { RequestTarget } from './grpc-request';

/** Header of the binary tensor data extension: length of the JSON that stands before the raw tensors. */
export const jsonLengthHeader = 'Inference-Header-Content-Length';

/** A whole HTTP/1.1 request: head, JSON and raw tensors; all outputs asked for in raw form. */
export function encodeHttpRequest(target: RequestTarget, authority: string, inputs: RequestInputs): Buffer {
  const json = Buffer.from(
    JSON.stringify({
      inputs: inputs.map((input) => ({
        name: input.name,
        datatype: input.datatype,
        shape: input.shape,
        parameters: { binary_data_size: input.data.length },
      })),
      parameters: { binary_data_output: true },
    }),
  );
  const version = target.modelVersion === '' ? '' : `/versions/${encodeURIComponent(target.modelVersion)}`;
  const bytes = inputs.reduce((sum, input) => sum + input.data.length, json.length);
  const head = [
    `POST /v2/models/${encodeURIComponent(target.modelName)}${version}/infer HTTP/1.1`,
    `Host: ${authority}`,
    'Content-Type: application/octet-stream',
    `${jsonLengthHeader}: ${json.length}`,
    `Content-Length: ${bytes}`,
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), json, ...inputs.map((input) => input.data)]);
}
