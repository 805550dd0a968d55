import { z } from 'zod';

/** What people call a run. "latest" and "published" mean something else where a run is named. */
export const runNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^[^\p{Cc}]*$/u, 'has a control character')
  .regex(/^(?!(?:latest|published)(?:$|[~:]))/, '"latest" and "published" are reserved');

/** Why a text that is typed cannot be the name of a run; null for none at all, and for a name. */
export const reasonAgainst = (typed: string): string | null =>
  typed.trim() === '' ? null : (runNameSchema.safeParse(typed).error?.issues[0]?.message ?? null);
