import type { z } from 'zod';

/** What the window left in its storage under the key; undefined where it left nothing, or what cannot be read any more. */
export function stored<Value>(storage: Storage, key: string, schema: z.ZodType<Value>): Value | undefined {
  try {
    return schema.parse(JSON.parse(storage.getItem(key) ?? ''));
  } catch {
    return undefined;
  }
}
