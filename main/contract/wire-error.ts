import { z } from 'zod';
import { errorCodes } from './error-text';
import type { WireError } from './errors';

/** Apart from the errors themselves: what opens the window throws them before anything needs a schema. */
export const wireErrorSchema = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
  where: z.string().optional(),
  remedy: z.string().optional(),
  details: z.string().optional(),
}) satisfies z.ZodType<WireError>;
