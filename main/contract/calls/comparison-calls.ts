import { z } from 'zod';
import {
  comparisonFiles,
  comparisonRequestSchema,
  type SavedComparison,
  savedComparisonSchema,
} from '../run/saved-comparison';
import { call } from './call';

export const comparisonApi = {
  'comparisons.list': call<readonly SavedComparison[]>().with(z.undefined()),
  'comparisons.save': call<readonly SavedComparison[]>().with(savedComparisonSchema),
  'comparisons.remove': call<readonly SavedComparison[]>().with(
    z.strictObject({ name: savedComparisonSchema.shape.name }),
  ),
  /** As Markdown, for the clipboard. Throws run-unknown. */
  'comparisons.text': call<{ readonly text: string }>().with(comparisonRequestSchema),
  /** Asks for a place and writes the comparison there; null when the person cancels. Throws run-unknown. */
  'desktop.saveComparison': call<{ readonly path: string } | null>().with(
    comparisonRequestSchema.extend({ kind: z.enum(comparisonFiles) }),
  ),
} as const;
