import { createHash } from 'node:crypto';
import { mkdir, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { modelRecordSchema } from '../../../../main/contract/own/model-record';
import { readModelRecord } from '../../../../main/own/huggingface/model-record';
import { readHuggingFace } from '../../../../main/own/huggingface/read-folder';
import { bertTensors, putHuggingFace, safetensorsBytes } from '../../../support/huggingface-folder';
import { useModelBench } from '../../../support/model-bench';

const bench = useModelBench();
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
const readme = '---\nlicense: mit\ntags: [a]\n---\n';
const commit = '0123456789abcdef0123456789abcdef01234567';

async function recordOf(folder: string) {
  return readModelRecord(folder, await readHuggingFace(folder));
}

it('a folder has the hashes of its weights and tokenizer, and what its card states', async () => {
  const weights = safetensorsBytes(bertTensors);
  const files = { 'README.md': readme, 'vocab.txt': 'a\nb\n', 'pytorch_model.bin': 'x' };
  const record = await recordOf(await putHuggingFace(bench(), { weights, files }));
  expect(record).toEqual({
    hub: null,
    weights: [{ path: 'model.safetensors', bytes: weights.length, sha256: sha256(weights) }],
    weightsSha256: sha256(weights),
    tokenizer: [
      { path: 'tokenizer.json', bytes: 2, sha256: sha256('{}') },
      { path: 'vocab.txt', bytes: 4, sha256: sha256('a\nb\n') },
    ],
    card: { license: 'mit', tags: ['a'], pipelineTag: null, baseModels: [] },
  });
  expect(modelRecordSchema.parse(record)).toEqual(record);
});

it('weights in parts have one hash, as sha256sum makes it of their sums', async () => {
  const part = (name: keyof typeof bertTensors) => safetensorsBytes({ [name]: bertTensors[name] });
  const parts = {
    'model-00002-of-00002.safetensors': part('classifier.weight'),
    'model-00001-of-00002.safetensors': part('bert.embeddings.word_embeddings.weight'),
  };
  const map = {
    'classifier.weight': 'model-00002-of-00002.safetensors',
    'bert.embeddings.word_embeddings.weight': 'model-00001-of-00002.safetensors',
  };
  const index = { 'model.safetensors.index.json': JSON.stringify({ weight_map: map }) };
  const folder = await putHuggingFace(bench(), { weights: null, files: { ...parts, ...index } });
  const record = await recordOf(folder);
  const sums = Object.entries(parts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, content]) => `${sha256(content)}  ${name}\n`);
  expect(record.weightsSha256).toBe(sha256(sums.join('')));
  expect(record.weights.map(({ path }) => path)).toEqual(Object.keys(parts).sort());
  expect(record.card).toBeNull();
});

it('a folder of the cache of the hub has its name and commit, inner folders with it', async () => {
  const modules = [
    { path: '', type: 'sentence_transformers.models.Transformer' },
    { path: '1_Pooling', type: 'sentence_transformers.models.Pooling' },
  ];
  const folder = await putHuggingFace(bench(), { files: { 'modules.json': JSON.stringify(modules) } });
  const hub = join(bench().dir, 'models--acme--my-bert');
  const [blobs, snapshot] = [join(hub, 'blobs'), join(hub, 'snapshots', commit)];
  await mkdir(join(snapshot, '1_Pooling'), { recursive: true });
  await rename(folder, blobs);
  await bench().put('models--acme--my-bert/blobs/pooling', '{"pooling_mode":"cls"}');
  for (const name of ['config.json', 'model.safetensors', 'tokenizer.json', 'modules.json']) {
    await symlink(join('..', '..', 'blobs', name), join(snapshot, name));
  }
  await symlink(join('..', '..', '..', 'blobs', 'pooling'), join(snapshot, '1_Pooling', 'config.json'));
  expect((await readHuggingFace(snapshot)).sentence?.pooling).toBe('cls');
  expect((await recordOf(snapshot)).hub).toEqual({ id: 'acme/my-bert', revision: commit });
});
