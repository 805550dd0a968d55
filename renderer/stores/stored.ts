import type { z } from 'zod';

/** undefined: nothing stored, or no longer readable. */
export function stored<Value>(storage: Storage, key: string, schema: z.ZodType<Value>): Value | undefined {
  try {
    return schema.parse(JSON.parse(storage.getItem(key) ?? ''));
  } catch {
    return undefined;
  }
}
