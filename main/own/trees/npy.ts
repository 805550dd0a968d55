/** Of the header: more is of no array that an estimator has. */
const mostHeaderBytes = 64 * 1024;
const prefix = '\x93NUMPY';

export interface NpyHeader {
  readonly descr: string;
  readonly shape: readonly number[];
  /** Where the values begin. */
  readonly start: number;
}

/** Bytes per value by NumPy's letter; the number behind it says the rest. */
function itemBytes(descr: string): number {
  if (/\bO\b|\|O/.test(descr)) throw new Error('it holds pickled objects');
  const parts = [...descr.matchAll(/['"]([<>|=]?)([a-zA-Z])(\d{1,9})['"]/g)];
  // A field of several values has a third entry, which no estimator has.
  if (parts.length === 0 || /\(\s*\d/.test(descr)) throw new Error('its type is not known');
  return parts.reduce((sum, [, , letter, count]) => sum + (letter === 'U' ? 4 : 1) * Number(count), 0);
}

/** Throws an Error where the header is not one. */
export function readNpyHeader(bytes: Buffer): NpyHeader {
  if (bytes.toString('latin1', 0, prefix.length) !== prefix) throw new Error('it does not begin as an array');
  const isLong = (bytes[prefix.length] ?? 0) >= 2;
  const from = prefix.length + (isLong ? 6 : 4);
  if (bytes.length < from) throw new Error('it is cut off');
  const length = isLong ? bytes.readUInt32LE(prefix.length + 2) : bytes.readUInt16LE(prefix.length + 2);
  if (length > mostHeaderBytes || from + length > bytes.length) throw new Error('its header is too long');
  const text = bytes.toString('latin1', from, from + length);
  const descr = /'descr':\s*(.*?),\s*'fortran_order'/s.exec(text)?.[1];
  const shape = /'shape':\s*\(([\d,\s]*)\)/.exec(text)?.[1];
  if (descr === undefined || shape === undefined) throw new Error('its header cannot be read');
  const sizes = shape.split(',').flatMap((size) => (size.trim() === '' ? [] : [Number(size)]));
  return { descr, shape: sizes, start: from + length };
}

/** What NumPy would take memory for must be in the file. Throws an Error. */
export function checkNpy(bytes: Buffer): NpyHeader {
  const header = readNpyHeader(bytes);
  const values = header.shape.reduce((product, size) => product * size, 1);
  const wanted = values * itemBytes(header.descr);
  if (!Number.isSafeInteger(wanted) || wanted !== bytes.length - header.start) {
    throw new Error('its shape does not fit its size');
  }
  return header;
}

/** Texts of an array of fixed length (UTF-32); null for other arrays. */
export function npyTexts(bytes: Buffer): readonly string[] | null {
  const { descr, shape, start } = checkNpy(bytes);
  const letters = /^'<U(\d{1,6})'$/.exec(descr)?.[1];
  if (letters === undefined) return null;
  const [count = 0, length] = [shape[0], Number(letters)];
  return Array.from({ length: count }, (_none, index) => {
    const codes = Array.from({ length }, (_same, letter) =>
      bytes.readUInt32LE(start + 4 * (index * length + letter)),
    );
    return String.fromCodePoint(...codes.filter((code) => code > 0 && code <= 0x10ffff));
  });
}
