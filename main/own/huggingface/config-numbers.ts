import { join } from 'node:path';
import type { WorkbenchError } from '../../contract/errors';
import { isTree, type Tree } from '../../contract/trees';
import { shortValue } from '../../platform/lines';
import { folderRefused } from '../model-files';

/** Layers, heads and sizes beyond these are of no model, and would take the memory of the machine. */
const mostOf = {
  layers: 1024,
  side: 8192,
  length: 16_777_216,
  rows: 16_777_216,
  width: 1_048_576,
} as const;

/** Every size that makes a model of transformers large, by its names in config.json. */
const bounded: readonly (readonly [RegExp, keyof typeof mostOf])[] = [
  [
    /^(num_hidden_layers|n_layers?|num_layers|num_decoder_layers|encoder_layers|decoder_layers|num_feat_extract_layers)$/,
    'layers',
  ],
  [
    /^(num_attention_heads|num_key_value_heads|n_heads?|num_heads|encoder_attention_heads|decoder_attention_heads)$/,
    'layers',
  ],
  [/^(image_size|patch_sizes?|strides)$/, 'side'],
  [
    /^(max_position_embeddings|n_positions|n_ctx|max_source_positions|max_target_positions|num_queries|num_detection_tokens|type_vocab_size)$/,
    'length',
  ],
  [/^(vocab_size|num_labels)$/, 'rows'],
  [
    /^(hidden_size|intermediate_size|d_model|d_ff|d_kv|dim|hidden_dim|n_embd|n_inner|embedding_size|head_dim|encoder_ffn_dim|decoder_ffn_dim|decoder_hidden_size|num_channels|num_mel_bins)$/,
    'width',
  ],
];

const isSize = (value: unknown, most: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= most;

/** Sizes of a configuration, each within what a model can have. Throws model-folder-invalid. */
export class ConfigNumbers {
  /** @param file of the folder, for errors */
  constructor(
    private readonly folder: string,
    private readonly file: string,
    readonly tree: Tree,
  ) {}

  refused(message: string, remedy: string): WorkbenchError {
    return folderRefused(join(this.folder, this.file), message, remedy);
  }

  /** Every known size, also of parts ("text_config"). */
  check(): void {
    for (const tree of [this.tree, ...Object.values(this.tree).filter(isTree)]) {
      for (const [name, value] of Object.entries(tree)) {
        const kind = bounded.find(([names]) => names.test(name))?.[1];
        if (kind !== undefined && value !== null) this.checkOne(name, value, mostOf[kind]);
      }
    }
  }

  /** The first of the names that the file has, as a size from 1 on; null where it has none. */
  size(...names: readonly string[]): number | null {
    for (const name of names) {
      const value = this.tree[name];
      if (value === undefined || value === null) continue;
      if (!isSize(value, mostOf.rows) || value === 0) throw this.wrong(name, value);
      return value;
    }
    return null;
  }

  /** The last of a list of sizes, such as `hidden_sizes` of the stages. */
  lastSize(name: string): number | null {
    const value = this.tree[name];
    if (!Array.isArray(value)) return null;
    const last: unknown = value.at(-1);
    if (!isSize(last, mostOf.width) || last === 0) throw this.wrong(name, last);
    return last;
  }

  private wrong(name: string, value: unknown): WorkbenchError {
    return this.refused(
      `${this.file} says ${name} is ${shortValue(value)}, which no model has`,
      'Download or copy the file again, or correct the number.',
    );
  }

  /** A number, or a list of them: by stage, or height and width. */
  private checkOne(name: string, value: unknown, most: number): void {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    const wrong = values.find((one) => !isSize(one, most));
    if (wrong !== undefined || values.length > mostOf.layers) throw this.wrong(name, wrong ?? values.length);
  }
}
