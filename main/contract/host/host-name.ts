import { z } from 'zod';

/** Name of this machine; no host can have it. */
export const localHost = 'local';

export const hostNameSchema = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,31}$/,
    'use lower-case letters, digits and dashes, at most 32, beginning with a letter or digit',
  )
  .refine((name) => name !== localHost, `"${localHost}" is this machine`);

/** Stands for every host of the list. */
export const allHosts = 'all';

/** Distinct host names to spread runs over ("local" for this machine), or "all"; an error text where they are invalid. */
export function readHostNames(texts: readonly string[]): readonly string[] | string {
  const names = texts.flatMap((text) => text.split(/[\s,]+/)).filter((name) => name !== '');
  if (names.length === 0) return 'No host is named';
  const wrong = names.find((name) => name !== localHost && !hostNameSchema.safeParse(name).success);
  if (wrong !== undefined) return `"${wrong.slice(0, 40)}" is not the name of a host`;
  if (names.includes(allHosts) && names.some((name) => name !== allHosts && name !== localHost)) {
    return `"${allHosts}" already names every host`;
  }
  return [...new Set(names)];
}
