import { z } from 'zod';

/** What people call a run. "latest" and "published" mean something else where a run is named. */
export const runNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^[^\p{Cc}]*$/u, 'has a control character')
  .regex(/^(?!(?:latest|published)(?:$|[~:]))/, '"latest" and "published" are reserved');
