import type { SampleDatatype } from '../../contract/input-data';
import { fileLimits } from '../../contract/reader-limits';
import { shortText } from '../../platform/short-text';
import { encodeFixedBytes, encodeFixedLetters } from './fixed-texts';
import { rowsOf } from './rows-of';
import { elementCount } from './wanted-tensor';

/** An array as numpy.save writes it. */
export interface NpyArray {
  /** As in the file: `<f4`, `|S5`. */
  readonly descr: string;
  /** Triton's name of the type; null where it has none. */
  readonly datatype: SampleDatatype | null;
  readonly shape: readonly number[];
  /** Bytes of one element in `data`. */
  readonly itemBytes: number;
  /** Little-endian, row by row. */
  readonly data: Buffer;
}

const magic = Buffer.from('\x93NUMPY', 'latin1');
/** A header is a line of text; numpy itself refuses longer ones. */
const longestHeader = 10_000;
const mostAxes = 64;
const { texts: mostTexts, columnBytes: mostColumnBytes } = fileLimits.inputData;

const datatypes: Readonly<Record<string, SampleDatatype>> = {
  b1: 'BOOL',
  u1: 'UINT8',
  u2: 'UINT16',
  u4: 'UINT32',
  u8: 'UINT64',
  i1: 'INT8',
  i2: 'INT16',
  i4: 'INT32',
  i8: 'INT64',
  f2: 'FP16',
  f4: 'FP32',
  f8: 'FP64',
  // numpy has no bfloat16; packages that bring one save it as two bytes without a type.
  V2: 'BF16',
};

interface Header {
  readonly descr: string;
  readonly fortran: boolean;
  readonly shape: readonly number[];
  readonly dataAt: number;
}

/** Source: numpy's format description (numpy.lib.format), versions 1.0 to 3.0. */
function parseHeader(file: Buffer): Header {
  if (file.length < 12 || !file.subarray(0, magic.length).equals(magic))
    throw new Error('no array of numpy.save');
  const major = file[6] ?? 0;
  if (major < 1 || major > 3) throw new Error(`version ${major} of the array format is not known`);
  const [length, start] = major === 1 ? [file.readUInt16LE(8), 10] : [file.readUInt32LE(8), 12];
  if (length > longestHeader || start + length > file.length)
    throw new Error('the array is cut off in its header');
  const text = file.toString('latin1', start, start + length);
  const [, descr] = /'descr':\s*'([^']*)'/.exec(text) ?? [];
  const [, fortran] = /'fortran_order':\s*(True|False)/.exec(text) ?? [];
  const [, axes] = /'shape':\s*\(([\d\s,L]*)\)/.exec(text) ?? [];
  if (descr === undefined)
    throw new Error('the array has fields (a structured type); save one array a tensor');
  if (fortran === undefined || axes === undefined) throw new Error('the header of the array cannot be read');
  const shape = axes
    .split(',')
    .map((part) => part.replace('L', '').trim())
    .filter((part) => part !== '')
    .map(Number);
  if (shape.length > mostAxes || !shape.every(Number.isSafeInteger))
    throw new Error(`a shape of (${shortText(axes)})`);
  return { descr, fortran: fortran === 'True', shape, dataAt: start + length };
}

function swap(data: Buffer, bytes: number): void {
  if (bytes === 2) data.swap16();
  else if (bytes === 4) data.swap32();
  else if (bytes === 8) data.swap64();
}

/** Raw bytes of some elements as Triton takes them: texts with their lengths, everything else as it is. */
export function rawElements(array: NpyArray, first: number, count: number): Buffer {
  const { itemBytes, data, descr } = array;
  const part = data.subarray(first * itemBytes, (first + count) * itemBytes);
  if (array.datatype !== 'BYTES') return part;
  return descr.charAt(1) === 'S' ? encodeFixedBytes(part, itemBytes) : encodeFixedLetters(part, itemBytes);
}

/**
 * An array of numpy.save; big-endian and Fortran-ordered ones are brought into order, within the bytes of `file` where that
 * goes. Throws an Error that says what is wrong.
 */
export function parseNpy(file: Buffer): NpyArray {
  const { descr, fortran, shape, dataAt } = parseHeader(file);
  const [, order, kind = '', digits] = /^([<>|=])([a-zA-Z])(\d*)$/.exec(descr) ?? [];
  if (kind === 'O') throw new Error('the array holds Python objects; save texts with dtype "S" or "U"');
  const size = Number(digits);
  if (order === undefined || digits === undefined || digits === '')
    throw new Error(`a type of "${shortText(descr)}"`);
  const isText = kind === 'S' || kind === 'U';
  const itemBytes = kind === 'U' ? 4 * size : size;
  const wanted = elementCount(shape) * itemBytes;
  const found = file.length - dataAt;
  if (found !== wanted) {
    throw new Error(
      `the array has ${found} bytes where ${shortText(descr)} (${shortText(shape.join(', '))}) has ${wanted}`,
    );
  }
  const stored = file.subarray(dataAt);
  const elements = elementCount(shape);
  if (isText && elements > mostTexts)
    throw new Error(`the array has ${elements} texts, at most ${mostTexts} are read`);
  const byColumns = fortran && shape.length > 1;
  if (byColumns && wanted > mostColumnBytes) {
    throw new Error(
      `the array is stored column by column, of which at most ${mostColumnBytes} bytes are read; save numpy.ascontiguousarray of it`,
    );
  }
  if (order === '>') swap(stored, kind === 'U' ? 4 : itemBytes);
  return {
    descr,
    datatype: isText ? 'BYTES' : (datatypes[`${kind}${digits}`] ?? null),
    shape,
    itemBytes,
    data: byColumns ? rowsOf(stored, shape, itemBytes) : stored,
  };
}
