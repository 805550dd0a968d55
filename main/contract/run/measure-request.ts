import { z } from 'zod';
import { headerProblem, tlsFilesSchema } from '../address';
import { hostNameSchema } from '../host/host-name';
import { p99BudgetMsSchema } from './spec-tools';

const headerSchema = z
  .strictObject({ name: z.string().max(256), value: z.string().max(8192) })
  .refine((header) => headerProblem(header) === null, 'not a header that can go with every request');

export const serverAddressSchema = z.strictObject({
  url: z.string().min(1).max(2000),
  tls: tlsFilesSchema.optional(),
  /** Host of the list that reaches the address and measures; absent: this machine. */
  host: hostNameSchema.optional(),
  /** Sent with every request; values are not kept. */
  headers: z.array(headerSchema).max(16).optional(),
});

/** `openai`: a server of OpenAI's protocol, which lists its models otherwise. */
export const describeRequestSchema = serverAddressSchema.extend({ openai: z.boolean().optional() });

/** Request to measure a running Triton; absent fields have defaults. */
export const measureRequestSchema = serverAddressSchema.extend({
  model: z.string().min(1).max(256),
  /** '' lets the server choose. */
  modelVersion: z.string().max(32),
  shapes: z.record(z.string().max(256), z.array(z.int().min(1)).max(16)),
  /** A gateway that each level is also measured through; absent: none. */
  via: z.string().min(1).max(2000).optional(),
  /** Load fields by their names in the run specification. */
  performance: z.record(z.string(), z.unknown()),
  p99BudgetMs: p99BudgetMsSchema.optional(),
});
export type MeasureRequest = Readonly<z.infer<typeof measureRequestSchema>>;

export interface ServedModel {
  readonly name: string;
  readonly versions: readonly string[];
  /** 0: no batching. */
  readonly maxBatchSize: number;
  /** Inputs with dynamic dimensions, without the batch; -1 where one is open. */
  readonly dynamicInputs: readonly { readonly name: string; readonly dims: readonly number[] }[];
}

export interface ServerDescription {
  /** "Triton 2.51.0", "mlserver 1.7.1", "OpenAI server". */
  readonly title: string;
  readonly models: readonly ServedModel[];
  /** False: the server does not list its models. */
  readonly listsModels: boolean;
  readonly more: number;
}
