import { constants, copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeFolder } from '../../platform/files';
import { processorFiles, singleWeights, tokenizerFiles, weightsIndex } from './file-names';
import { folderFiles, requireFile } from './folder-files';

/** What executes a generating model. */
export type GenerationBackend = 'python' | 'vllm';

const ofBackend: Readonly<
  Record<GenerationBackend, { readonly comment: string; readonly outputs: number; readonly kind: string }>
> = {
  python: {
    comment: 'with a key-value cache. An instance serves one request at a time.',
    outputs: 1,
    kind: 'KIND_CPU',
  },
  // It places its weights itself, and completes the other inputs and outputs.
  vllm: {
    comment: 'by vLLM, which batches the requests itself. Its settings are in model.json.',
    outputs: -1,
    kind: 'KIND_MODEL',
  },
};

/** Names of inputs and output are those of vLLM's backend, so that its clients can call either model. */
export function generationConfig(name: string, backend: GenerationBackend = 'python'): string {
  const { comment, outputs, kind } = ofBackend[backend];
  return `\
# A prompt to the text that follows, token by token, ${comment}
name: "${name}"
backend: "${backend}"
max_batch_size: 0
model_transaction_policy { decoupled: true }
input [
  { name: "text_input" data_type: TYPE_STRING dims: [ 1 ] },
  { name: "stream" data_type: TYPE_BOOL dims: [ 1 ] optional: true },
  { name: "sampling_parameters" data_type: TYPE_STRING dims: [ 1 ] optional: true },
  { name: "exclude_input_in_output" data_type: TYPE_BOOL dims: [ 1 ] optional: true }
]
output [
  { name: "text_output" data_type: TYPE_STRING dims: [ ${outputs} ] }
]
instance_group [ { count: 1 kind: ${kind} } ]
`;
}

/** Where weights, tokenizer and processor lie beside it, in a folder of its version. */
const weightsFolder = 'model';

/**
 * model.json of vLLM's backend: arguments of its engine, which takes the weights by a path of the server. Every engine and
 * bundle mounts a repository at /models. fp32, as the reference: other types may choose another token where two are close.
 */
export const vllmArguments = (name: string): string =>
  `${JSON.stringify({ model: `/models/${name}/1/${weightsFolder}`, dtype: 'float32', gpu_memory_utilization: 0.9 }, null, 2)}\n`;

/** File in `resources/huggingface/steps`. */
export const generationCode = 'generate.py';

/** The same of a speech model. */
export const speechCode = 'speech.py';

/** Names of input and output are those of the pipelines of audio. */
export const speechConfig = (name: string): string => `\
# A recording (the bytes of a WAV file) to its text, with a key-value cache. An instance serves one request at a time.
name: "${name}"
backend: "python"
max_batch_size: 0
input [
  { name: "AUDIO" data_type: TYPE_STRING dims: [ 1 ] },
  { name: "LANGUAGE" data_type: TYPE_STRING dims: [ 1 ] optional: true }
]
output [
  { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] }
]
instance_group [ { count: 1 kind: KIND_CPU } ]
`;

const readFiles: readonly string[] = [
  ...['config.json', 'generation_config.json', singleWeights, weightsIndex],
  ...tokenizerFiles,
  ...processorFiles,
];
const isRead = (name: string): boolean =>
  readFiles.includes(name) || /^model-\d+-of-\d+\.safetensors$/.test(name);

/** Files of the folder that the model reads, absolute. Throws model-folder-invalid for a link that is not followed. */
async function generationFiles(folder: string): Promise<readonly string[]> {
  const files = await folderFiles(folder);
  return [...files.keys()].filter(isRead).map((name) => {
    requireFile(folder, files, name);
    return join(folder, name);
  });
}

/** Copies what the model reads of the folder beside the code of a version. Throws model-folder-invalid. */
export async function copyGenerationFiles(folder: string, version: string): Promise<void> {
  const copied = join(version, weightsFolder);
  await makeFolder(copied);
  for (const file of await generationFiles(folder)) {
    await copyFile(file, join(copied, basename(file)), constants.COPYFILE_FICLONE);
  }
}
