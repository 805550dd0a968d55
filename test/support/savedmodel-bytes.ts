import { field } from './onnx-bytes';

/** A tensor of a signature; `type` is TensorFlow's DataType, shape -1 where it varies, null where the rank is unknown. */
interface SavedTensorText {
  readonly name: string;
  readonly type?: number;
  readonly shape?: readonly number[] | null;
  /** Written as a sparse tensor. */
  readonly sparse?: boolean;
}

export interface SavedModelText {
  readonly inputs?: readonly SavedTensorText[];
  readonly outputs?: readonly SavedTensorText[];
  readonly signature?: string;
  readonly tags?: readonly string[];
  readonly operators?: readonly string[];
  /** Operators of a function in the library. */
  readonly inFunction?: readonly string[];
}

/** A varint of 2^64 - 1, which is how protobuf writes -1. */
const minusOne = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);

function dimension(size: number): Buffer {
  return field(2, size < 0 ? Buffer.concat([Buffer.from([8]), minusOne]) : field(1, size));
}

function tensorEntry(side: number, text: SavedTensorText): Buffer {
  const { name, type = 1, shape = [-1, 3], sparse = false } = text;
  const dims = shape === null ? field(3, 1) : Buffer.concat(shape.map(dimension));
  const parts = [field(2, type), field(3, dims), ...(sparse ? [field(4, field(1, 'values:0'))] : [])];
  return field(side, Buffer.concat([field(1, name), field(2, Buffer.concat(parts))]));
}

/** Bytes of a saved_model.pb, field by field, so that a test can leave out or break any of them. */
export function savedModelBytes(text: SavedModelText = {}): Buffer {
  const {
    inputs = [{ name: 'x' }],
    outputs = [{ name: 'y' }],
    signature = 'serving_default',
    tags = ['serve'],
    operators = ['Placeholder', 'Relu'],
    inFunction = [],
  } = text;
  const nodes = (number: number, names: readonly string[]) =>
    names.map((name) => field(number, Buffer.concat([field(1, `${name}_1`), field(2, name)])));
  const library = field(2, field(1, Buffer.concat(nodes(3, inFunction))));
  const tensors = [
    ...inputs.map((tensor) => tensorEntry(1, tensor)),
    ...outputs.map((tensor) => tensorEntry(2, tensor)),
    field(3, 'tensorflow/serving/predict'),
  ];
  const graph = Buffer.concat([
    field(1, Buffer.concat([...tags.map((tag) => field(4, tag)), field(5, '2.21.0')])),
    field(2, Buffer.concat([...nodes(1, operators), library])),
    field(5, Buffer.concat([field(1, signature), field(2, Buffer.concat(tensors))])),
  ]);
  return Buffer.concat([field(1, 1), field(2, graph)]);
}
