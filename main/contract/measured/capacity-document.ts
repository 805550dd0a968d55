import { z } from 'zod';
import { chosenLevelSchema } from '../run/report-document';
import { capacityAskSchema } from './capacity-ask';
import { modelMemorySchema } from './model-memory';

/** The document of `capacity --json`. */
export const capacityDocumentSchema = z.object({
  kind: z.literal('triton-workbench-capacity'),
  version: z.literal(1),
  runId: z.string(),
  asked: capacityAskSchema,
  text: z.string().describe('The answer in a sentence, or why there is none.'),
  replicas: z.int().nullable().describe('null: no level meets the target.'),
  gpus: z.int().nullable().describe('Of all replicas, 0 on a CPU; null: not known.'),
  replica: z
    .object({
      level: chosenLevelSchema.describe('The measured level that a replica is planned with.'),
      inferencesPerSecond: z
        .number()
        .describe('Rate that a replica sustains: at most the rate that was sent.'),
      open: z
        .boolean()
        .describe('Measured with an open loop; false: with a closed loop, which does not support a promise.'),
      gpus: z.int().nullable(),
    })
    .nullable(),
  next: chosenLevelSchema
    .extend({ reason: z.string() })
    .nullable()
    .describe('The next higher load, which misses the target; null: none was measured.'),
  cost: z
    .object({
      perMonth: z.number().describe('730 hours.'),
      perMillionAtRate: z.number().describe('A million inferences at the asked rate.'),
      perMillionAtFullUse: z.number().describe('The same with each replica at its full rate.'),
    })
    .nullable()
    .describe('null: no price, or no answer.'),
  energyJoulesPerInference: z
    .number()
    .nullable()
    .describe('Of the GPUs at the level; null: their power was not read.'),
  memory: z
    .object({
      gpus: z.array(
        z.object({
          uuid: z.string(),
          usedBytes: z.number().nullable().describe('Most memory in use at the level, by everything.'),
          totalBytes: z.number().nullable(),
        }),
      ),
      serversPerGpu: z
        .int()
        .nullable()
        .describe('How many such servers fit by memory; null: used or total memory is not known.'),
    })
    .nullable()
    .describe('null: no memory of GPUs was read.'),
  modelMemory: modelMemorySchema
    .extend({
      serversThatFit: z.object({ byGpuMemory: z.int().nullable(), byHostMemory: z.int().nullable() }),
    })
    .nullable()
    .describe('By the difference of real loads; null: not measured (capacity RUN --measure-memory).'),
  search: z
    .object({ name: z.string(), candidate: z.int().min(1), configuration: z.string() })
    .optional()
    .describe('The search whose candidate this is; absent: the levels are those of the run.'),
  present: z
    .object({ replicas: z.int().nullable(), text: z.string() })
    .optional()
    .describe(
      'The same for the present configuration of the search; absent: it is that one, or the source is a run.',
    ),
  curve: z
    .array(chosenLevelSchema.extend({ holds: z.boolean() }))
    .describe('The measured levels that decide, by throughput; nothing is interpolated.'),
  notes: z.array(z.string()).describe('What limits the answer, a sentence each.'),
});
export type CapacityDocument = z.infer<typeof capacityDocumentSchema>;
