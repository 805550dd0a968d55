import { expect, it } from 'vitest';
import type { ModelRecord } from '../../../../main/contract/own/model-record';
import { modelRecordRows } from '../../../../main/domain/run/model-record-text';

const file = (path: string, letter: string) => ({ path, bytes: 1024, sha256: letter.repeat(64) });
const record: ModelRecord = {
  hub: { id: 'acme/my-bert', revision: 'c'.repeat(40) },
  weights: [file('model.safetensors', 'a')],
  weightsSha256: 'a'.repeat(64),
  tokenizer: [file('tokenizer.json', 'b'), file('vocab.txt', 'd')],
  card: { license: 'mit', tags: ['x', 'y'], pipelineTag: 'fill-mask', baseModels: ['google-bert/bert'] },
};
const valueOf = (of: ModelRecord, name: string) =>
  modelRecordRows(of).find((row) => row.name === name)?.value;

it('says where a model is from, its license and its hashes', () => {
  expect(modelRecordRows(record).map(({ value }) => value)).toEqual([
    'acme/my-bert',
    'c'.repeat(40),
    'mit',
    'x, y',
    'fill-mask',
    'google-bert/bert',
    `model.safetensors, SHA-256 ${'a'.repeat(64)}, 1.0 KiB`,
    `tokenizer.json, SHA-256 ${'b'.repeat(64)}, and vocab.txt`,
  ]);
  const parts = { ...record, weights: [file('a', 'a'), file('b', 'b')], weightsSha256: 'e'.repeat(64) };
  expect(valueOf(parts, 'Weights')).toBe(`2 files, 2.0 KiB, SHA-256 of their checksums ${'e'.repeat(64)}`);
});

it('shows what is missing as missing', () => {
  const empty = { license: null, tags: [], pipelineTag: null, baseModels: [] };
  const bare: ModelRecord = { ...record, hub: null, tokenizer: [], card: empty };
  for (const name of [
    'Repository',
    'Revision',
    'License',
    'Tags',
    'Task by the card',
    'Base model',
    'Tokenizer',
  ])
    expect(valueOf(bare, name)).toMatch(/^missing/);
  expect(valueOf(bare, 'License')).toBe('missing in the model card');
  expect(valueOf({ ...bare, card: null }, 'License')).toContain('no model card');
  expect(valueOf({ ...bare, card: { ...empty, problem: 'too large' } }, 'License')).toContain('too large');
  expect(modelRecordRows(null)).toEqual([]);
});
