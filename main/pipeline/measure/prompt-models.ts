import { join } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import { type Generation, isOpenai, isText, usualPrompts } from '../../contract/load/generation';
import type { ServerLoad } from '../../contract/run/server-load';
import type { InputReaders } from '../../perf/input/input-readers';
import { type WantedTensor, wantedTensors } from '../../perf/input/wanted-tensor';
import type { MeasureInput } from '../../perf/load-tool';
import type { PromptSource } from '../../perf/prompts/read-prompts';
import type { TritonClient } from '../../triton/client';
import { optionalInputs } from '../../triton/model-config';
import { readServerModels, type ServerModel } from './server-models';

/** Inputs of a Triton model, and whether it batches. Throws errors of the client. */
async function signatureOf(client: TritonClient, name: string, version: string) {
  const { inputs } = await client.modelMetadata(name, version);
  const config = await client.modelConfig(name, version);
  const batched = config.maxBatchSize > 0;
  return { batched, inputs: wantedTensors(inputs, { batched, optional: optionalInputs(config) }) };
}

function requireTextInput(name: string, inputs: readonly WantedTensor[]): void {
  if (inputs.some((input) => input.name === 'text_input')) return;
  throw new WorkbenchError(
    'combination-unsupported',
    `${name} has no input "text_input", which the generate extension sends`,
    {
      where: 'performance.generation.endpoint',
      remedy: 'Measure it with the endpoint "grpc-stream" and --input-data, or give the input that name.',
    },
  );
}

/** null: neither a file nor made prompts. */
function promptsOf(
  { promptsFile, tokenizerFile: tokenizer, ...asked }: Generation,
  seed: number,
): Pick<PromptSource, 'path' | 'tokenizer' | 'made'> | null {
  if (promptsFile !== undefined) return { path: promptsFile, tokenizer };
  const {
    inputTokens,
    inputTokensStddev = 0,
    promptCount = usualPrompts,
    prefixTokens = 0,
    prefixCount = 1,
  } = asked;
  if (inputTokens === undefined || tokenizer === undefined) return null;
  const made = {
    ...{ count: promptCount, mean: inputTokens, stddev: inputTokensStddev },
    ...{ prefixTokens, prefixCount, seed },
  };
  return { path: tokenizer, tokenizer, made };
}

/** Counts tokens of outputs; undefined: the load has no tokenizer. */
function tokenCounter(
  { settings: { generation } }: Pick<ServerLoad, 'settings'>,
  readers: InputReaders,
): MeasureInput['countTokens'] {
  const path = generation?.tokenizerFile;
  return path === undefined ? undefined : (texts) => readers.tokenCount({ path, texts });
}

/**
 * The models of a load with their requests, of tensors or of prompts. Throws errors of the client, input-invalid naming
 * the line, and combination-unsupported for a model without an input for text.
 */
export async function readModels(
  client: TritonClient,
  load: ServerLoad,
  where: { readonly dir: string; readonly readers: InputReaders },
): Promise<ServerModel[]> {
  const { generation, requestSeed } = load.settings;
  const prompts = generation === undefined ? null : promptsOf(generation, requestSeed);
  const countTokens = tokenCounter(load, where.readers);
  if (generation === undefined || prompts === null) {
    const models = await readServerModels(client, load, where);
    return models.map((model) => ({ ...model, countTokens }));
  }
  const { endpoint, outputTokens } = generation;
  const { dir, readers } = where;
  const read: ServerModel[] = [];
  for (const [index, model] of load.models.entries()) {
    const known = isOpenai(endpoint) ? null : await signatureOf(client, model.name, load.modelVersion);
    if (known !== null && isText(endpoint)) requireTextInput(model.name, known.inputs);
    const inputDataDir = join(dir, `input-${index}`);
    const inputData = await readers.promptStore({
      ...{ ...prompts, endpoint, outputTokens, dir: inputDataDir },
      modelName: model.name,
      inputs: known?.inputs ?? [],
    });
    // The batch of a request of text is the server's.
    const batched = !isText(endpoint) && known?.batched === true;
    read.push({ ...model, batched, inputData, inputDataDir, countTokens });
  }
  return read;
}
