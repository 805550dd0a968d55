import { expect, it } from 'vitest';
import { recordSection } from '../../../main/bundle/record-section';
import type { ModelRecord } from '../../../main/contract/own/model-record';

const record: ModelRecord = {
  hub: { id: 'acme/my-bert', revision: 'c'.repeat(40) },
  weights: [{ path: 'model.safetensors', bytes: 8, sha256: 'a'.repeat(64) }],
  weightsSha256: 'a'.repeat(64),
  tokenizer: [],
  card: { license: 'mit', tags: ['a|b', '<img src=x>'], pipelineTag: null, baseModels: [] },
};

it('a bundle names origin, license and hashes of a Hugging Face folder', () => {
  const text = recordSection({ modelRecord: record }).join('\n');
  for (const part of ['## Model', '| Repository | acme/my-bert |', '| License | mit |', 'a'.repeat(64)])
    expect(text).toContain(part);
  expect(text).toContain('missing: the folder has no tokenizer');
  // Text of a card is not markup of the bundle.
  expect(text).not.toMatch(/[^\\]<img|a\|b/);
});

it('a bundle of another model has no such section', () => {
  expect(recordSection({ modelRecord: null })).toEqual([]);
});
