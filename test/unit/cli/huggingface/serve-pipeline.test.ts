import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { folderOption, readPipeline } from '../../../../main/cli/huggingface/serve-pipeline';
import type { RunOptions } from '../../../../main/cli/read-spec';
import type { Core } from '../../../../main/core';
import { rejection } from '../../../support/rejection';

async function read(options: RunOptions) {
  const [asked, noted]: [object[], string[]] = [[], []];
  const handlers = {
    'models.pipeline': ({ onProgress, ...given }: { readonly onProgress: (text: string) => void }) => {
      asked.push(given);
      for (const text of ['Exporting', 'Exporting', 'Written']) onProgress(text);
      return Promise.resolve({
        path: '/p/models/b',
        overrides: { accuracy: { golden: '/p/golden.json' } },
        notes: ['Said.'],
      });
    },
  };
  const core = { handlers } as unknown as Core;
  const shapes = { input_ids: [1, 16] };
  const opened = await readPipeline(core, './b', options, { shapes, note: (line) => noted.push(line) });
  return { opened, asked, noted };
}

it('is written where it is asked for, and brings its reference and its load', async () => {
  const { opened, asked, noted } = await read({ serve: 'pipeline', texts: 'mine.txt', maxBatchSize: '16' });
  expect(asked).toEqual([
    { path: './b', shapes: { input_ids: [1, 16] }, texts: resolve('mine.txt'), maxBatchSize: 16 },
  ]);
  expect(opened).toEqual({
    path: '/p/models/b',
    overrides: { accuracy: { golden: '/p/golden.json' } },
  });
  expect(noted).toEqual(['Writing the pipeline: Exporting', 'Writing the pipeline: Written', 'Said.']);
});

it('is written for vLLM’s backend where that is asked for', async () => {
  expect((await read({ serve: 'vllm' })).asked).toEqual([
    { path: './b', shapes: { input_ids: [1, 16] }, backend: 'vllm' },
  ]);
});

it('is not written for tensors, the default', async () => {
  for (const options of [{}, { serve: 'tensors' }]) {
    expect(await read(options)).toEqual({ opened: null, asked: [], noted: [] });
  }
});

it('refuses another word, and texts without a pipeline', async () => {
  expect(await rejection(read({ serve: 'ensemble' }))).toMatchObject({
    ...{ code: 'input-invalid', where: '--serve' },
    message: '"ensemble" is not one of tensors, pipeline, vllm',
  });
  expect(await rejection(read({ texts: 'mine.txt' }))).toMatchObject({
    ...{ code: 'input-invalid', where: '--texts' },
    remedy: 'For a Hugging Face folder add --serve pipeline; otherwise leave it out.',
  });
});

it('takes a folder of images or recordings, of a pipeline only', async () => {
  const { asked } = await read({ serve: 'pipeline', samples: 'images' });
  expect(asked).toMatchObject([{ path: './b', samples: resolve('images') }]);
  expect(await rejection(read({ samples: 'images' }))).toMatchObject({
    ...{ code: 'input-invalid', where: '--samples', message: '--samples applies only to a pipeline' },
  });
});

it('belongs to a folder', () => {
  const given: readonly RunOptions[] = [{}, { serve: 'tensors' }, { texts: 'a' }];
  expect(given.map(folderOption)).toEqual([null, '--serve', '--texts']);
  expect(folderOption({ samples: 'images' })).toBe('--samples');
});
