/** Bytes of all numeric buffers that are reachable from a value, private fields and closed-over maps of it included. */
export function heldBytes(root: unknown): number {
  const seen = new Set<unknown>();
  const open: unknown[] = [root];
  let bytes = 0;
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (ArrayBuffer.isView(value)) {
      if (!seen.has(value.buffer)) bytes += value.buffer.byteLength;
      seen.add(value.buffer);
    } else if (value instanceof Map) open.push(...value.keys(), ...value.values());
    else {
      const parts: readonly unknown[] = Object.values(value);
      open.push(...parts);
    }
  }
  return bytes;
}
