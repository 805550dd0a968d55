import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { DataWork } from '../../../../main/contract/data-source';
import type { OwnSamples } from '../../../../main/contract/run/own-model';
import type { CoreParts } from '../../../../main/core/core-parts';
import { createPipelineCalls } from '../../../../main/core/huggingface/pipeline-calls';
import { createDataCalls } from '../../../../main/data/data-calls';
import { putHuggingFace, safetensorsBytes } from '../../../support/huggingface-folder';
import { useModelBench } from '../../../support/model-bench';
import { pipelineParts } from '../../../support/pipeline-parts';
import { rejection } from '../../../support/rejection';

const bench = useModelBench();

let parts: CoreParts;
let works: DataWork[];
beforeEach(async () => {
  const given = await pipelineParts(bench().dir);
  works = [];
  const data = createDataCalls({
    ...{ root: given.layout.data, presets: () => new Map() },
    toolkit: { call: () => Promise.reject(new Error('not asked')) },
    emit: (event) => {
      if (event.type === 'data-work') works.push(event.work);
    },
  });
  parts = { ...given, data };
});

const folder = () =>
  putHuggingFace(bench(), { weights: safetensorsBytes({ 'some.weight': { shape: [2] } }) });
const asPipeline = async (path: string, own: OwnSamples = {}) =>
  createPipelineCalls(parts)['models.asPipeline']({ path, shapes: {}, ...own });

it('opens the pipeline with its reference and its load, and shows the work', async () => {
  const path = await folder();
  const opened = await asPipeline(path);
  expect(opened).toMatchObject({ kind: 'repository', trusted: true });
  const place = join(opened?.path ?? '', '..', '..');
  expect(opened?.choice?.overrides).toMatchObject({
    accuracy: { golden: join(place, 'golden.json') },
    performance: { inputData: 'file', inputDataFile: join(place, 'load.json') },
  });
  expect(opened?.notes[0]).toContain('is an ensemble of');
  expect(works.at(-1)).toMatchObject({
    ...{ kind: 'pipeline', source: path, title: 'my-bert', status: 'done', path: opened?.path },
  });
  expect(await asPipeline(path)).toEqual(opened);
});

it('is null when the work is cancelled, and throws what the work fails with', async () => {
  const path = await folder();
  await writeFile(join(bench().dir, 'python'), '#!/bin/sh\nexec sleep 60\n');
  const cancelled = asPipeline(path);
  await expect.poll(() => works.at(-1)?.status).toBe('running');
  parts.data.cancel(works.at(-1)?.id ?? '');
  expect(await cancelled).toBeNull();
  const message = JSON.stringify({ type: 'error', code: 'input-invalid', message: 'No padding token' });
  await writeFile(join(bench().dir, 'python'), `#!/bin/sh\necho '${message}'\nexit 1\n`);
  expect(await rejection(asPipeline(path))).toMatchObject({
    code: 'input-invalid',
    message: 'No padding token',
  });
});

it('is another one with texts of one’s own, and refuses samples that do not fit before anything is written', async () => {
  const path = await folder();
  const texts = join(bench().dir, 'reviews.csv');
  await writeFile(texts, 'text,label\nGood,positive\n');
  const [usual, own] = [await asPipeline(path), await asPipeline(path, { texts })];
  expect(own?.kind).toBe('repository');
  expect(own?.path).not.toBe(usual?.path);
  expect(await asPipeline(path, { texts })).toEqual(own);
  const missing = join(bench().dir, 'missing.txt');
  for (const given of [{ texts: missing }, { samples: bench().dir }]) {
    expect(await rejection(asPipeline(path, given))).toMatchObject({ code: 'input-invalid' });
  }
});
