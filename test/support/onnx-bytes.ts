/** Bytes of ONNX files, field by field, so that a test can leave out or break any of them. */

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
    rest = Math.floor(rest / 128);
  } while (rest > 0);
  return Buffer.from(bytes);
}

type Content = string | number | Buffer;

/** One field; a number is a varint, anything else is bytes. */
export function field(number: number, content: Content): Buffer {
  if (typeof content === 'number') return Buffer.concat([varint(number * 8), varint(content)]);
  const bytes = Buffer.from(content as string);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

export interface TensorText {
  readonly name: string;
  readonly type?: number;
  /** null: without a shape. */
  readonly shape: readonly (number | string)[] | null;
}

export function tensorInfo({ name, type = 1, shape }: TensorText): Buffer {
  const dims = (shape ?? []).map((dim) => field(1, typeof dim === 'number' ? field(1, dim) : field(2, dim)));
  const tensor = [field(1, type), ...(shape === null ? [] : [field(2, Buffer.concat(dims))])];
  return Buffer.concat([field(1, name), field(2, field(1, Buffer.concat(tensor)))]);
}

export interface OnnxText {
  readonly inputs?: readonly TensorText[];
  readonly outputs?: readonly TensorText[];
  /** "Relu", or "com.acme::Own". */
  readonly operators?: readonly string[];
  /** `location` of weights in another file. */
  readonly external?: string;
  readonly opset?: number;
  readonly irVersion?: number;
  /** More fields of the graph. */
  readonly graph?: readonly Buffer[];
}

const x = { name: 'x', shape: ['batch', 3] } as const;
const y = { name: 'y', shape: ['batch', 3] } as const;

export function onnxBytes(text: OnnxText = {}): Buffer {
  const { inputs = [x], outputs = [y], operators = ['Relu'], external, opset = 17, irVersion = 8 } = text;
  const nodes = operators.map((name) => {
    const [domain = '', operator = ''] = name.includes('::') ? name.split('::') : ['', name];
    return field(1, Buffer.concat([field(1, 'x'), field(2, 'y'), field(4, operator), field(7, domain)]));
  });
  const entry = Buffer.concat([field(1, 'location'), field(2, external ?? '')]);
  const weights = external === undefined ? [] : [field(5, Buffer.concat([field(8, 'w'), field(13, entry)]))];
  const graph = Buffer.concat([
    ...nodes,
    ...weights,
    ...inputs.map((tensor) => field(11, tensorInfo(tensor))),
    ...outputs.map((tensor) => field(12, tensorInfo(tensor))),
    ...(text.graph ?? []),
  ]);
  return Buffer.concat([
    field(1, irVersion),
    field(7, graph),
    field(8, Buffer.concat([field(1, ''), field(2, opset)])),
  ]);
}
