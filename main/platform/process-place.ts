import { z } from 'zod';
import type { ProcessPlace } from './process';

/** Apart from the processes, which every command looks at and few read from a file. */
export const placeSchema = z.object({
  host: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
}) satisfies z.ZodType<ProcessPlace>;
