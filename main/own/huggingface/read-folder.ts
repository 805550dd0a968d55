import { join } from 'node:path';
import type { ModelCard } from '../../contract/own/model-record';
import { getAt, isTree, type Tree } from '../../contract/trees';
import { shortValue } from '../../platform/lines';
import { folderRefused } from '../model-files';
import { architectureOf, classesOf, families } from './architectures';
import { ConfigNumbers } from './config-numbers';
import { processorFiles, tokenizerFiles, vocabularyFiles } from './file-names';
import { type FolderFiles, folderFiles, readTree } from './folder-files';
import { readModelCard } from './model-card';
import {
  codeOf,
  customCodeRefusal,
  otherFolderRefusal,
  picklesOf,
  quantizedRefusal,
  weightsRefusal,
} from './refusals';
import type { StoredTensor } from './safetensors';
import { readSentenceModules, type SentenceModules } from './sentence-modules';
import { readWeights, type Weights } from './weights';

/** A Hugging Face folder, read without loading or executing anything of it. */
export interface HuggingFaceFacts {
  readonly modelType: string;
  readonly architecture: string;
  /** Further classes that config.json names; the first counts. */
  readonly others: readonly string[];
  readonly config: Tree;
  readonly labels: number;
  /** preprocessor_config.json, of images and audio. */
  readonly processor: Tree | null;
  /** Longest text that the tokenizer makes; null where it says none. */
  readonly tokenizerLongest: number | null;
  readonly sentence: SentenceModules | null;
  readonly weights: {
    readonly files: readonly string[];
    readonly bytes: number;
    readonly parameters: number;
    readonly dtypes: readonly string[];
  };
  /** Files that are there, of those that a caller or a pipeline needs. */
  readonly has: {
    readonly tokenizer: boolean;
    readonly processor: boolean;
    readonly generation: boolean;
  };
  /** Those of the tokenizer that are there. */
  readonly tokenizerFiles: readonly string[];
  /** null: the folder has no README.md. */
  readonly card: ModelCard | null;
  /** Files that are there and that nothing reads. */
  readonly ignored: { readonly pickles: readonly string[]; readonly code: readonly string[] };
}

/** Configurations that can name code of the folder. */
const namingCode = ['config.json', 'tokenizer_config.json', ...processorFiles];
/** Rows of the weight that chooses by token. */
const tokenRows =
  /(^|\.)(word_embeddings|wte|embed_tokens|shared|decoder\.embed_tokens|token_embedding)\.weight$/;
/** Tokenizers say 1e30 for "no limit". */
const mostTokens = 16_777_216;

function architecturesOf(folder: string, config: Tree): readonly string[] {
  const { architectures } = config;
  const names: readonly unknown[] = Array.isArray(architectures) ? architectures : [];
  if (names.length > 0 && names.length <= 16 && names.every((name) => typeof name === 'string')) return names;
  throw folderRefused(
    join(folder, 'config.json'),
    'config.json does not name the class of the model (architectures)',
    'Save the model again with save_pretrained, which writes it, or add it: "architectures": ["BertForSequenceClassification"].',
  );
}

function modelTypeOf(folder: string, config: Tree): string {
  const { model_type: found } = config;
  if (typeof found === 'string' && Object.hasOwn(families, found)) return found;
  throw folderRefused(
    join(folder, 'config.json'),
    `Models of the type ${shortValue(found)} cannot be exported`,
    `${Object.keys(families).length} types can be exported; the guide lists them: A Hugging Face folder. Others are exported with their code: "init DIR" writes a model folder.`,
  );
}

/** A class of the table. Throws model-folder-invalid with those that are. */
function requireArchitecture(folder: string, modelType: string, name: string): string {
  if (architectureOf(modelType, name) !== null) return name;
  throw folderRefused(
    join(folder, 'config.json'),
    `${shortValue(name)} is not exported: no task is known for it`,
    `Those of the type ${modelType}: ${classesOf(modelType).join(', ')}.`,
  );
}

/** A decoder that gives labels reads them at the last token that is not padding. */
function requirePadding(numbers: ConfigNumbers, modelType: string, name: string): void {
  const found = architectureOf(modelType, name);
  if (found?.input !== 'decoder' || found.head.output !== 'labels') return;
  if (Number.isInteger(numbers.tree['pad_token_id'])) return;
  throw numbers.refused(
    `config.json names no padding token (pad_token_id), by which ${name} finds the end of a text in a batch`,
    'Add the id of the padding token of the tokenizer: "pad_token_id": 0.',
  );
}

/** Backbones of another library, whose layers it builds. */
function requireOwnBackbone(folder: string, config: Tree): void {
  const of = getAt(config, ['backbone_config', 'model_type']);
  if (config['use_timm_backbone'] !== true && of !== 'timm_backbone') return;
  throw folderRefused(
    join(folder, 'config.json'),
    'The backbone of the model is built by the library timm, which is not part of the environment',
    'Give a folder whose backbone is one of transformers; on the hub such a revision is often called "no_timm".',
  );
}

/** Labels by number; config.json may hold the count instead. */
function labelCount(config: Tree, numbers: ConfigNumbers): number {
  const named = config['id2label'];
  if (isTree(named) && Object.keys(named).length > 0) return Object.keys(named).length;
  return numbers.size('num_labels') ?? 2;
}

/** Thousands of names, which nothing else needs. */
const withoutLabels = (config: Tree): Tree =>
  Object.fromEntries(Object.entries(config).filter(([name]) => name !== 'id2label' && name !== 'label2id'));

/** A configuration that says other sizes than the weights have builds a model that they do not fit. */
function requireVocabulary(numbers: ConfigNumbers, tensors: Weights['tensors']): void {
  const wanted = numbers.size('vocab_size');
  if (wanted === null) return;
  const stored = [...tensors].find(([name, { shape }]) => tokenRows.test(name) && shape.length === 2);
  const rows = stored?.[1].shape[0];
  if (rows === undefined || rows === wanted) return;
  throw numbers.refused(
    `config.json says vocab_size is ${wanted}, but ${stored?.[0] ?? 'the weight'} has ${rows} rows`,
    'Use the config.json that was saved with these weights.',
  );
}

/** Whole numbers are buffers, and floats of 8 bits or fewer are of quantised weights. */
function floatTypes(folder: string, tensors: Iterable<StoredTensor>): readonly string[] {
  const found = [...new Set([...tensors].map(({ dtype }) => dtype))];
  const small = found.find((dtype) => /^F[468]/.test(dtype) && dtype !== 'F64');
  if (small === undefined) return found.filter((dtype) => /^B?F\d+$/.test(dtype)).sort();
  throw folderRefused(
    folder,
    `The weights are quantized (${small}), which the ONNX exporter cannot write`,
    'Give the folder of the model that was quantized.',
  );
}

function tokenizerLength(folder: string, config: Tree | null): number | null {
  const value = config?.['model_max_length'];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || value < 1) {
    throw folderRefused(
      join(folder, 'tokenizer_config.json'),
      `tokenizer_config.json says model_max_length is ${shortValue(value)}`,
      'Download or copy the file again, or correct the number.',
    );
  }
  return Number.isInteger(value) && value <= mostTokens ? value : null;
}

async function configurations(folder: string, files: FolderFiles) {
  const named: (readonly [string, Tree | null])[] = [];
  for (const name of namingCode) named.push([name, await readTree(folder, files, name)]);
  return named;
}

interface Configured {
  readonly files: FolderFiles;
  readonly config: Tree;
  readonly tokenizer: Tree | null;
  readonly processor: Tree | null;
  readonly modelType: string;
  /** The first counts. */
  readonly architectures: readonly string[];
  readonly numbers: ConfigNumbers;
}

async function readConfigurations(folder: string): Promise<Configured> {
  const files = await folderFiles(folder);
  const other = otherFolderRefusal(folder, files);
  if (other !== null) throw other;
  const named = await configurations(folder, files);
  const [config, tokenizer, ...processing] = named.map(([, tree]) => tree);
  if (config === undefined || config === null) {
    throw folderRefused(
      folder,
      'The folder has no config.json',
      'Give a folder as save_pretrained writes it.',
    );
  }
  const refused = customCodeRefusal(folder, named) ?? quantizedRefusal(folder, config);
  if (refused !== null) throw refused;
  const modelType = modelTypeOf(folder, config);
  const architectures = architecturesOf(folder, config);
  requireArchitecture(folder, modelType, architectures[0] ?? '');
  requireOwnBackbone(folder, config);
  const numbers = new ConfigNumbers(folder, 'config.json', config);
  numbers.check();
  requirePadding(numbers, modelType, architectures[0] ?? '');
  const processor = processing.find((one) => one !== null) ?? null;
  return { files, config, tokenizer: tokenizer ?? null, processor, modelType, architectures, numbers };
}

/** Whether a model would be exported, by its configuration, before its weights are there. Throws model-folder-invalid. */
export async function checkHuggingFaceConfig(folder: string): Promise<{ readonly architecture: string }> {
  const { architectures } = await readConfigurations(folder);
  return { architecture: architectures[0] ?? '' };
}

/** Throws model-folder-invalid for what is not a model, or not one that is exported, with the reason. */
export async function readHuggingFace(folder: string): Promise<HuggingFaceFacts> {
  const configured = await readConfigurations(folder);
  const { files, config, modelType, numbers } = configured;
  const [architecture = '', ...others] = configured.architectures;
  const missing = weightsRefusal(folder, files);
  if (missing !== null) throw missing;
  const weights = await readWeights(folder, files);
  requireVocabulary(numbers, weights.tensors);
  const tensors = [...weights.tensors.values()];
  return {
    modelType,
    architecture,
    others,
    config: withoutLabels(config),
    labels: labelCount(config, numbers),
    processor: configured.processor,
    tokenizerLongest: tokenizerLength(folder, configured.tokenizer),
    sentence: await readSentenceModules(folder, files),
    weights: {
      files: weights.files,
      bytes: weights.bytes,
      parameters: tensors.reduce((sum, { shape }) => sum + shape.reduce((all, size) => all * size, 1), 0),
      dtypes: floatTypes(folder, tensors),
    },
    has: {
      tokenizer: vocabularyFiles.some((name) => files.has(name)),
      processor: processorFiles.some((name) => files.has(name)),
      generation: files.has('generation_config.json'),
    },
    tokenizerFiles: tokenizerFiles.filter((name) => files.has(name)),
    card: await readModelCard(folder, files),
    ignored: { pickles: picklesOf(files), code: codeOf(files) },
  };
}
