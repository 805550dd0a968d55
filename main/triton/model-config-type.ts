import * as protobuf from 'protobufjs/light.js';
import schema from './model-config.schema.json';

/**
 * Triton's complete `inference.ModelConfig` with every message below it, for reflection. The schema file holds
 * names, numbers and types only, taken from the descriptor inside tritonclient 2.73.0 (`model_config_pb2`);
 * a server may be older and refuse a younger field by name.
 */
export const modelConfigType: protobuf.Type = protobuf.Root.fromJSON(schema)
  .resolveAll()
  .lookupType('inference.ModelConfig');
