import { join } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import { type HuggingFaceTask, huggingFaceTaskTitle } from '../../contract/run/hugging-face';
import type { ModelSource } from '../../contract/run/run-spec';
import { folderRefused } from '../model-files';
import { servedArchitecture } from './huggingface-source';
import type { HuggingFaceFacts } from './read-folder';
import { tokenSizes } from './sizes';

/** Tasks whose steps `resources/huggingface/steps` has, and the code of the last one; null: the model is the last step. */
const lastSteps = {
  'text-classification': 'labels.py',
  'token-classification': 'spans.py',
  'sentence-similarity': null,
} as const;

export type StepTask = keyof typeof lastSteps;

/** Tasks whose pipeline is one model, which answers token by token. */
const generating = ['text-generation', 'text2text-generation'] as const;
type GeneratingTask = (typeof generating)[number];

export type PipelineTask = StepTask | GeneratingTask;

const hasSteps = (task: HuggingFaceTask): task is StepTask => Object.hasOwn(lastSteps, task);

export const isGenerating = (task: HuggingFaceTask): task is GeneratingTask =>
  generating.some((one) => one === task);

export interface PipelinePlan {
  /** Of the ensemble, whose steps have it as a prefix, or of the generating model. */
  readonly name: string;
  readonly task: PipelineTask;
  /** File in `resources/huggingface/steps`; null without a last step. */
  readonly lastStep: string | null;
  /** Longer texts are cut; of a generating model, longer prompts are refused. */
  readonly mostTokens: number;
}

/** Tokens of the longest prompt of a model without a limit, as T5 was trained. */
const usualPrompt = 512;

const asTensors = 'Serve it as tensors: leave --serve out.';

/** The title as the name of a model. */
const nameOf = (title: string): string =>
  title
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[^\w]+$/g, '')
    .slice(0, 100) || 'pipeline';

/** Throws combination-unsupported for a task without steps, and model-folder-invalid without a tokenizer. */
export function planPipeline(facts: HuggingFaceFacts, source: ModelSource): PipelinePlan {
  const { path, title, huggingFace } = source;
  const task = huggingFace?.task;
  if (task === undefined || !(hasSteps(task) || isGenerating(task))) {
    const known = [...Object.keys(lastSteps), ...generating];
    const tasks = known.map((one) => huggingFaceTaskTitle[one as PipelineTask]);
    throw new WorkbenchError(
      'combination-unsupported',
      `A pipeline for ${task === undefined ? 'this model' : huggingFaceTaskTitle[task]} cannot be written`,
      { where: path, remedy: `Pipelines exist for ${tasks.join(', ')}. ${asTensors}` },
    );
  }
  if (!facts.has.tokenizer) {
    throw folderRefused(
      join(path, 'tokenizer.json'),
      'The folder has no tokenizer, which is the first step of a pipeline',
      "Copy the tokenizer's files into the folder, or serve it as tensors.",
    );
  }
  const { most, longest } = tokenSizes(path, facts, servedArchitecture(path, facts), null);
  if (hasSteps(task)) {
    return { name: nameOf(title), task, lastStep: lastSteps[task], mostTokens: most ?? longest };
  }
  return { name: nameOf(title), task, lastStep: null, mostTokens: most ?? usualPrompt };
}
