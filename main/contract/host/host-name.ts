import { z } from 'zod';

/** Name of the machine that the workbench itself runs on: no host can have it. */
const localHost = 'local';

export const hostNameSchema = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9-]{0,31}$/,
    'use lower-case letters, digits and dashes, at most 32, beginning with a letter or digit',
  )
  .refine((name) => name !== localHost, `"${localHost}" is this machine`);
