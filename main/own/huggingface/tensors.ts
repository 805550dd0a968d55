import { formatCount } from '../../contract/numbers';
import type { ModelSource } from '../../contract/run/run-spec';
import type { Architecture, OutputKind } from './architectures';
import type { HuggingFaceFacts } from './read-folder';
import { decoderLength, imageSize, numbersOf, soundSamples, type TokenSizes, tokenSizes } from './sizes';

type Input = ModelSource['inputs'][number];
type Output = ModelSource['outputs'][number];

/** A convolution of half its kernel as padding, as the first one of SegFormer. */
const convolved = (size: number, kernel: number, stride: number): number =>
  Math.floor((size + 2 * Math.floor(kernel / 2) - kernel) / stride) + 1;

const tokens = (name: string, length: number, rows?: number): Input => ({
  ...{ name, datatype: 'INT64', shape: [-1, -1], sample: [1, length] },
  ...(rows === undefined ? {} : { tableRows: rows }),
});

export interface ModelTensors {
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  /** Of texts. */
  readonly lengths: TokenSizes | null;
  /** Where the size of images is from, of images. */
  readonly sizeFrom: string | null;
}

/** Shapes that a person chose, by input. */
export type ChosenShapes = Readonly<Record<string, readonly number[]>>;

interface Reading {
  readonly folder: string;
  readonly facts: HuggingFaceFacts;
  readonly architecture: Architecture;
  readonly given: ChosenShapes;
}

/** A configuration that lacks a size is of another library's version; the exported file then says it. */
const known = (size: number | null): number => size ?? -1;

function textInputs(reading: Reading, { usual }: TokenSizes): readonly Input[] {
  const { facts, architecture, folder } = reading;
  const numbers = numbersOf(folder, facts);
  const vocabulary = numbers.size('vocab_size') ?? undefined;
  const inputs = [tokens('input_ids', usual, vocabulary), tokens('attention_mask', usual)];
  const { type_vocab_size: segments = 2 } = facts.config;
  if (architecture.segments === true && typeof segments === 'number' && segments > 0) {
    return [...inputs, tokens('token_type_ids', usual, segments)];
  }
  if (architecture.input !== 'text-to-text') return inputs;
  return [...inputs, tokens('decoder_input_ids', decoderLength(numbers), vocabulary)];
}

function imageTensors({ folder, facts, architecture, given }: Reading) {
  const channels = numbersOf(folder, facts).size('num_channels') ?? 3;
  const { height, width, from } = imageSize(folder, facts, architecture, given['pixel_values'] ?? null);
  const shape = [-1, channels, height, width];
  const input: Input = { name: 'pixel_values', datatype: 'FP32', shape, sample: [1, ...shape.slice(1)] };
  return { inputs: [input], height, width, from };
}

function audioInputs({ facts, given }: Reading): readonly Input[] {
  const length = given['input_values']?.[1] ?? soundSamples(facts);
  return [{ name: 'input_values', datatype: 'FP32', shape: [-1, -1], sample: [1, length] }];
}

/** Two steps of the spectrogram are one position of the encoder. */
function speechInputs({ folder, facts }: Reading): readonly Input[] {
  const numbers = numbersOf(folder, facts);
  const shape = [-1, numbers.size('num_mel_bins') ?? 80, 2 * (numbers.size('max_source_positions') ?? 1500)];
  return [
    { name: 'input_features', datatype: 'FP32', shape, sample: [1, ...shape.slice(1)] },
    tokens('decoder_input_ids', decoderLength(numbers), numbers.size('vocab_size') ?? undefined),
  ];
}

const float = (name: string, ...shape: readonly number[]): Output => ({
  ...{ name, datatype: 'FP32' },
  shape: [-1, ...shape],
});

/** Height and width of the map of a segmentation: a quarter of the image's. */
function mapSize({ facts }: Reading, side: number): number {
  const first = (name: string, usual: number) => {
    const value = facts.config[name];
    const size: unknown = Array.isArray(value) ? value[0] : null;
    return typeof size === 'number' && size > 0 ? size : usual;
  };
  return convolved(side, first('patch_sizes', 7), first('strides', 4));
}

type OutputsOf = (reading: Reading, image: ImageSides | null) => readonly Output[];

interface ImageSides {
  readonly height: number;
  readonly width: number;
}

const hiddenSize = ({ folder, facts }: Reading): number =>
  known(numbersOf(folder, facts).size('hidden_size', 'dim', 'd_model', 'n_embd'));

const vocabularyLogits: OutputsOf = ({ folder, facts }) => [
  float('logits', -1, known(numbersOf(folder, facts).size('vocab_size'))),
];

const outputs: Readonly<Record<OutputKind, OutputsOf>> = {
  labels: ({ facts }) => [float('logits', facts.labels)],
  'token-labels': ({ facts }) => [float('logits', -1, facts.labels)],
  'token-vocabulary': vocabularyLogits,
  'decoder-vocabulary': vocabularyLogits,
  'frame-vocabulary': vocabularyLogits,
  span: () => [float('start_logits', -1), float('end_logits', -1)],
  'token-features': (reading) => [float('last_hidden_state', -1, hiddenSize(reading))],
  boxes: ({ folder, facts }) => {
    const boxes = numbersOf(folder, facts).size('num_queries', 'num_detection_tokens') ?? 100;
    // Behind the labels comes "nothing".
    return [float('logits', boxes, facts.labels + 1), float('pred_boxes', boxes, 4)];
  },
  'pixel-labels': (reading, image) => {
    const [height, width] = [image?.height ?? 1, image?.width ?? 1].map((side) => mapSize(reading, side));
    return [float('logits', reading.facts.labels, height ?? 1, width ?? 1)];
  },
};

const outputsOf: OutputsOf = (reading, image) =>
  reading.facts.sentence === null
    ? outputs[reading.architecture.head.output](reading, image)
    : [float('sentence_embedding', reading.facts.sentence.dense.at(-1)?.size ?? hiddenSize(reading))];

/** A gigabyte of floats: a configuration that asks for more in one request lies. */
const mostValues = 268_435_456;

/** Throws model-folder-invalid for an input that no request could hold. */
function requireSendable({ folder, facts }: Reading, inputs: readonly Input[]): void {
  for (const { name, sample } of inputs) {
    const values = sample.reduce((all, size) => all * size, 1);
    if (values <= mostValues) continue;
    throw numbersOf(folder, facts).refused(
      `A sample of ${name} would have the shape [${sample.join(', ')}], which is more than ${formatCount(mostValues)} values`,
      'Correct the sizes of config.json and of the processor, or set smaller ones with --shape.',
    );
  }
}

/** Inputs and outputs with their axes, and samples of the sizes that the folder says. Throws model-folder-invalid. */
export function modelTensors(
  folder: string,
  facts: HuggingFaceFacts,
  architecture: Architecture,
  given: ChosenShapes,
): ModelTensors {
  const reading: Reading = { folder, facts, architecture, given };
  const tensors = tensorsOf(reading);
  requireSendable(reading, tensors.inputs);
  return tensors;
}

function tensorsOf(reading: Reading): ModelTensors {
  const { folder, facts, architecture, given } = reading;
  switch (architecture.input) {
    case 'image': {
      const image = imageTensors(reading);
      return {
        inputs: image.inputs,
        outputs: outputsOf(reading, image),
        lengths: null,
        sizeFrom: image.from,
      };
    }
    case 'audio':
      return {
        inputs: audioInputs(reading),
        outputs: outputsOf(reading, null),
        lengths: null,
        sizeFrom: null,
      };
    case 'speech-to-text':
      return {
        inputs: speechInputs(reading),
        outputs: outputsOf(reading, null),
        lengths: null,
        sizeFrom: null,
      };
    case 'text':
    case 'decoder':
    case 'text-to-text': {
      const lengths = tokenSizes(folder, facts, architecture, given['input_ids']?.[1] ?? null);
      return {
        inputs: textInputs(reading, lengths),
        outputs: outputsOf(reading, null),
        lengths,
        sizeFrom: null,
      };
    }
  }
}
