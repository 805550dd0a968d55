import { invalidInput, type WorkbenchError } from '../contract/errors';
import { isDatatype } from '../contract/measured/input-data';
import { bytesElements } from './decode-tensor';
import { encodeValues } from './encode-values';
import { type Tensor, tensorValues } from './tensor';

const decoder = new TextDecoder('utf-8', { fatal: true });

const withoutJson = (name: string, what: string): WorkbenchError =>
  invalidInput(
    name,
    `${name} has ${what}, which a JSON tensor cannot hold`,
    'Send other values: this server lacks the extension for binary tensor data.',
  );

function textsOf(tensor: Tensor): string {
  try {
    return JSON.stringify(bytesElements(tensor).map((bytes) => decoder.decode(bytes)));
  } catch (error) {
    if (error instanceof TypeError) throw withoutJson(tensor.name, 'bytes that are not UTF-8');
    throw error;
  }
}

/** 64-bit integers beyond 2^53 keep their digits. */
function wideValues({ datatype, data }: Tensor): string {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const isSigned = datatype === 'INT64';
  return Array.from({ length: data.byteLength / 8 }, (_unused, index) =>
    String(isSigned ? view.getBigInt64(8 * index, true) : view.getBigUint64(8 * index, true)),
  ).join(',');
}

/** A tensor's `data`, flat in row-major order. Throws input-invalid for values that JSON does not have. */
export function jsonData(tensor: Tensor): string {
  const { name, datatype } = tensor;
  if (datatype === 'BYTES') return textsOf(tensor);
  if (datatype === 'INT64' || datatype === 'UINT64') return `[${wideValues(tensor)}]`;
  const values = tensorValues(tensor);
  if (datatype === 'BOOL') return `[${values.map((value) => value !== 0).join(',')}]`;
  if (!values.every(Number.isFinite)) throw withoutJson(name, 'NaN or an infinity');
  return `[${values.join(',')}]`;
}

/** Nesting that a tensor may have. */
const deepest = 20;

/** Servers send `data` flat or nested. */
const flat = (data: readonly unknown[]): readonly unknown[] =>
  data.some(Array.isArray) ? data.flat(deepest) : data;

/** A tensor of a JSON reply in raw form. Throws an Error for another number of values, and for values that do not fit. */
export function tensorOfJson({
  name,
  datatype,
  shape,
  data,
}: Omit<Tensor, 'data'> & { readonly data: readonly unknown[] }): Tensor {
  if (!isDatatype(datatype) && datatype !== 'BYTES')
    throw new Error(`output ${name} is of type ${datatype}, which has no JSON form`);
  const values = flat(data);
  const count = shape.reduce((product, size) => product * size, 1);
  if (values.length !== count)
    throw new Error(`output ${name} has ${values.length} values where its shape has ${count}`);
  try {
    return { name, datatype, shape, data: encodeValues(datatype, values) };
  } catch (error) {
    throw new Error(`output ${name}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
