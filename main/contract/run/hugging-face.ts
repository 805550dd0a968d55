import { z } from 'zod';
import { later } from '../later';

/** What a head of a model answers, by the names that the hub has for them. */
export const huggingFaceTasks = [
  'text-classification',
  'token-classification',
  'fill-mask',
  'question-answering',
  'feature-extraction',
  'sentence-similarity',
  'text-generation',
  'text2text-generation',
  'image-classification',
  'object-detection',
  'image-segmentation',
  'audio-classification',
  'automatic-speech-recognition',
] as const;
export type HuggingFaceTask = (typeof huggingFaceTasks)[number];

export const huggingFaceTaskTitle: Readonly<Record<HuggingFaceTask, string>> = {
  'text-classification': 'text classification',
  'token-classification': 'token classification',
  'fill-mask': 'fill-mask',
  'question-answering': 'extractive question answering',
  'feature-extraction': 'features of tokens',
  'sentence-similarity': 'sentence embeddings',
  'text-generation': 'text generation',
  'text2text-generation': 'text-to-text generation',
  'image-classification': 'image classification',
  'object-detection': 'object detection',
  'image-segmentation': 'semantic segmentation',
  'audio-classification': 'audio classification',
  'automatic-speech-recognition': 'speech to text',
};

/** Tasks whose pipeline has steps around the model. */
const stepTasks = [
  'text-classification',
  'token-classification',
  'sentence-similarity',
  'question-answering',
  'fill-mask',
  'image-classification',
  'object-detection',
  'image-segmentation',
  'audio-classification',
  'automatic-speech-recognition',
] as const satisfies readonly HuggingFaceTask[];
export type StepTask = (typeof stepTasks)[number];

/** Tasks whose pipeline is one model, which answers token by token. */
const generatingTasks = [
  'text-generation',
  'text2text-generation',
] as const satisfies readonly HuggingFaceTask[];

/** Tasks that a pipeline serves: what a caller has in, what he wants out. */
export const pipelineTasks = [...stepTasks, ...generatingTasks] as const;
export type PipelineTask = (typeof pipelineTasks)[number];

export type PipelineMedia = 'images' | 'audio';

/** What callers of the pipeline send; a task that is not here takes texts. */
export const mediaOf: Readonly<Partial<Record<PipelineTask, PipelineMedia>>> = {
  'image-classification': 'images',
  'object-detection': 'images',
  'image-segmentation': 'images',
  'audio-classification': 'audio',
  'automatic-speech-recognition': 'audio',
};

export const hasPipeline = (task: HuggingFaceTask | undefined): task is PipelineTask =>
  pipelineTasks.some((one) => one === task);

export const isGenerating = (task: HuggingFaceTask): task is (typeof generatingTasks)[number] =>
  generatingTasks.some((one) => one === task);

/** How sentence-transformers makes one vector of those of the tokens. */
export const poolingModes = ['mean', 'cls', 'max', 'lasttoken'] as const;

/** What of a Hugging Face folder is served, beside its tensors. */
export const huggingFaceSchema = later(() =>
  z.strictObject({
    task: z.enum(huggingFaceTasks),
    /** "BertForSequenceClassification". */
    architecture: z.string().regex(/^[A-Za-z0-9]{1,128}$/),
    /** Class of transformers that loads it. */
    autoClass: z.string().regex(/^AutoModel[A-Za-z0-9]{0,64}$/),
    /** Elements of the longest sample of the accuracy check, where samples differ in length. */
    longest: z.int().min(2).optional(),
    /** Tokens that it takes at most; absent: it states no maximum. */
    most: z.int().min(1).optional(),
    /** Token behind the end of a shorter sample. */
    paddingId: z.int().min(0).optional(),
    /** Of sentence-transformers: one vector per sentence. */
    pooling: z.enum(poolingModes).optional(),
    /** With `pooling`: folders of the layers behind it, in their order. */
    dense: z
      .array(z.string().regex(/^[\w-]{1,64}$/))
      .max(8)
      .optional(),
    /** With `pooling`: vectors of length 1. */
    normalize: z.boolean().optional(),
  }),
);
export type HuggingFaceModel = z.infer<typeof huggingFaceSchema>;
