import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { formatCount } from '../../contract/numbers';
import type { ModelSource } from '../../contract/run/run-spec';
import { makeFolder } from '../../platform/files';
import type { Toolkit, ToolkitListener } from '../../toolkit/toolkit';
import { copyGenerationFiles, generationCode, generationConfig, vllmArguments } from './generation-model';
import type { PipelinePlan } from './pipeline-plan';

const referenceSchema = z.object({
  texts: z.int(),
  samples: z.int(),
  ties: z.int(),
  shortened: z.int(),
  transformers: z.string(),
});
type Reference = z.infer<typeof referenceSchema>;

/** "1 text", "2,000 texts". */
export const counted = (number: number, one: string): string =>
  `${formatCount(number)} ${one}${number === 1 ? '' : 's'}`;

/** As in `resources/huggingface/texts_file.py`. */
const mostSamples = 256;

/** What of a labeled data set is used, one sentence each. @param noun of one sample */
export const labelNotes = (
  { labeled, leftOut }: { readonly labeled: number; readonly leftOut: number },
  noun: string,
): readonly string[] => [
  ...(labeled === 0
    ? []
    : [`Labeled: ${counted(labeled, noun)}; the result has the metrics of transformers and Triton.`]),
  ...(leftOut === 0 ? [] : [`Left out, as at most ${mostSamples} are used: ${counted(leftOut, noun)}.`]),
];

const notesOf = (
  { name, mostTokens, backend }: PipelinePlan,
  { texts, samples, ties, shortened, transformers }: Reference,
): readonly string[] => [
  backend === 'vllm'
    ? `The model ${name} is for vLLM’s backend, which images such as tritonserver:26.07-vllm-python-py3 have. This has not been tried on a GPU.`
    : `The pipeline ${name} is one model in Python with a key-value cache. It needs torch and transformers ${transformers} where it is served.`,
  `Input: text_input. The model takes ${counted(mostTokens, 'token')}; a longer prompt is refused.`,
  `The reference is transformers in fp32 on ${counted(texts, 'prompt')}, the best token each time: ${counted(samples, 'request')}, whole and in pieces.`,
  ...(shortened === 0 ? [] : [`Shortened, so that an answer has room: ${counted(shortened, 'text')}.`]),
  ...(ties === 0
    ? []
    : [`Ties within the tolerance, whose answers are not compared: ${counted(ties, 'text')}.`]),
];

interface Making {
  readonly plan: PipelinePlan;
  readonly source: ModelSource;
  /** File with a text per line. */
  readonly texts: string;
}

export interface Written {
  /** Folder that gets models, golden.json and load.json. */
  readonly place: string;
  /** Folder of the code of the steps. */
  readonly steps: string;
  readonly toolkit: Toolkit;
  readonly listener: ToolkitListener;
}

/**
 * Writes the generating model of a folder with its weights, and the answers of transformers. Returns what was written, one
 * sentence each. Throws as the toolkit, model-folder-invalid.
 */
export async function writeGeneration(
  { plan, source, texts }: Making,
  { place, steps, toolkit, listener }: Written,
): Promise<readonly string[]> {
  const model = join(place, 'models', plan.name);
  const version = join(model, '1');
  await makeFolder(version);
  await writeFile(join(model, 'config.pbtxt'), generationConfig(plan.name, plan.backend));
  if (plan.backend === 'vllm') await writeFile(join(version, 'model.json'), vllmArguments(plan.name));
  else await copyFile(join(steps, generationCode), join(version, 'model.py'));
  await copyGenerationFiles(source.path, version);
  const reference = await toolkit.call(
    {
      verb: 'write-pipeline',
      args: [
        ['--folder', source.path],
        ['--auto-class', source.huggingFace?.autoClass ?? ''],
        ['--task', plan.task],
        ['--texts', texts],
        ['--name', plan.name],
        ['--most-tokens', plan.mostTokens],
        ['--most-texts', 1],
        ['--output', place],
      ],
    },
    referenceSchema,
    listener,
  );
  return notesOf(plan, reference);
}
