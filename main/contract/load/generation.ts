import { z } from 'zod';
import { later } from '../later';

/** Ways in to a language model, by the names of their protocols. */
export const endpoints = ['grpc-stream', 'generate-stream', 'generate', 'chat', 'completions'] as const;
export type Endpoint = (typeof endpoints)[number];

/** How a language model is asked, and within which times a request is a good one. */
export const generationSchema = later(() =>
  z.strictObject({
    endpoint: z.enum(endpoints, { error: `must be one of ${endpoints.join(', ')}` }),
    /** JSON lines, one prompt each; absolute. */
    promptsFile: z.string().min(1).optional(),
    /** tokenizer.json of the model; absolute. Makes prompts, and counts tokens where the server reports none. */
    tokenizerFile: z.string().min(1).optional(),
    /** Mean length of made prompts, without their prefix. */
    inputTokens: z.int().min(1).max(1_000_000).optional(),
    /** Standard deviation of that length; absent: all are of the mean. */
    inputTokensStddev: z.number().min(0).max(1_000_000).optional(),
    /** How many prompts are made; absent: {@link usualPrompts}. */
    promptCount: z.int().min(1).max(65_536).optional(),
    /** Length of the text that made prompts begin with. */
    prefixTokens: z.int().min(1).max(1_000_000).optional(),
    /** How many such beginnings there are; absent: one. */
    prefixCount: z.int().min(1).max(65_536).optional(),
    /** Exact length of every output; absent: the server ends it. */
    outputTokens: z.int().min(1).max(1_000_000).optional(),
    /** Largest time to the first token of a good request, milliseconds. */
    ttftBudgetMs: z.number().positive().optional(),
    /** Largest time per output token of a good request, milliseconds. */
    itlBudgetMs: z.number().positive().optional(),
  }),
);
export type Generation = Readonly<z.infer<typeof generationSchema>>;

/** As many as AIPerf and GenAI-Perf make. */
export const usualPrompts = 100;

/** OpenAI's protocol, which has no metadata, configuration or statistics of Triton. */
export const isOpenai = (endpoint: Endpoint): boolean => endpoint === 'chat' || endpoint === 'completions';

/** Requests of text in JSON; of gRPC they are tensors. */
export const isText = (endpoint: Endpoint): boolean => endpoint !== 'grpc-stream';

interface Asked {
  readonly generation?: Generation | undefined;
}

/** Requests are prompts, of a file or made. */
export const sendsPrompts = ({ promptsFile, inputTokens }: Generation): boolean =>
  (promptsFile ?? inputTokens) !== undefined;

/** Requests are prompts in JSON in place of tensors. */
export const sendsText = ({ generation }: Asked): boolean =>
  generation !== undefined && isText(generation.endpoint);

/** The server may be no Triton. */
export const asksOpenai = ({ generation }: Asked): boolean =>
  generation !== undefined && isOpenai(generation.endpoint);

/** One answer for the whole output has no time of a first token. */
export const isStreamed = (endpoint: Endpoint): boolean => endpoint !== 'generate';

export const protocolOfEndpoint = (endpoint: Endpoint): 'grpc' | 'http' =>
  isText(endpoint) ? 'http' : 'grpc';
