import { isTree } from '../../contract/trees';
import { smallestOf } from '../../domain/statistics';
import type { Architecture } from './architectures';
import { ConfigNumbers } from './config-numbers';
import type { HuggingFaceFacts } from './read-folder';

/** Tokens of a sample that is measured: texts of callers are mostly shorter than the longest that the model takes. */
const usualTokens = 128;
/** Tokens of the longest sample of the accuracy check. */
const mostTokens = 512;
/** Values that the outputs of one sample may have, where each token has one per word of the vocabulary. */
const mostValues = 4_194_304;
/** Tokens that a decoder of text or speech is given. */
const decoderTokens = 16;
const samplesPerSecond = 16_000;

export const numbersOf = (folder: string, { config }: HuggingFaceFacts): ConfigNumbers =>
  new ConfigNumbers(folder, 'config.json', config);

export interface TokenSizes {
  /** That the model takes; null where it has no limit. */
  readonly most: number | null;
  /** Of the longest sample that is compared. */
  readonly longest: number;
  /** Of a sample that is measured. */
  readonly usual: number;
}

const smallest = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : smallestOf(known);
};

/** Positions that the weights have. */
function positions(numbers: ConfigNumbers, { reservedPositions, endless }: Architecture): number | null {
  if (endless === true) return null;
  const rows = numbers.size('max_position_embeddings', 'n_positions', 'n_ctx', 'max_seq_len');
  if (rows === null || reservedPositions === undefined) return rows;
  const { pad_token_id: padding } = numbers.tree;
  return Math.max(1, rows - (typeof padding === 'number' && padding >= 0 ? padding : 1) - 1);
}

/** Lengths of texts. @param given by the person, for the samples */
export function tokenSizes(
  folder: string,
  facts: HuggingFaceFacts,
  architecture: Architecture,
  given: number | null,
): TokenSizes {
  const numbers = numbersOf(folder, facts);
  const most = smallest([
    positions(numbers, architecture),
    facts.tokenizerLongest,
    facts.sentence?.longest ?? null,
  ]);
  if (given !== null) return { most, longest: given, usual: given };
  const vocabulary = architecture.head.output === 'token-vocabulary' ? (numbers.size('vocab_size') ?? 1) : 1;
  const longest = Math.max(2, Math.min(most ?? mostTokens, mostTokens, Math.floor(mostValues / vocabulary)));
  return { most, longest, usual: Math.min(usualTokens, longest) };
}

export const decoderLength = (numbers: ConfigNumbers): number =>
  Math.min(decoderTokens, numbers.size('max_target_positions') ?? decoderTokens);

/** Height and width of the entry of a processor: a number, both sides, or the shorter and the longer one. */
function processedSide(value: unknown): readonly [number, number] | null {
  const isSide = (side: unknown): side is number => Number.isInteger(side) && (side as number) > 0;
  if (isSide(value)) return [value, value];
  if (!isTree(value)) return null;
  const { height, width, shortest_edge: shortest, longest_edge: longest } = value;
  if (isSide(height) && isSide(width)) return [height, width];
  if (!isSide(shortest)) return null;
  // A photograph is a third wider than high.
  const wide = Math.round((shortest * 4) / 3);
  return isSide(longest) && longest > shortest ? [shortest, Math.min(longest, wide)] : [shortest, shortest];
}

function ownSide(numbers: ConfigNumbers): readonly [number, number] | null {
  const { image_size: size } = numbers.tree;
  if (!Array.isArray(size)) {
    const side = numbers.size('image_size');
    return side === null ? null : [side, side];
  }
  const [height, width] = size as unknown[];
  return processedSide({ height, width });
}

const usualSide = 224;
const mostSide = 4096;

export interface ImageSize {
  readonly height: number;
  readonly width: number;
  readonly from: string;
}

/** Size of images: that of the network's patches, of the processor, or the usual one. Throws model-folder-invalid. */
export function imageSize(
  folder: string,
  facts: HuggingFaceFacts,
  { fixedImage }: Architecture,
  given: readonly number[] | null,
): ImageSize {
  const numbers = numbersOf(folder, facts);
  const own = ownSide(numbers);
  const processed = processedSide(facts.processor?.['crop_size']) ?? processedSide(facts.processor?.['size']);
  const typed = given === null ? null : processedSide({ height: given[2], width: given[3] });
  const found = [
    { size: fixedImage === true ? own : null, from: 'config.json' },
    { size: typed, from: '--shape' },
    { size: processed, from: 'preprocessor_config.json' },
    { size: own, from: 'config.json' },
  ].find(({ size }) => size !== null);
  const [height, width] = found?.size ?? [usualSide, usualSide];
  if (Math.max(height, width) > mostSide) {
    throw numbers.refused(
      `Images of ${height} × ${width} are larger than the ${mostSide} × ${mostSide} that are sent`,
      'Choose a size that the model takes: --shape pixel_values=1,3,512,512.',
    );
  }
  return { height, width, from: found?.from ?? 'the usual size' };
}

/** Samples of one second of sound. */
export function soundSamples({ processor }: HuggingFaceFacts): number {
  const rate = processor?.['sampling_rate'];
  const isRate = Number.isInteger(rate) && (rate as number) >= 1000 && (rate as number) <= 384_000;
  return isRate ? (rate as number) : samplesPerSecond;
}
