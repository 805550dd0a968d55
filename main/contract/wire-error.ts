import { z } from 'zod';
import { errorCodes } from './error-text';
import type { WireError } from './errors';

/** Apart from the errors, which the window's start throws before it needs schemas. */
export const wireErrorSchema = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
  where: z.string().optional(),
  remedy: z.string().optional(),
  details: z.string().optional(),
}) satisfies z.ZodType<WireError>;
