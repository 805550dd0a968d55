import { expect, it } from 'vitest';
import { coldSizes, distinctShapes, tellFirst } from '../../../../main/pipeline/measure/cold-start';
import { createTritonClient } from '../../../../main/triton/client';
import type { ModelStatistics } from '../../../../main/triton/statistics';
import { specFixture } from '../../../support/run-state';
import { serverLoadFixture } from '../../../support/server-load';
import { tinyConfig } from '../../../support/tiny-model';

it('asks at the batch sizes of the levels, each once', () => {
  const { performance } = specFixture((spec) => {
    spec.performance.batchSizes = [8, 1];
    spec.performance.onlineBatchSize = 4;
  });
  expect(coldSizes(performance)).toEqual([1, 4, 8]);
});

it('finds the first sample of each combination of shapes', () => {
  const ids = { name: 'ids', datatype: 'INT64', files: ['a', 'b', 'c', 'd'] } as const;
  const shapes = [[16], [32], [16], [64]];
  const fixed = { name: 'scale', datatype: 'FP32', shape: [1], files: ['e'] } as const;
  const tensors = [
    { ...ids, files: [...ids.files], shape: [16], shapes },
    { ...fixed, shape: [1], files: ['e'] },
  ];
  const found = distinctShapes({ source: 'file', tensors });
  expect([...found]).toEqual([
    ['ids [16]', 0],
    ['ids [32]', 1],
    ['ids [64]', 3],
  ]);
  const alike = [{ ...fixed, shape: [1], files: ['e', 'f'] }];
  expect([...distinctShapes({ source: 'file', tensors: alike })]).toEqual([['', 0]]);
});

/** @param asked requests that the model had answered */
function running(asked: number) {
  const sent: (number | undefined)[] = [];
  const counted = { inferenceCount: asked, executionCount: asked } as unknown as ModelStatistics;
  const client = {
    ...createTritonClient('127.0.0.1:1'),
    modelConfig: () => Promise.resolve(tinyConfig),
    modelStatistics: () => Promise.resolve([counted]),
    infer: ({ inputs }: Parameters<ReturnType<typeof createTritonClient>['infer']>[0]) => {
      sent.push(inputs[0]?.shape[0]);
      return Promise.resolve({ outputs: [] } as never);
    },
  };
  return { client, sent };
}

async function told(asked: number, change: Parameters<typeof serverLoadFixture>[0] = {}) {
  const { client, sent } = running(asked);
  const found: unknown[] = [];
  const load = serverLoadFixture(change);
  await tellFirst(client, load, (cold) => void found.push(cold), new AbortController().signal);
  return { sent, cold: found[0] };
}

it('a running server is asked once, at the smallest batch size, where nobody has asked it', async () => {
  const { sent, cold } = await told(0);
  expect(sent).toHaveLength(1);
  expect(cold).toMatchObject({ loads: 'running', loadUs: null, requests: [{ batchSize: sent[0] }] });
});

it('a running server that was asked before keeps its counters, and the reason is told', async () => {
  const { sent, cold } = await told(7);
  expect(sent).toEqual([]);
  expect(cold).toMatchObject({
    requests: [],
    reason: 'Triton was already running, and the model had already served requests',
  });
});
