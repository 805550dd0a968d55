import { join } from 'node:path';
import type { PipelineMedia } from '../../contract/run/hugging-face';
import { isTree, type Tree } from '../../contract/trees';
import { shortValue } from '../../platform/lines';
import { folderRefused } from '../model-files';
import type { HuggingFaceFacts } from './read-folder';
import { numbersOf } from './sizes';

/** Height and width that all images come to; null: they keep their shape. */
export type ImageSides = readonly [height: number, width: number] | null;

const asTensors = 'Serve it as tensors: leave --serve out.';

type Check = (value: unknown) => boolean;

const isAny: Check = () => true;
const isFlag: Check = (value) => typeof value === 'boolean';
const isText: Check = (value) => typeof value === 'string';
const isPositive: Check = (value) => typeof value === 'number' && Number.isFinite(value) && value > 0;
const isSide: Check = (value) =>
  Number.isInteger(value) && (value as number) > 0 && (value as number) <= 8192;
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isOneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const isRate: Check = (value) => Number.isInteger(value) && isPositive(value) && (value as number) <= 384_000;
/** One number, or one per color. */
const isColor =
  (of: Check): Check =>
  (value) =>
    of(value) || (Array.isArray(value) && value.length === 3 && value.every(of));
/** A side, both sides, or the shorter one with or without the longer one. */
const isSize: Check = (value) => {
  if (!isTree(value)) return isSide(value);
  const names = Object.keys(value).filter((name) => value[name] !== null);
  const forms = ['height,width', 'shortest_edge', 'longest_edge,shortest_edge'];
  return forms.includes(names.sort().join(',')) && names.every((name) => isSide(value[name]));
};
const isProcessor =
  (...names: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' &&
    names.includes(value.replace(/(ImageProcessor(Fast|Pil)?|FeatureExtractor)$/, ''));

/** Beside the numbers: they concern annotations, several images at once, or how the processor is written to a file. */
const unusedByOne: Readonly<Record<string, Check>> = {
  ...{ do_convert_rgb: isFlag, do_pad: isFlag, pad_and_return_pixel_mask: isFlag, default_to_square: isFlag },
  ...{ format: isText, do_convert_annotations: isFlag, return_segmentation_masks: isFlag },
  ...{ do_reduce_labels: isFlag, reduce_labels: isFlag, disable_grouping: isFlag },
  ...{ processor_class: isText, _processor_class: isText, _valid_processor_keys: isAny, use_fast: isFlag },
  data_format: isOneOf('channels_first'),
};

const imageFields = (classes: Check): Readonly<Record<string, Check>> => ({
  ...unusedByOne,
  image_processor_type: classes,
  feature_extractor_type: classes,
  do_resize: isOneOf(true),
  size: isSize,
  max_size: isSide,
  resample: isOneOf(0, 1, 2, 3, 4, 5),
  do_center_crop: isFlag,
  crop_size: isSize,
  crop_pct: isPositive,
  do_rescale: isFlag,
  rescale_factor: isPositive,
  do_normalize: isFlag,
  image_mean: isColor(isNumber),
  image_std: isColor(isPositive),
});

const audioFields: Readonly<Record<string, Check>> = {
  feature_extractor_type: isProcessor('Wav2Vec2'),
  processor_class: isText,
  feature_size: isOneOf(1),
  sampling_rate: isRate,
  padding_value: isOneOf(0),
  padding_side: isText,
  return_attention_mask: isFlag,
  do_normalize: isFlag,
};

/** Transformers itself follows the others. Noise that differs each time would give another text each time. */
const speechFields: Readonly<Record<string, Check>> = {
  feature_extractor_type: isProcessor('Whisper'),
  ...{ feature_size: isSide, chunk_length: isSide, hop_length: isSide, n_fft: isSide },
  sampling_rate: isRate,
  dither: isOneOf(0),
};

const classesOf = (task: string): Check =>
  task === 'object-detection' ? isProcessor('Detr', 'Yolos') : isProcessor('ViT', 'ConvNext', 'Segformer');

/** The processor, and the file that it is in: a processor of several parts holds it below its name. */
function fieldsOf(processor: Tree): readonly [file: string, fields: Tree] {
  for (const part of ['image_processor', 'feature_extractor']) {
    const fields = processor[part];
    if (isTree(fields)) return ['processor_config.json', fields];
  }
  return ['preprocessor_config.json', processor];
}

const sidesOf = (value: unknown): ImageSides => {
  if (typeof value === 'number') return [value, value];
  const { height, width } = isTree(value) ? value : {};
  return typeof height === 'number' && typeof width === 'number' ? [height, width] : null;
};

/** By the class, where the folder names none by that of the architecture. */
function processedSides({ modelType }: HuggingFaceFacts, fields: Tree): ImageSides {
  const { size = null, crop_size: crop, do_center_crop: isCropped } = fields;
  const named = fields['image_processor_type'] ?? fields['feature_extractor_type'];
  const isSquare =
    typeof named === 'string' ? named.startsWith('ConvNext') : /^(convnext|resnet)$/.test(modelType);
  if (isSquare) {
    const edge = isTree(size) ? size['shortest_edge'] : (size ?? 384);
    return sidesOf(isCropped === true ? crop : edge);
  }
  // SegFormer cuts nothing out, whatever the file says.
  if (modelType === 'segformer') return sidesOf(size ?? 512);
  return sidesOf(isCropped === true ? crop : (size ?? 224));
}

const refused = (folder: string, file: string, [name, value]: readonly [string, unknown], why: string) =>
  folderRefused(join(folder, file), `${file} says ${name} is ${shortValue(value)}, ${why}`, asTensors);

interface Processing {
  readonly media: PipelineMedia;
  readonly task: string;
  /** The model takes only the size that config.json says. */
  readonly fixedImage: boolean;
}

/** The processor of the folder, and the file that it is in. Throws model-folder-invalid. */
function processorOf(folder: string, { processor }: HuggingFaceFacts) {
  if (processor !== null) return fieldsOf(processor);
  throw folderRefused(
    join(folder, 'preprocessor_config.json'),
    'The folder has no preprocessor_config.json, which the first step of a pipeline follows',
    `Copy the file of the model into the folder. ${asTensors}`,
  );
}

/** The same, all of whose fields the first step implements. Throws model-folder-invalid. */
function knownProcessor(folder: string, facts: HuggingFaceFacts, { media, task }: Processing) {
  const [file, fields] = processorOf(folder, facts);
  const known = media === 'images' ? imageFields(classesOf(task)) : audioFields;
  const other = Object.entries(fields).find(
    ([name, value]) => value !== null && !(Object.hasOwn(known, name) && known[name]?.(value) === true),
  );
  if (other === undefined) return { file, fields };
  throw refused(folder, file, other, 'which the first step of a pipeline does not implement');
}

/** Of the patches of the network. */
function ownSides({ config: { image_size: own } }: HuggingFaceFacts): ImageSides {
  if (!Array.isArray(own)) return sidesOf(own);
  const [height, width] = own as unknown[];
  return sidesOf({ height, width });
}

/**
 * The size that all images of the folder come to, where its processor is one that the first step implements. Throws
 * model-folder-invalid with the field.
 */
export function planProcessor(folder: string, facts: HuggingFaceFacts, processing: Processing): ImageSides {
  const { file, fields } = knownProcessor(folder, facts, processing);
  if (processing.media === 'audio') return null;
  const { num_channels: channels = 3 } = facts.config;
  if (channels !== 3) {
    throw refused(folder, 'config.json', ['num_channels', channels], 'and an image has three colors');
  }
  if (processing.task === 'object-detection') return null;
  const sides = processedSides(facts, fields);
  const size = ['size', fields['size']] as const;
  if (sides === null) {
    throw refused(folder, file, size, 'which gives images of several sizes, and the model takes one');
  }
  const own = processing.fixedImage ? ownSides(facts) : null;
  if (own === null || own.join() === sides.join()) return sides;
  throw refused(folder, file, size, `and the model takes ${own.join(' × ')} pixels by config.json`);
}

/**
 * Seconds of the longest recording that a speech model takes, where its processor makes the spectrogram of the model. Throws
 * model-folder-invalid with the field.
 */
export function planSpeech(folder: string, facts: HuggingFaceFacts): number {
  const [file, given] = processorOf(folder, facts);
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const other = Object.entries(speechFields).find(
    ([name, isRight]) => Object.hasOwn(fields, name) && !isRight(fields[name]),
  );
  if (other !== undefined) {
    throw refused(folder, file, [other[0], fields[other[0]]], 'which the pipeline does not implement');
  }
  const number = (name: string, usual: number) => (fields[name] as number | undefined) ?? usual;
  const numbers = numbersOf(folder, facts);
  const [bins, wanted] = [number('feature_size', 80), numbers.size('num_mel_bins') ?? 80];
  if (bins !== wanted) {
    const why = `and the model takes ${wanted} mel bins by config.json`;
    throw refused(folder, file, ['feature_size', bins], why);
  }
  const seconds = number('chunk_length', 30);
  const frames = Math.floor((seconds * number('sampling_rate', 16_000)) / number('hop_length', 160));
  // Two of them are one position of the encoder.
  const most = 2 * (numbers.size('max_source_positions') ?? 1500);
  if (frames === most) return seconds;
  const why = `which gives ${frames} frames, and the model takes ${most} by config.json`;
  throw refused(folder, file, ['chunk_length', seconds], why);
}
