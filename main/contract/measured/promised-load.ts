import { z } from 'zod';

/** What a configuration was measured to hold, by the search that found it. */
export const promisedLoadSchema = z.object({
  /** Name of the search. */
  search: z.string(),
  /** "212.0 requests/s within p99 20.00 ms". */
  text: z.string(),
  /** null: requests under way were measured, so that a rate cannot be promised. */
  requestsPerSecond: z.number().positive().nullable(),
  inferencesPerSecond: z.number().positive().nullable(),
  percentile: z.int(),
  /** Target of the search, microseconds; null: the latency itself was the objective. */
  latencyUs: z.number().positive().nullable(),
  /** Held at full length, and not only for a moment. */
  confirmed: z.boolean(),
});
/** Of one replica. */
export type PromisedLoad = Readonly<z.infer<typeof promisedLoadSchema>>;

/** "212.0 requests/s within p99 20.00 ms, by the search night". */
export const promisedText = ({ search, text, confirmed }: PromisedLoad): string =>
  `${text}, by the search ${search}${confirmed ? '' : ', which ended before it was measured at full length'}`;
