import { join } from 'node:path';
import { singleWeights, tokenizerFiles, weightsIndex } from './file-names';
import { folderFiles, requireFile } from './folder-files';

/** Names of inputs and output are those of vLLM's backend, so that its clients can call this model. */
export const generationConfig = (name: string): string => `\
# A prompt to the text that follows, token by token, with a key-value cache. An instance serves one request at a time.
name: "${name}"
backend: "python"
max_batch_size: 0
model_transaction_policy { decoupled: true }
input [
  { name: "text_input" data_type: TYPE_STRING dims: [ 1 ] },
  { name: "stream" data_type: TYPE_BOOL dims: [ 1 ] optional: true },
  { name: "sampling_parameters" data_type: TYPE_STRING dims: [ 1 ] optional: true },
  { name: "exclude_input_in_output" data_type: TYPE_BOOL dims: [ 1 ] optional: true }
]
output [
  { name: "text_output" data_type: TYPE_STRING dims: [ 1 ] }
]
instance_group [ { count: 1 kind: KIND_CPU } ]
`;

/** File in `resources/huggingface/steps`. */
export const generationCode = 'generate.py';

const isRead = (name: string): boolean =>
  ['config.json', 'generation_config.json', singleWeights, weightsIndex, ...tokenizerFiles].includes(name) ||
  /^model-\d+-of-\d+\.safetensors$/.test(name);

/** Files of the folder that the model reads, absolute. Throws model-folder-invalid for a link that is not followed. */
export async function generationFiles(folder: string): Promise<readonly string[]> {
  const files = await folderFiles(folder);
  return [...files.keys()].filter(isRead).map((name) => {
    requireFile(folder, files, name);
    return join(folder, name);
  });
}
