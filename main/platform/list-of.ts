import { z } from 'zod';

/**
 * A list from outside, which the first wrong entry ends: `z.array` goes on and keeps a finding of every one, gigabytes for
 * the millions that an answer of 8 MiB has room for.
 */
export const listOf = <Entry extends z.ZodType>(entry: Entry) =>
  z.array(z.unknown()).transform((values, context): z.output<Entry>[] => {
    const read: z.output<Entry>[] = [];
    for (const [index, value] of values.entries()) {
      const parsed = entry.safeParse(value);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        const path = [index, ...(issue?.path ?? [])];
        context.issues.push({
          code: 'custom',
          message: issue?.message ?? 'Invalid entry',
          path,
          input: value,
        });
        return z.NEVER;
      }
      read.push(parsed.data);
    }
    return read;
  });
