/** Files of a tokenizer, as the libraries of the hub write them. */
export const tokenizerFiles: readonly string[] = [
  'tokenizer.json',
  'vocab.txt',
  'vocab.json',
  'merges.txt',
  'spiece.model',
  'spm.model',
  'sentencepiece.bpe.model',
  'source.spm',
  'target.spm',
  'tokenizer.model',
  'bpe.codes',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'added_tokens.json',
  'normalizer.json',
  'chat_template.jinja',
];

/** Those without which a text does not become tokens. */
export const vocabularyFiles: readonly string[] = [
  'tokenizer.json',
  'vocab.txt',
  'vocab.json',
  'spiece.model',
  'spm.model',
  'sentencepiece.bpe.model',
  'source.spm',
  'tokenizer.model',
];

export const processorFiles: readonly string[] = ['preprocessor_config.json', 'processor_config.json'];

export const singleWeights = 'model.safetensors';
export const weightsIndex = 'model.safetensors.index.json';
