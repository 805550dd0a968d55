export interface WrittenShape {
  /** null: not in the text. */
  readonly name: string | null;
  /** Such as INT64; null: not in the text. */
  readonly datatype: string | null;
  /** null: written as -1, "?" or a name. */
  readonly dims: readonly (number | null)[];
}

const datatypes = String.raw`(?:BOOL|U?INT\d+|FP\d+|BF16)`;
const onlyType = new RegExp(`^${datatypes}$`);
const written = new RegExp(String.raw`^\s*(?:(.+?)(?:[:=](${datatypes}))?[:=])?([^:=]+)$`);
const size = /^[1-9]\d{0,8}$/;
const open = /^(?:-1|\?|[a-z_]\w*)$/i;

/** "1, 3, 224, 224", "1x3x224x224", "[batch, 3, 224, 224]"; null where invalid. */
function dimsOf(text: string): (number | null)[] | null {
  const parts = text
    .replace(/[[\](){}]/g, ' ')
    .replace(/(?<=\d\s*)[x×]|[x×](?=\s*[-\d])/gi, ' ')
    .split(/[\s,]+/)
    .filter((part) => part !== '');
  if (parts.length === 0 || !parts.every((part) => size.test(part) || open.test(part))) return null;
  return parts.map((part) => (size.test(part) ? Number(part) : null));
}

/** `x:3,224,224`, `x=3x224x224`, with a type `ids:INT64:16` or `ids:INT64=16`, or dimensions only; null where invalid. */
export function parseShape(text: string): WrittenShape | null {
  const [, name = null, datatype = null, rest = ''] = written.exec(text) ?? [];
  const dims = dimsOf(rest);
  if (dims === null) return null;
  const isType = name !== null && datatype === null && onlyType.test(name);
  return isType ? { name: null, datatype: name, dims } : { name, datatype, dims };
}

/** Sizes of a sample: an open first dimension is the batch, 1. null: another one is open. */
export function sampleDims({ dims: [first, ...rest] }: WrittenShape): number[] | null {
  const sizes = rest.filter((one) => one !== null);
  const isOpen = sizes.length < rest.length || (first === null && sizes.length === 0);
  return isOpen ? null : [first ?? 1, ...sizes];
}
