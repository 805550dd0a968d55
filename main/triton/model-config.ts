import { z } from 'zod';
import { later } from '../contract/later';

const tensorFields = {
  name: z.string().default(''),
  /** `TYPE_FP32`, `TYPE_INT64`, `TYPE_STRING`, ... */
  dataType: z.string().optional(),
  /** Without batch dimension if `maxBatchSize` > 0; -1 if variable. */
  dims: z.array(z.int()).default([]),
};

const acceleratorSchema = later(() =>
  z.looseObject({
    name: z.string(),
    parameters: z.record(z.string(), z.string()).optional(),
  }),
);

const instanceGroupSchema = later(() =>
  z.looseObject({
    name: z.string().optional(),
    kind: z.enum(['KIND_AUTO', 'KIND_GPU', 'KIND_CPU', 'KIND_MODEL']).optional(),
    count: z.int().optional(),
    gpus: z.array(z.int()).optional(),
  }),
);

const optimizationSchema = later(() =>
  z.looseObject({
    cuda: z.looseObject({ graphs: z.boolean().optional() }).optional(),
    executionAccelerators: z
      .looseObject({
        gpuExecutionAccelerator: z.array(acceleratorSchema).optional(),
        cpuExecutionAccelerator: z.array(acceleratorSchema).optional(),
      })
      .optional(),
  }),
);

const queuePolicySchema = z.looseObject({
  timeoutAction: z.enum(['REJECT', 'DELAY']).optional(),
  defaultTimeoutMicroseconds: z.union([z.int(), z.string()]).optional(),
  allowTimeoutOverride: z.boolean().optional(),
  maxQueueSize: z.int().optional(),
});
export type QueuePolicy = z.infer<typeof queuePolicySchema>;

const dynamicBatchingSchema = later(() =>
  z.looseObject({
    preferredBatchSize: z.array(z.int()).optional(),
    maxQueueDelayMicroseconds: z.union([z.int(), z.string()]).optional(),
    preserveOrdering: z.boolean().optional(),
    priorityLevels: z.union([z.int(), z.string()]).optional(),
    defaultPriorityLevel: z.union([z.int(), z.string()]).optional(),
    defaultQueuePolicy: queuePolicySchema.optional(),
    priorityQueuePolicy: z.record(z.string(), z.unknown()).optional(),
  }),
);

/** `config.pbtxt` in camelCase with enum names. Fields that the workbench sets are typed; others are preserved. */
export const modelConfigSchema = later(() =>
  z.looseObject({
    name: z.string().default(''),
    platform: z.string().optional(),
    backend: z.string().optional(),
    versionPolicy: z.looseObject({}).optional(),
    /** 0: no batch dimension. */
    maxBatchSize: z.int().default(0),
    input: z.array(z.looseObject(tensorFields)).default([]),
    output: z.array(z.looseObject(tensorFields)).default([]),
    instanceGroup: z.array(instanceGroupSchema).optional(),
    optimization: optimizationSchema.optional(),
    /** Present, even empty: enabled. */
    dynamicBatching: dynamicBatchingSchema.optional(),
    modelWarmup: z.array(z.looseObject({ batchSize: z.int().optional() })).optional(),
    defaultModelFilename: z.string().optional(),
    parameters: z.record(z.string(), z.looseObject({ stringValue: z.string().optional() })).optional(),
  }),
);

export type ModelConfig = z.infer<typeof modelConfigSchema>;
export type ModelOptimization = z.infer<typeof optimizationSchema>;

/** `parameters` of a configuration from plain text values. */
export function modelParameters(
  values: Readonly<Record<string, string>>,
): NonNullable<ModelConfig['parameters']> {
  return Object.fromEntries(Object.entries(values).map(([key, stringValue]) => [key, { stringValue }]));
}

/** `TYPE_STRING` of a configuration as requests have it, `BYTES`. */
export function datatypeOf(dataType: string | undefined): string {
  const name = (dataType ?? '').replace(/^TYPE_/, '');
  return name === 'STRING' ? 'BYTES' : name;
}

/** Inputs marked optional in the configuration. */
export function optionalInputs({ input }: ModelConfig): Set<string> {
  const names = input.flatMap((tensor) => (tensor['optional'] === true ? [tensor.name] : []));
  return new Set(names);
}
