import { join } from 'node:path';
import { WorkbenchError } from '../../contract/errors';
import {
  hasPipeline,
  huggingFaceTaskTitle,
  isGenerating,
  mediaOf,
  type PipelineMedia,
  type PipelineTask,
  pipelineTasks,
  type StepTask,
} from '../../contract/run/hugging-face';
import type { ModelSource } from '../../contract/run/run-spec';
import { folderRefused } from '../model-files';
import { servedArchitecture } from './huggingface-source';
import { type ImageSides, planProcessor, planSpeech } from './pipeline-processor';
import type { HuggingFaceFacts } from './read-folder';
import { tokenSizes } from './sizes';

/** Tasks whose steps `resources/huggingface/steps` has, and the code of the last one; null: the model is the last step. */
const lastSteps: Readonly<Record<StepTask, string | null>> = {
  'text-classification': 'labels.py',
  'token-classification': 'spans.py',
  'sentence-similarity': null,
  'question-answering': 'answers.py',
  'fill-mask': 'tokens.py',
  'image-classification': 'labels.py',
  'object-detection': 'boxes.py',
  'image-segmentation': 'classes.py',
  'audio-classification': 'labels.py',
  'automatic-speech-recognition': 'transcript.py',
};

const lastStepOf = (task: PipelineTask): string | null => (isGenerating(task) ? null : lastSteps[task]);

export interface PipelinePlan {
  /** Of the ensemble, whose steps have it as a prefix, or of the generating model. */
  readonly name: string;
  readonly task: PipelineTask;
  /** File in `resources/huggingface/steps`; null without a last step. */
  readonly lastStep: string | null;
  /** Longer texts are cut; of a generating model, longer prompts are refused. 0: it takes no texts. */
  readonly mostTokens: number;
  /** Of texts: file in `resources/huggingface` for the reference and the load, where the caller gives none. */
  readonly texts?: string;
  /** Of texts: whether a second one may come with each. */
  readonly pairs?: boolean;
  /** Absent: it takes texts. */
  readonly media?: PipelineMedia;
  /** Of images: what the exported model takes. */
  readonly imageSides?: ImageSides;
  /** Of a speech model, which writes the text token by token: longer recordings are refused. */
  readonly mostSeconds?: number;
  /** Of a generating model: what executes it; absent: Python. */
  readonly backend?: 'vllm';
}

/** A model that tells two texts apart needs a row for the tokens of the second one. */
const takesPairs = (task: PipelineTask, { config }: HuggingFaceFacts, hasSegments: boolean): boolean =>
  task === 'text-classification' && !(hasSegments && config['type_vocab_size'] === 1);
/** Tokens of the longest prompt of a model without a limit, as T5 was trained. */
const usualPrompt = 512;

const asTensors = 'Serve it as tensors: leave --serve out.';

/** The title as the name of a model. */
const nameOf = (title: string): string =>
  title
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[^\w]+$/g, '')
    .slice(0, 100) || 'pipeline';

/** Throws combination-unsupported for a task without steps. */
function requireTask({ path, huggingFace }: ModelSource): PipelineTask {
  const task = huggingFace?.task;
  if (hasPipeline(task)) return task;
  const tasks = pipelineTasks.map((one) => huggingFaceTaskTitle[one]);
  const what = task === undefined ? 'this model' : huggingFaceTaskTitle[task];
  throw new WorkbenchError('combination-unsupported', `A pipeline for ${what} cannot be written`, {
    where: path,
    remedy: `Pipelines exist for ${tasks.join(', ')}. ${asTensors}`,
  });
}

/** Throws combination-unsupported for what vLLM's backend does not serve. */
export function planVllm(facts: HuggingFaceFacts, source: ModelSource): PipelinePlan {
  const plan = planPipeline(facts, source);
  if (plan.task === 'text-generation') return { ...plan, backend: 'vllm' };
  throw new WorkbenchError(
    'combination-unsupported',
    `vLLM’s backend serves text generation, and this is a model for ${huggingFaceTaskTitle[plan.task]}`,
    { where: source.path, remedy: 'Serve it as a pipeline: --serve pipeline.' },
  );
}

/** Throws combination-unsupported for a task without steps, and model-folder-invalid without a tokenizer. */
export function planPipeline(facts: HuggingFaceFacts, source: ModelSource): PipelinePlan {
  const { path, title } = source;
  const task = requireTask(source);
  const readsTexts = mediaOf[task] === undefined || task === 'automatic-speech-recognition';
  if (!facts.has.tokenizer && readsTexts) {
    throw folderRefused(
      join(path, 'tokenizer.json'),
      'The folder has no tokenizer, which is a step of a pipeline',
      "Copy the tokenizer's files into the folder, or serve it as tensors.",
    );
  }
  const media = mediaOf[task];
  const architecture = servedArchitecture(path, facts);
  const name = nameOf(title);
  if (media !== undefined) {
    if (architecture.input === 'speech-to-text') {
      return { name, task, lastStep: null, mostTokens: 0, media, mostSeconds: planSpeech(path, facts) };
    }
    const fixedImage = architecture.fixedImage === true;
    const imageSides = planProcessor(path, facts, { media, task, fixedImage });
    const step = { name, task, lastStep: lastStepOf(task), mostTokens: 0, media };
    return { ...step, ...(media === 'images' ? { imageSides } : {}) };
  }
  const { most, longest } = tokenSizes(path, facts, architecture, null);
  if (isGenerating(task)) return { name, task, lastStep: null, mostTokens: most ?? usualPrompt };
  return {
    ...{ name, task, lastStep: lastStepOf(task), mostTokens: most ?? longest },
    texts: task === 'question-answering' ? 'questions.txt' : 'texts.txt',
    pairs: takesPairs(task, facts, architecture.segments === true),
  };
}
