type Items = Uint8Array | Uint16Array | Uint32Array | BigUint64Array;

/** A copy of its own, which is aligned whatever the bytes stand in. */
function itemsOf(data: Uint8Array, itemBytes: number): Items | null {
  const { buffer } = new Uint8Array(data);
  switch (itemBytes) {
    case 1:
      return new Uint8Array(buffer);
    case 2:
      return new Uint16Array(buffer);
    case 4:
      return new Uint32Array(buffer);
    case 8:
      return new BigUint64Array(buffer);
    default:
      return null;
  }
}

/** `take(from, step, count, to)` for each row of the last axis; places are counted in elements. */
function eachRow(
  shape: readonly number[],
  take: (from: number, step: number, count: number, to: number) => void,
): void {
  const strides: number[] = [];
  let stride = 1;
  for (const size of shape) {
    strides.push(stride);
    stride *= size;
  }
  const last = shape.length - 1;
  const [count = 0, step = 0] = [shape[last], strides[last]];
  const index = shape.map(() => 0);
  let from = 0;
  for (let to = 0; to < stride; to += count) {
    take(from, step, count, to);
    for (let axis = last - 1; axis >= 0; axis -= 1) {
      const [size = 0, width = 0] = [shape[axis], strides[axis]];
      const next = (index[axis] ?? 0) + 1;
      from += width;
      index[axis] = next;
      if (next < size) break;
      index[axis] = 0;
      from -= size * width;
    }
  }
}

/** From column by column, the first axis running fastest, to row by row. */
export function rowsOf(data: Buffer, shape: readonly number[], itemBytes: number): Buffer {
  const rows = Buffer.alloc(data.length);
  const items = itemsOf(data, itemBytes);
  if (items === null) {
    eachRow(shape, (from, step, count, to) => {
      for (let at = 0; at < count; at += 1) {
        const [source, target] = [(from + at * step) * itemBytes, (to + at) * itemBytes];
        for (let byte = 0; byte < itemBytes; byte += 1) rows[target + byte] = data[source + byte] ?? 0;
      }
    });
    return rows;
  }
  const ordered = itemsOf(rows, itemBytes) ?? items;
  eachRow(shape, (from, step, count, to) => {
    for (let at = 0; at < count; at += 1) ordered[to + at] = items[from + at * step] ?? 0;
  });
  return Buffer.from(ordered.buffer);
}
