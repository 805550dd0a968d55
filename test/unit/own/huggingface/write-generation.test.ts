import { expect, it } from 'vitest';
import { labelNotes } from '../../../../main/own/huggingface/write-generation';

it('says what of a labeled data set is used', () => {
  expect(labelNotes({ labeled: 0, leftOut: 0 }, 'text')).toEqual([]);
  expect(labelNotes({ labeled: 1, leftOut: 0 }, 'text')).toEqual([
    'Labeled: 1 text; the result has the metrics of transformers and Triton.',
  ]);
  expect(labelNotes({ labeled: 256, leftOut: 1744 }, 'text')).toEqual([
    'Labeled: 256 texts; the result has the metrics of transformers and Triton.',
    'Left out, as at most 256 are used: 1,744 texts.',
  ]);
});
