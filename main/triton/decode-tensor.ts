import { WorkbenchError } from '../contract/errors';
import type { DecodedTensor } from '../domain/outputs/decoded-tensor';
import { elementBytes, type Tensor, tensorValues } from './tensor';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Bytes that are no UTF-8, as an image, keep their difference: "0x89504e…". */
function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return `0x${Buffer.from(bytes).toString('hex')}`;
  }
}

/** Elements of a BYTES tensor, without their lengths. Throws inference-failed where those are inconsistent. */
export function bytesElements({ name, data }: Pick<Tensor, 'name' | 'data'>): Uint8Array[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const elements: Uint8Array[] = [];
  for (let at = 0; at < data.byteLength;) {
    const end = at + 4 <= data.byteLength ? at + 4 + view.getUint32(at, true) : Infinity;
    if (end > data.byteLength) {
      throw new WorkbenchError('inference-failed', `${name}: an element of BYTES is cut off at byte ${at}`);
    }
    elements.push(data.subarray(at + 4, end));
    at = end;
  }
  return elements;
}

/** null: every one is exact as a number. */
function wideTexts({ datatype, data }: Tensor): string[] | null {
  if (datatype !== 'INT64' && datatype !== 'UINT64') return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const count = Math.floor(data.byteLength / 8);
  const value = (at: number) =>
    datatype === 'INT64' ? view.getBigInt64(8 * at, true) : view.getBigUint64(8 * at, true);
  for (let at = 0; at < count; at += 1) {
    if (Number.isSafeInteger(Number(value(at)))) continue;
    return Array.from({ length: count }, (_unused, index) => value(index).toString());
  }
  return null;
}

/** Throws inference-failed for bytes that are not of the shape. */
export function decodeTensor(tensor: Tensor): DecodedTensor {
  const { name, datatype, shape } = tensor;
  if (datatype === 'BYTES') {
    const values = bytesElements(tensor).map(textOf);
    const count = shape.reduce((product, size) => product * size, 1);
    if (values.length !== count) {
      throw new WorkbenchError(
        'inference-failed',
        `${name} has ${values.length} elements where BYTES [${shape.join(', ')}] has ${count}`,
      );
    }
    return { name, datatype, shape, values };
  }
  if (elementBytes(datatype) === null) {
    throw new WorkbenchError('inference-failed', `${name}: ${datatype} cannot be compared`);
  }
  const values = tensorValues(tensor);
  return { name, datatype, shape, values: wideTexts(tensor) ?? values };
}
