import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inJson, inText } from './media-faults.mjs';

/** Folders whose pipeline writes down speech. */
export const speaking = ['whisper'];

/** Of a model that takes one recording per request, one request after the other. */
export const shortSpeech = [
  ...['--profile', 'quick', '--json', '--concurrency', '1'],
  ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=200'],
  ...['--measurement-interval-ms', '1000'],
];

const processor = join('model', 'preprocessor_config.json');

/** What people ship by mistake: file of the model, and what becomes of it. */
const faults = {
  // As many frames as before, of a recording that could be twice as long.
  'another hop of the spectrogram': [
    processor,
    inJson((numbers) => {
      numbers.hop_length *= 2;
      numbers.chunk_length *= 2;
    }),
  ],
  'another window of the spectrogram': [
    processor,
    inJson((numbers) => {
      numbers.n_fft *= 2;
    }),
  ],
  // The natural one in place of that of base 10, behind (x + 4) / 4.
  'another logarithm of the spectrogram': [
    'model.py',
    inText('given["input_features"]', '(((given["input_features"] * 4 - 4) * 2.302585 + 4) / 4)'),
  ],
  'special tokens kept': ['model.py', inText('skip_special_tokens=True', 'skip_special_tokens=False')],
  'the language not followed': ['model.py', inText('if language != "":', 'if False:')],
  'only the left channel': ['wav.py', inText('.mean(axis=1)', '[:, 0]')],
};

/** By name, as functions that change the model below `models`. @param reorderWords changes a tokenizer */
export function speechFaults(reorderWords) {
  const all = {
    ...faults,
    'tokenizer of another revision': [join('model', 'tokenizer.json'), inJson(reorderWords)],
  };
  const planted = Object.entries(all).map(([fault, [file, change]]) => {
    const plant = (models, name) => {
      const path = join(models, name, '1', file);
      writeFileSync(path, change(readFileSync(path, 'utf8')));
    };
    return [fault, plant];
  });
  return Object.fromEntries(planted);
}
