import { z } from 'zod';

/**
 * A schema that is made when something is parsed by it. As `z.lazy`, which zod makes as soon as it asks whether the
 * field around it may be absent: this one answers that it may not, so the schema of an absent field is never made.
 * @param make of a value that is there: what makes it optional is put around this one. Throws at first use otherwise
 */
export function later<Schema extends z.ZodType>(make: () => Schema): z.ZodLazy<Schema> {
  const schema = z.lazy(() => {
    const made = make();
    if (made._zod.optin === undefined && made._zod.optout === undefined) return made;
    throw new Error('A schema that is made later is of a value that is there');
  });
  for (const name of ['optin', 'optout'] as const) {
    Object.defineProperty(schema._zod, name, { value: undefined });
  }
  return schema;
}
