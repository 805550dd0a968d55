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
const tokenLabels: Head = {
  suffix: 'ForTokenClassification',
  task: 'token-classification',
  autoClass: 'AutoModelForTokenClassification',
  output: 'token-labels',
};
const text: readonly Head[] = [
  sequence,
  tokenLabels,
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
  /** Positions are relative: what the file says is the length of the training. */
  readonly endless?: true;
  /** Of images: the network has a position for each patch, so that only `image_size` fits. */
  readonly fixedImage?: true;
}

type Flags = Pick<Family, 'segments' | 'reservedPositions' | 'endless' | 'fixedImage'>;

/** Encoders of text. */
const encoder = (prefix: string, title: string, flags: Flags = {}): Family => ({
  ...{ prefix, title, input: 'text', heads: text },
  ...flags,
});
const segmented = { segments: true } as const;
const reserved = { reservedPositions: true } as const;

/** With the heads that the library has for it, beside the next token and the vectors of the tokens. */
const decoder = (
  prefix: string,
  title: string,
  { heads = [], suffix = 'ForCausalLM' }: { readonly heads?: readonly Head[]; readonly suffix?: string } = {},
): Family => ({
  ...{ prefix, title, input: 'decoder', heads: [causal(suffix), ...heads, features] },
});
const labeled = { heads: [sequence, tokenLabels] } as const;
const classified = { heads: [sequence] } as const;
const translator = (prefix: string, title: string, flags: Flags = {}): Family => ({
  ...{ prefix, title, input: 'text-to-text', heads: [toText] },
  ...flags,
});
const vision = (
  prefix: string,
  title: string,
  { heads = [image], ...flags }: Flags & Partial<Pick<Family, 'heads'>> = {},
): Family => ({ ...{ prefix, title, input: 'image', heads }, ...flags });
const fixed = { fixedImage: true } as const;
const sound = (prefix: string, title: string, heads: readonly Head[] = [audio, ctc]): Family => ({
  ...{ prefix, title, input: 'audio', heads },
});

/** By `model_type`: those whose export and accuracy gate `npm run test:huggingface` tries, one row each. */
export const families: Readonly<Record<string, Family>> = {
  albert: encoder('Albert', 'ALBERT', segmented),
  bert: encoder('Bert', 'BERT', segmented),
  camembert: encoder('Camembert', 'CamemBERT', reserved),
  'data2vec-text': encoder('Data2VecText', 'data2vec text', reserved),
  deberta: encoder('Deberta', 'DeBERTa', segmented),
  'deberta-v2': encoder('DebertaV2', 'DeBERTa v2 and v3', segmented),
  distilbert: encoder('DistilBert', 'DistilBERT'),
  electra: encoder('Electra', 'ELECTRA', segmented),
  ernie: encoder('Ernie', 'ERNIE', segmented),
  eurobert: encoder('EuroBert', 'EuroBERT'),
  'megatron-bert': encoder('MegatronBert', 'Megatron-BERT', segmented),
  mobilebert: encoder('MobileBert', 'MobileBERT', segmented),
  modernbert: encoder('ModernBert', 'ModernBERT'),
  mpnet: encoder('MPNet', 'MPNet', reserved),
  nomic_bert: encoder('NomicBert', 'Nomic BERT', segmented),
  rembert: encoder('RemBert', 'RemBERT', segmented),
  roberta: encoder('Roberta', 'RoBERTa', reserved),
  'roberta-prelayernorm': encoder('RobertaPreLayerNorm', 'RoBERTa-PreLayerNorm', reserved),
  roformer: encoder('RoFormer', 'RoFormer', segmented),
  squeezebert: encoder('SqueezeBert', 'SqueezeBERT', segmented),
  'xlm-roberta': encoder('XLMRoberta', 'XLM-RoBERTa', reserved),
  'xlm-roberta-xl': encoder('XLMRobertaXL', 'XLM-RoBERTa XL', reserved),

  biogpt: decoder('BioGpt', 'BioGPT', labeled),
  bloom: decoder('Bloom', 'BLOOM', labeled),
  codegen: decoder('CodeGen', 'CodeGen'),
  falcon: decoder('Falcon', 'Falcon', labeled),
  gemma: decoder('Gemma', 'Gemma', labeled),
  gemma2: decoder('Gemma2', 'Gemma 2', labeled),
  gemma3_text: decoder('Gemma3', 'Gemma 3', { heads: [{ ...features, suffix: 'TextModel' }] }),
  gpt2: decoder('GPT2', 'GPT-2', { ...labeled, suffix: 'LMHeadModel' }),
  gpt_bigcode: decoder('GPTBigCode', 'GPTBigCode', labeled),
  gpt_neo: decoder('GPTNeo', 'GPT-Neo', labeled),
  gpt_neox: decoder('GPTNeoX', 'GPT-NeoX', labeled),
  gptj: decoder('GPTJ', 'GPT-J', classified),
  granite: decoder('Granite', 'Granite'),
  llama: decoder('Llama', 'Llama', labeled),
  mistral: decoder('Mistral', 'Mistral', labeled),
  mpt: decoder('Mpt', 'MPT', labeled),
  olmo: decoder('Olmo', 'OLMo', classified),
  olmo2: decoder('Olmo2', 'OLMo 2', classified),
  opt: decoder('OPT', 'OPT', classified),
  phi: decoder('Phi', 'Phi', labeled),
  phi3: decoder('Phi3', 'Phi-3', labeled),
  qwen2: decoder('Qwen2', 'Qwen2', labeled),
  qwen3: decoder('Qwen3', 'Qwen3', labeled),
  smollm3: decoder('SmolLM3', 'SmolLM3', labeled),
  stablelm: decoder('StableLm', 'StableLM', labeled),
  starcoder2: decoder('Starcoder2', 'StarCoder2', labeled),

  bart: translator('Bart', 'BART'),
  blenderbot: translator('Blenderbot', 'Blenderbot'),
  m2m_100: translator('M2M100', 'M2M100 and NLLB'),
  marian: { ...translator('Marian', 'Marian'), heads: [{ ...toText, suffix: 'MTModel' }] },
  mbart: translator('MBart', 'mBART'),
  mt5: translator('MT5', 'mT5', { endless: true }),
  pegasus: translator('Pegasus', 'Pegasus'),
  t5: translator('T5', 'T5', { endless: true }),
  umt5: translator('UMT5', 'UMT5', { endless: true }),

  beit: vision('Beit', 'BEiT', fixed),
  convnext: vision('ConvNext', 'ConvNeXt'),
  convnextv2: vision('ConvNextV2', 'ConvNeXt V2'),
  'data2vec-vision': vision('Data2VecVision', 'data2vec vision', fixed),
  deit: vision('DeiT', 'DeiT', fixed),
  detr: vision('Detr', 'DETR', { heads: [detection] }),
  efficientnet: vision('EfficientNet', 'EfficientNet'),
  focalnet: vision('FocalNet', 'FocalNet'),
  hiera: vision('Hiera', 'Hiera', fixed),
  levit: vision('Levit', 'LeViT', fixed),
  mobilenet_v1: vision('MobileNetV1', 'MobileNet V1'),
  mobilenet_v2: vision('MobileNetV2', 'MobileNet V2'),
  mobilevit: vision('MobileViT', 'MobileViT'),
  poolformer: vision('PoolFormer', 'PoolFormer'),
  pvt: vision('Pvt', 'PVT', fixed),
  regnet: vision('RegNet', 'RegNet'),
  resnet: vision('ResNet', 'ResNet'),
  segformer: vision('Segformer', 'SegFormer', { heads: [image, segmentation] }),
  swiftformer: vision('SwiftFormer', 'SwiftFormer'),
  swin: vision('Swin', 'Swin'),
  swinv2: vision('Swinv2', 'Swin V2'),
  vit: vision('ViT', 'ViT', fixed),
  vit_msn: vision('ViTMSN', 'ViT MSN', fixed),
  yolos: vision('Yolos', 'YOLOS', { heads: [detection], ...fixed }),

  'data2vec-audio': sound('Data2VecAudio', 'data2vec audio'),
  hubert: sound('Hubert', 'HuBERT'),
  unispeech: sound('UniSpeech', 'UniSpeech'),
  'unispeech-sat': sound('UniSpeechSat', 'UniSpeech-SAT'),
  wav2vec2: sound('Wav2Vec2', 'wav2vec 2.0'),
  wavlm: sound('WavLM', 'WavLM'),
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
