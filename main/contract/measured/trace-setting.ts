import { z } from 'zod';

/**
 * Trace settings of a model as Triton takes them: null follows the settings of the server. Written to a journal before
 * tracing is switched on, as what it is put back to.
 */
const tracePutBackSchema = z.object({
  trace_level: z.array(z.string()).nullable(),
  trace_rate: z.string().nullable(),
  trace_count: z.string().nullable(),
  log_frequency: z.string().nullable(),
});
export type TracePutBack = Readonly<z.infer<typeof tracePutBackSchema>>;

/** A model whose tracing is switched on. */
export const tracingSchema = z.object({ model: z.string(), putBack: tracePutBackSchema });
export type Tracing = Readonly<z.infer<typeof tracingSchema>>;
