import { z } from 'zod';
import { later } from '../later';
import { endpoints } from '../load/generation';
import { spreadSchema } from './spread';
import { tokenCountSchema } from './token-count';

/**
 * Where the number of tokens comes from; `tokenizer`: of the text of each output; `responses`: each answer with content
 * counts as one.
 */
export const tokenCounts = ['server usage', 'tokenizer', 'responses'] as const;

const us = z.number().min(0);
const count = z.int().min(0);

/** Tokens of a level's successful requests. */
export const generatedSchema = later(() =>
  z.object({
    endpoint: z.enum(endpoints),
    /** null: nobody counted them, of one answer for the whole output; then the numbers of tokens are null too. */
    tokensCountedBy: z.enum(tokenCounts).nullable(),
    outputTokens: count.nullable(),
    outputTokensPerSecond: z.number().min(0).nullable(),
    tokensPerRequest: tokenCountSchema.nullable(),
    /** Of the prompts that are sent in turn, by the tokenizer; absent: no tokenizer, or messages of a chat. */
    promptTokens: tokenCountSchema.optional(),
    /** Answers with content, on average. */
    answersPerRequest: z.number().min(0),
    /** From the send to the first answer with content; null: no stream. */
    timeToFirstToken: spreadSchema.nullable(),
    /** Each time between two answers with content to a request; null: no request had two. */
    interTokenLatency: spreadSchema.nullable(),
    /** Per request, from its first to its last answer over all tokens but the first; null: no request had two. */
    timePerOutputToken: spreadSchema.nullable(),
    /** Of a request after its first token; null: no request had two. */
    tokensPerSecondPerRequest: z
      .object({ avg: z.number().min(0), p50: z.number().min(0), min: z.number().min(0) })
      .nullable(),
    /** Requests with an interruption: half a second and more, five times as long as its other times between answers. */
    stalledRequests: count,
    /** Successful requests without any content. */
    emptyRequests: count,
    /** Requests within all the limits that were asked for; absent: none was. */
    goodput: z
      .object({
        ttftBudgetUs: us.optional(),
        itlBudgetUs: us.optional(),
        requests: count,
        requestsPerSecond: z.number().min(0),
        share: z.number().min(0).max(1),
      })
      .optional(),
  }),
);
export type Generated = z.infer<typeof generatedSchema>;
