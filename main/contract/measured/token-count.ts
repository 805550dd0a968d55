import { z } from 'zod';

const count = z.int().min(0);

/** Tokens per request. */
export const tokenCountSchema = z.object({ avg: z.number().min(0), min: count, max: count });
export type TokenCount = z.infer<typeof tokenCountSchema>;
