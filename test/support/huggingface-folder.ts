import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ModelBench } from './model-bench';

export interface StoredText {
  readonly dtype?: string;
  readonly shape: readonly number[];
  /** Bytes of one value; of a header that lies another one. */
  readonly bytes?: number;
  readonly offsets?: readonly unknown[];
}

const sizes: Readonly<Record<string, number>> = { F32: 4, F16: 2, BF16: 2, I64: 8, F8_E4M3: 1 };

/** A file with this header, whatever it says. @param claimed length of the header, where it lies */
export function headed(header: string, dataBytes: number, claimed?: bigint): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(claimed ?? BigInt(Buffer.byteLength(header)));
  return Buffer.concat([length, Buffer.from(header), Buffer.alloc(dataBytes)]);
}

/** A safetensors file of zeros. */
export function safetensorsBytes(tensors: Readonly<Record<string, StoredText>>): Buffer {
  let at = 0;
  const entries = Object.entries(tensors).map(([name, { dtype = 'F32', shape, bytes, offsets }]) => {
    const size = shape.reduce((all, one) => all * one, 1) * (bytes ?? sizes[dtype] ?? 4);
    const begin = at;
    at += size;
    return [name, { dtype, shape, data_offsets: offsets ?? [begin, begin + size] }] as const;
  });
  return headed(JSON.stringify({ ...Object.fromEntries(entries), __metadata__: { format: 'pt' } }), at);
}

/** config.json of a small BERT that sorts texts. */
export const bertConfig = {
  architectures: ['BertForSequenceClassification'],
  model_type: 'bert',
  id2label: { 0: 'good', 1: 'bad', 2: 'neither' },
  vocab_size: 50,
  hidden_size: 8,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  intermediate_size: 16,
  max_position_embeddings: 64,
  type_vocab_size: 2,
  pad_token_id: 0,
} as const;

export const bertTensors = {
  'bert.embeddings.word_embeddings.weight': { shape: [50, 8] },
  'classifier.weight': { shape: [3, 8] },
} as const;

interface FolderText {
  /** Overrides of `bertConfig`; null: without the file. */
  readonly config?: Readonly<Record<string, unknown>> | null;
  readonly weights?: Buffer | null;
  readonly files?: Readonly<Record<string, string | Buffer>>;
}

/** A Hugging Face folder in the bench; a BERT for text classification where nothing else is said. */
export async function putHuggingFace(
  { dir }: Pick<ModelBench, 'dir'>,
  text: FolderText = {},
): Promise<string> {
  const folder = join(dir, 'my-bert');
  const { config = {}, weights = safetensorsBytes(bertTensors), files = {} } = text;
  const all = {
    ...(config === null ? {} : { 'config.json': JSON.stringify({ ...bertConfig, ...config }) }),
    ...(weights === null ? {} : { 'model.safetensors': weights }),
    'tokenizer.json': '{}',
    ...files,
  };
  for (const [name, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}
