import { z } from 'zod';
import { runNameSchema } from './run-content';

export const comparisonFiles = ['pdf', 'html', 'csv', 'markdown'] as const;
export type ComparisonFile = (typeof comparisonFiles)[number];

const shape = {
  /** The first is the baseline. */
  runIds: z.array(z.string().min(1).max(200)).min(1).max(8).readonly(),
  /** null: without a budget. */
  p99BudgetMs: z.number().positive().nullable(),
};

/** `title` null: named after the runs. */
export const comparisonRequestSchema = z.strictObject({ ...shape, title: z.string().max(120).nullable() });
export type ComparisonRequest = z.infer<typeof comparisonRequestSchema>;

export const savedComparisonSchema = z.strictObject({ ...shape, name: runNameSchema });
export type SavedComparison = Readonly<z.infer<typeof savedComparisonSchema>>;
