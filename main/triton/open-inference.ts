import { cleanLine } from '../platform/lines';
import {
  type CallOptions,
  isTriton,
  type ModelMetadata,
  type ServerMetadata,
  type TritonClient,
} from './client';
import type { ModelConfig } from './model-config';

/** What a server of the Open Inference Protocol has beyond it. */
export interface ServerTraits {
  /** null: Triton; otherwise as it calls itself, with its version: "mlserver 1.7.1". */
  readonly title: string | null;
  readonly version: string;
  /** Counters of the model. */
  readonly statistics: boolean;
  readonly configuration: boolean;
  /** Tensors in raw form over HTTP. */
  readonly binaryTensors: boolean;
}

const longestTitle = 200;

/** Triton lists its extensions in `/v2`, other servers few or none. */
export function traitsOfServer(metadata: ServerMetadata): ServerTraits {
  const { name, version, extensions } = metadata;
  const has = (extension: string) => extensions.includes(extension);
  const title = cleanLine(`${name} ${version}`).trim().slice(0, longestTitle);
  return {
    title: isTriton(metadata) ? null : title === '' ? 'A server without a name' : title,
    version,
    statistics: has('statistics'),
    configuration: has('model_configuration'),
    binaryTensors: has('binary_tensor_data'),
  };
}

/** The protocol says nothing of a limit. */
const unlimited = 2 ** 31 - 1;

/** What the metadata say of a configuration: a first dimension that is open everywhere is that of the batch. */
export function configOfMetadata({ name, inputs, outputs }: ModelMetadata): ModelConfig {
  const all = [...inputs, ...outputs];
  const batched = inputs.length > 0 && all.every(({ shape }) => shape[0] === -1);
  const tensor = ({ name: of, datatype, shape }: ModelMetadata['inputs'][number]) => ({
    name: of,
    dataType: `TYPE_${datatype === 'BYTES' ? 'STRING' : datatype}`,
    dims: batched ? shape.slice(1) : shape,
  });
  return {
    name,
    maxBatchSize: batched ? unlimited : 0,
    input: inputs.map(tensor),
    output: outputs.map(tensor),
  };
}

export interface RecognizedServer {
  /** Answers for what the server does not have: no counters, a configuration from its metadata, tensors as JSON. */
  readonly client: TritonClient;
  readonly traits: ServerTraits;
}

/** Reads what answers there. Throws errors of the client. */
export async function recognizeServer(client: TritonClient, call?: CallOptions): Promise<RecognizedServer> {
  const traits = traitsOfServer(await client.serverMetadata(call));
  const { statistics, configuration, binaryTensors } = traits;
  return {
    traits,
    client: {
      ...client,
      ...(configuration
        ? {}
        : {
            modelConfig: async (name: string, version?: string, options?: CallOptions) =>
              configOfMetadata(await client.modelMetadata(name, version, options)),
          }),
      ...(statistics ? {} : { modelStatistics: () => Promise.resolve([]) }),
      ...(binaryTensors
        ? {}
        : {
            infer: (input: Parameters<TritonClient['infer']>[0], options?: CallOptions) =>
              client.infer({ ...input, json: true }, options),
          }),
    },
  };
}
