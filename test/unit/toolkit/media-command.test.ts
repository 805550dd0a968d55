import { expect, it } from 'vitest';
import type { ModelSource } from '../../../main/contract/run/run-spec';
import { mediaCommand } from '../../../main/toolkit/media-command';
import { toolkitWords } from '../../../main/toolkit/toolkit';

const source = { path: '/folder', huggingFace: { autoClass: 'AutoModel' } } as unknown as ModelSource;
const pipeline = { source, task: 'task', name: 'p', mostSamples: 4, place: '/place' };

it('names each of its values', () => {
  const steps = { first: 'p-reader', last: 'p-labels' };
  const words = toolkitWords(mediaCommand({ ...pipeline, steps, samples: '/own' }));
  expect(words.slice(words.indexOf('write-media-pipeline'))).toEqual([
    'write-media-pipeline',
    ...['--folder', '/folder', '--auto-class', 'AutoModel', '--task', 'task', '--name', 'p'],
    ...['--first', 'p-reader', '--last', 'p-labels', '--most-samples', '4'],
    ...['--samples', '/own', '--output', '/place'],
  ]);
});

it('has no steps where one model does all of it, and no folder where samples are made', () => {
  const flags = mediaCommand(pipeline).args.map(([flag]) => flag);
  expect(flags).toEqual([...['--folder', '--auto-class', '--task', '--name', '--most-samples', '--output']]);
});
