import type { HuggingFaceTask } from '../../contract/run/hugging-face';

/** What a model takes. `text` and `image` and `audio` are encoders; `decoder` and `text-to-text` generate. */
export type InputKind = 'text' | 'decoder' | 'text-to-text' | 'image' | 'audio' | 'speech-to-text';

/** What the head gives, by the attributes of the library's output classes. */
export type OutputKind =
  | 'labels'
  | 'token-labels'
  | 'token-vocabulary'
  | 'decoder-vocabulary'
  | 'frame-vocabulary'
  | 'span'
  | 'token-features'
  | 'boxes'
  | 'pixel-labels';

interface Head {
  /** Of the class name, behind the family's prefix. */
  readonly suffix: string;
  readonly task: HuggingFaceTask;
  readonly autoClass: string;
  readonly output: OutputKind;
}

const sequence: Head = {
  suffix: 'ForSequenceClassification',
  task: 'text-classification',
  autoClass: 'AutoModelForSequenceClassification',
  output: 'labels',
};
/** The encoder itself, without a head. */
export const features: Head = {
  suffix: 'Model',
  task: 'feature-extraction',
  autoClass: 'AutoModel',
  output: 'token-features',
};
const text: readonly Head[] = [
  sequence,
  {
    suffix: 'ForTokenClassification',
    task: 'token-classification',
    autoClass: 'AutoModelForTokenClassification',
    output: 'token-labels',
  },
  {
    suffix: 'ForMaskedLM',
    task: 'fill-mask',
    autoClass: 'AutoModelForMaskedLM',
    output: 'token-vocabulary',
  },
  {
    suffix: 'ForQuestionAnswering',
    task: 'question-answering',
    autoClass: 'AutoModelForQuestionAnswering',
    output: 'span',
  },
  features,
];
const causal = (suffix: string): Head => ({
  suffix,
  task: 'text-generation',
  autoClass: 'AutoModelForCausalLM',
  output: 'token-vocabulary',
});
const toText: Head = {
  suffix: 'ForConditionalGeneration',
  task: 'text2text-generation',
  autoClass: 'AutoModelForSeq2SeqLM',
  output: 'decoder-vocabulary',
};
const image: Head = {
  suffix: 'ForImageClassification',
  task: 'image-classification',
  autoClass: 'AutoModelForImageClassification',
  output: 'labels',
};
const detection: Head = {
  suffix: 'ForObjectDetection',
  task: 'object-detection',
  autoClass: 'AutoModelForObjectDetection',
  output: 'boxes',
};
const segmentation: Head = {
  suffix: 'ForSemanticSegmentation',
  task: 'image-segmentation',
  autoClass: 'AutoModelForSemanticSegmentation',
  output: 'pixel-labels',
};
const audio: Head = {
  ...sequence,
  task: 'audio-classification',
  autoClass: 'AutoModelForAudioClassification',
};
const ctc: Head = {
  suffix: 'ForCTC',
  task: 'automatic-speech-recognition',
  autoClass: 'AutoModelForCTC',
  output: 'frame-vocabulary',
};
const speech: Head = {
  ...toText,
  task: 'automatic-speech-recognition',
  autoClass: 'AutoModelForSpeechSeq2Seq',
};

interface Family {
  /** Of the class names. */
  readonly prefix: string;
  readonly title: string;
  readonly input: InputKind;
  readonly heads: readonly Head[];
  /** Of text: a second row says to which of two texts a token belongs. */
  readonly segments?: true;
  /** Positions begin behind the number of the padding token, so that fewer tokens fit. */
  readonly reservedPositions?: true;
  /** Of images: the network has a position for each patch, so that only `image_size` fits. */
  readonly fixedImage?: true;
}

/** By `model_type`: those whose export and accuracy gate `npm run test:huggingface` tries, one row each. */
export const families: Readonly<Record<string, Family>> = {
  bert: { prefix: 'Bert', title: 'BERT', input: 'text', heads: text, segments: true },
  distilbert: { prefix: 'DistilBert', title: 'DistilBERT', input: 'text', heads: text },
  roberta: { prefix: 'Roberta', title: 'RoBERTa', input: 'text', heads: text, reservedPositions: true },
  'xlm-roberta': {
    ...{ prefix: 'XLMRoberta', title: 'XLM-RoBERTa', input: 'text', heads: text },
    reservedPositions: true,
  },
  electra: { prefix: 'Electra', title: 'ELECTRA', input: 'text', heads: text, segments: true },
  albert: { prefix: 'Albert', title: 'ALBERT', input: 'text', heads: text, segments: true },
  mpnet: { prefix: 'MPNet', title: 'MPNet', input: 'text', heads: text, reservedPositions: true },
  deberta: { prefix: 'Deberta', title: 'DeBERTa', input: 'text', heads: text, segments: true },
  'deberta-v2': {
    prefix: 'DebertaV2',
    title: 'DeBERTa v2 and v3',
    input: 'text',
    heads: text,
    segments: true,
  },
  gpt2: { prefix: 'GPT2', title: 'GPT-2', input: 'decoder', heads: [causal('LMHeadModel')] },
  llama: { prefix: 'Llama', title: 'Llama', input: 'decoder', heads: [causal('ForCausalLM')] },
  mistral: { prefix: 'Mistral', title: 'Mistral', input: 'decoder', heads: [causal('ForCausalLM')] },
  qwen2: { prefix: 'Qwen2', title: 'Qwen2', input: 'decoder', heads: [causal('ForCausalLM')] },
  t5: { prefix: 'T5', title: 'T5', input: 'text-to-text', heads: [toText] },
  bart: { prefix: 'Bart', title: 'BART', input: 'text-to-text', heads: [toText] },
  vit: { prefix: 'ViT', title: 'ViT', input: 'image', heads: [image], fixedImage: true },
  convnext: { prefix: 'ConvNext', title: 'ConvNeXt', input: 'image', heads: [image] },
  resnet: { prefix: 'ResNet', title: 'ResNet', input: 'image', heads: [image] },
  detr: { prefix: 'Detr', title: 'DETR', input: 'image', heads: [detection] },
  yolos: { prefix: 'Yolos', title: 'YOLOS', input: 'image', heads: [detection], fixedImage: true },
  segformer: { prefix: 'Segformer', title: 'SegFormer', input: 'image', heads: [image, segmentation] },
  wav2vec2: { prefix: 'Wav2Vec2', title: 'wav2vec 2.0', input: 'audio', heads: [audio, ctc] },
  whisper: { prefix: 'Whisper', title: 'Whisper', input: 'speech-to-text', heads: [speech] },
};

export interface Architecture extends Omit<Family, 'heads'> {
  /** "BertForSequenceClassification". */
  readonly name: string;
  readonly head: Head;
}

/** null where the class is not one of the table. */
export function architectureOf(modelType: string, name: string): Architecture | null {
  if (!Object.hasOwn(families, modelType)) return null;
  const family = families[modelType];
  const head = family?.heads.find(({ suffix }) => name === `${family.prefix}${suffix}`);
  return family === undefined || head === undefined ? null : { ...family, name, head };
}

/** Classes of one `model_type`, for people. */
export const classesOf = (modelType: string): readonly string[] =>
  Object.hasOwn(families, modelType)
    ? (families[modelType]?.heads.map(({ suffix }) => `${families[modelType]?.prefix ?? ''}${suffix}`) ?? [])
    : [];
