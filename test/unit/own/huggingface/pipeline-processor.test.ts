import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planProcessor, planSpeech } from '../../../../main/own/huggingface/pipeline-processor';
import { readHuggingFace } from '../../../../main/own/huggingface/read-folder';
import { putHuggingFace, safetensorsBytes } from '../../../support/huggingface-folder';
import { useModelBench } from '../../../support/model-bench';
import { rejection } from '../../../support/rejection';

const bench = useModelBench();

const vit = { model_type: 'vit', architectures: ['ViTForImageClassification'], image_size: 32 };
const resnet = { model_type: 'resnet', architectures: ['ResNetForImageClassification'] };
const segformer = { model_type: 'segformer', architectures: ['SegformerForSemanticSegmentation'] };
const square = { size: { height: 32, width: 32 } };

interface Given {
  readonly config?: object;
  readonly processor?: object | null;
  readonly file?: string;
  readonly media?: 'images' | 'audio';
  readonly task?: string;
}

async function planned({ config = vit, processor = square, file, media = 'images', task }: Given) {
  const weights = safetensorsBytes({ 'some.weight': { shape: [2] } });
  const name = file ?? 'preprocessor_config.json';
  const files = processor === null ? {} : { [name]: JSON.stringify(processor) };
  const path = await putHuggingFace(bench(), { config: { ...config }, weights, files });
  const processing = { media, task: task ?? 'image-classification', fixedImage: config === vit };
  return { path, sides: planProcessor(path, await readHuggingFace(path), processing) };
}

const refusal = async (given: Given) => {
  const error = await rejection(planned(given));
  expect(error).toMatchObject({ code: 'model-folder-invalid' });
  expect(error.remedy).toContain('leave --serve out');
  return error;
};

describe('the size of images', () => {
  it.each([
    ['both sides', vit, square, [32, 32]],
    ['a number', vit, { size: 32, image_processor_type: 'ViTFeatureExtractor' }, [32, 32]],
    ['the middle', vit, { size: { shortest_edge: 40 }, do_center_crop: true, crop_size: 32 }, [32, 32]],
    ['the square of ConvNeXT', resnet, { size: { shortest_edge: 64 }, crop_size: 48 }, [64, 64]],
    ['the square, named', resnet, { size: 64, image_processor_type: 'ConvNextImageProcessorFast' }, [64, 64]],
    ['the whole of SegFormer', segformer, { size: 64, do_center_crop: true, crop_size: 48 }, [64, 64]],
    ['the usual one of the class', resnet, { feature_extractor_type: 'ViTFeatureExtractor' }, [224, 224]],
  ] as const)('is %s', async (_what, config, processor, sides) => {
    expect((await planned({ config, processor })).sides).toEqual(sides);
  });

  it('varies for the detection of objects', async () => {
    const config = { model_type: 'detr', architectures: ['DetrForObjectDetection'] };
    const processor = { size: 800, max_size: 1333, format: 'coco_detection', do_pad: true, masks_path: null };
    expect((await planned({ config, processor, task: 'object-detection' })).sides).toBeNull();
  });

  it('is refused where it varies or is another one than the model takes', async () => {
    const varying = await refusal({ processor: { size: { shortest_edge: 32 } } });
    expect(varying.message).toBe(
      'preprocessor_config.json says size is an object, which gives images of several sizes, and the model takes one',
    );
    const other = await refusal({ processor: { size: 64 } });
    expect(other.message).toBe(
      'preprocessor_config.json says size is 64, and the model takes 32 × 32 pixels by config.json',
    );
  });
});

describe('a processor', () => {
  it.each([
    ['do_resize', false, 'false'],
    ['resample', 9, '9'],
    ['size', { max_height: 3, max_width: 3 }, 'an object'],
    ['image_mean', [0.5, 0.5], '[0.5,0.5]'],
    ['image_std', [0.5, 0, 0.5], '[0.5,0,0.5]'],
    ['pad_size', { height: 4, width: 4 }, 'an object'],
    ['do_flip_channel_order', true, 'true'],
    ['image_processor_type', 'CLIPImageProcessor', '"CLIPImageProcessor"'],
    ['constructor', 1, '1'],
  ])('with %s that the step does not implement is refused by the field', async (name, value, shown) => {
    const { message, where } = await refusal({ processor: { ...square, [name]: value } });
    expect(message).toBe(
      `preprocessor_config.json says ${name} is ${shown}, which the first step of a pipeline does not implement`,
    );
    expect(where).toBe(join(bench().dir, 'my-bert', 'preprocessor_config.json'));
  });

  it('is needed', async () => {
    const { message } = await refusal({ processor: null });
    expect(message).toContain('The folder has no preprocessor_config.json');
  });

  it('of images has three colors', async () => {
    const { message } = await refusal({ config: { ...vit, num_channels: 1 } });
    expect(message).toBe('config.json says num_channels is 1, and an image has three colors');
  });

  const config = { model_type: 'wav2vec2', architectures: ['Wav2Vec2ForCTC'] };
  const audio = { config, media: 'audio', task: 'automatic-speech-recognition' } as const;
  const extractor = { feature_extractor_type: 'Wav2Vec2FeatureExtractor', sampling_rate: 16_000 };

  it('of audio is that of wav2vec 2.0', async () => {
    expect((await planned({ ...audio, processor: extractor })).sides).toBeNull();
    const { message } = await refusal({ ...audio, processor: { ...extractor, feature_size: 80 } });
    expect(message).toContain('says feature_size is 80');
  });

  it('may be a part of one file with the tokenizer', async () => {
    const file = 'processor_config.json';
    const processor = { processor_class: 'Wav2Vec2Processor', feature_extractor: extractor };
    expect((await planned({ ...audio, file, processor })).sides).toBeNull();
    const loud = { ...processor, feature_extractor: { ...extractor, padding_value: 1 } };
    const { message } = await refusal({ ...audio, file, processor: loud });
    expect(message).toBe(
      'processor_config.json says padding_value is 1, which the first step of a pipeline does not implement',
    );
  });
});

describe('a processor of speech', () => {
  const whisper = { model_type: 'whisper', architectures: ['WhisperForConditionalGeneration'] };
  const seconds = async (processor: object | null, config: object = {}, file?: string) => {
    const weights = safetensorsBytes({ 'some.weight': { shape: [2] } });
    const name = file ?? 'preprocessor_config.json';
    const files = processor === null ? {} : { [name]: JSON.stringify(processor) };
    const path = await putHuggingFace(bench(), { config: { ...whisper, ...config }, weights, files });
    return planSpeech(path, await readHuggingFace(path));
  };

  it('says how long a recording may be', async () => {
    const whole = {
      feature_extractor_type: 'WhisperFeatureExtractor',
      n_samples: 480_000,
      mel_filters: [[0]],
    };
    expect(await seconds({ ...whole, chunk_length: null })).toBe(30);
    const small = { feature_size: 16, chunk_length: 2, hop_length: 320, sampling_rate: 16_000 };
    const sizes = { num_mel_bins: 16, max_source_positions: 50 };
    expect(await seconds(small, sizes)).toBe(2);
    const whisperProcessor = { processor_class: 'WhisperProcessor', feature_extractor: small };
    expect(await seconds(whisperProcessor, sizes, 'processor_config.json')).toBe(2);
  });

  it.each([
    [
      { feature_extractor_type: 'Wav2Vec2FeatureExtractor' },
      'feature_extractor_type is "Wav2Vec2FeatureExtractor", which the pipeline does not implement',
    ],
    [{ dither: 0.1 }, 'dither is 0.1, which the pipeline does not implement'],
    [{ hop_length: 0 }, 'hop_length is 0, which the pipeline does not implement'],
    [{ feature_size: 128 }, 'feature_size is 128, and the model takes 80 mel bins by config.json'],
    [
      { hop_length: 320 },
      'chunk_length is 30, which gives 1500 frames, and the model takes 3000 by config.json',
    ],
  ])('is refused with %j', async (processor, message) => {
    const error = await rejection(seconds(processor));
    expect(error).toMatchObject({
      ...{ code: 'model-folder-invalid', message: `preprocessor_config.json says ${message}` },
      remedy: 'Serve it as tensors: leave --serve out.',
    });
  });

  it('is needed', async () => {
    expect((await rejection(seconds(null))).message).toContain('The folder has no preprocessor_config.json');
  });
});
