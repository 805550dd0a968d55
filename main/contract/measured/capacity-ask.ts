import { z } from 'zod';

/** What a capacity is asked for. Shares are 0.3 for 30 %; a price has the currency of whoever gives it. */
export const capacityAskSchema = z.strictObject({
  rate: z.number().positive().max(1e9).describe('Inferences per second of all replicas together.'),
  p99Ms: z.number().positive(),
  headroom: z
    .number()
    .min(0)
    .max(100)
    .describe('Spare capacity above the rate, as a share of it: 0.3 is 30 %.'),
  spare: z.int().min(0).max(10_000).describe('Replicas that may fail.'),
  pricePerHour: z.number().positive().nullable().describe('Of one replica with its GPUs; null: not given.'),
});
export type CapacityAsk = z.infer<typeof capacityAskSchema>;

export const capacityFields = ['rate', 'p99Ms', 'headroom', 'spare', 'pricePerHour'] as const;
