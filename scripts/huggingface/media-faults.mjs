import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folders whose pipelines take images or audio. */
export const mediaPipelines = [
  ...['vit', 'convnext', 'resnet', 'detr', 'yolos', 'segformer'],
  ...['wav2vec2-sounds', 'wav2vec2-ctc'],
];

/** One of each task. */
export const faultyMedia = ['convnext', 'detr', 'segformer', 'wav2vec2-sounds', 'wav2vec2-ctc'];

export const inText = (from, to) => (text) => {
  if (!text.includes(from)) throw new Error(`The step has no ${from}`);
  return text.replace(from, to);
};
export const inJson = (change) => (text) => {
  const value = JSON.parse(text);
  change(value);
  return JSON.stringify(value);
};

/** What people ship by mistake: step, its file, and what becomes of it. A pipeline without the step has not the fault. */
const faults = {
  'mean and deviation exchanged': [
    'images',
    'processor.json',
    inJson((processor) => {
      [processor.image_mean, processor.image_std] = [processor.image_std, processor.image_mean];
    }),
  ],
  'colors in reverse order': [
    'images',
    'model.py',
    inText('pixels.transpose(2, 0, 1)', 'pixels.transpose(2, 0, 1)[::-1]'),
  ],
  'another filter of resizing': [
    'images',
    'processor.json',
    inJson((processor) => {
      processor.resample = processor.resample === 2 ? 3 : 2;
    }),
  ],
  'height and width exchanged': ['boxes', 'model.py', inText('[1, 0, 1, 0]', '[0, 1, 0, 1]')],
  'every second sample left out': [
    'audio',
    'model.py',
    inText('    return sound\n', '    return sound[::2]\n'),
  ],
  'only the left channel': ['audio', 'wav.py', inText('.mean(axis=1)', '[:, 0]')],
  'map at another size': ['classes', 'model.py', inText('+ np.float32(0.5)', '+ np.float32(1.5)')],
  'labels shifted by one': ['labels', 'labels.json', inJson(({ labels }) => labels.push(labels.shift()))],
  'labels of boxes shifted by one': [
    'boxes',
    'labels.json',
    inJson(({ labels }) => labels.push(labels.shift())),
  ],
  'letters shifted by one': [
    'transcript',
    'vocabulary.json',
    inJson(({ tokens }) => tokens.push(tokens.shift())),
  ],
  'frames of one letter not taken together': [
    'transcript',
    'model.py',
    inText(
      'token for token, _ in groupby(tokens[one] for one in ids)',
      'token for token in (tokens[one] for one in ids)',
    ),
  ],
};

/** By name, as functions that change the steps below `models`. */
export function mediaFaultsOf(models, name) {
  const found = Object.entries(faults).flatMap(([fault, [step, file, change]]) => {
    const path = join(`${name}-${step}`, '1', file);
    const plant = (copy) => writeFileSync(join(copy, path), change(readFileSync(join(copy, path), 'utf8')));
    return existsSync(join(models, path)) ? [[fault, plant]] : [];
  });
  return Object.fromEntries(found);
}
