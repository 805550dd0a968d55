import { describe, expect, it } from 'vitest';
import type { ComposingModelColumns } from '../../../../../main/contract/measured/composing';
import {
  modelParts,
  partMs,
  partNames,
  restName,
} from '../../../../../main/domain/measured/limits/model-parts';
import { pointFixture } from '../../../../support/run-state';

const part = (modelName: string, more: Partial<ComposingModelColumns> = {}): ComposingModelColumns => ({
  ...{ modelName, modelVersion: '1', requestCount: 100, inferenceCount: 100, executionCount: 50 },
  ...{ queueUs: 100, computeInputUs: 10, computeInferUs: 880, computeOutputUs: 10 },
  ...{ cacheHitCount: null, cacheMissCount: null, instances: 1, maxBatchSize: 8 },
  ...more,
});
const levelOf = (composing: readonly ComposingModelColumns[], ensemblePath?: readonly string[]) => ({
  ...pointFixture(),
  ...{ avgUs: 5000, requestCount: 100, composing: [...composing] },
  ...(ensemblePath === undefined ? {} : { ensemblePath: [...ensemblePath] }),
});
const shares = (point: ReturnType<typeof levelOf>) =>
  modelParts(point).map(({ modelName, us }) => [modelName, us]);

describe('what each model takes of a request', () => {
  it('is that of the longest path of an ensemble, a step that appears twice counted twice', () => {
    const composing = [part('a'), part('inner', { instances: null }), part('b'), part('c')];
    expect(shares(levelOf(composing, ['a', 'c', 'a']))).toEqual([
      ['a', 2000],
      ['c', 1000],
    ]);
    // Where the path is not known those of all steps, the ensemble inside it left out.
    expect(shares(levelOf(composing, []))).toHaveLength(3);
  });

  it('is by calls for a model that another calls by BLS, which counts only where no step holds it', () => {
    const called = part('net', { bls: true, requestCount: 250 });
    expect(shares(levelOf([called]))).toEqual([['net', 2500]]);
    expect(modelParts(levelOf([called]))[0]).toMatchObject({ bls: true, queueUs: 250, computeUs: 2250 });
    expect(shares(levelOf([part('logic'), called], ['logic']))).toEqual([['logic', 1000]]);
  });

  it('is not known where the server did not tell a time, and none for a plain model', () => {
    expect(modelParts(levelOf([part('a'), part('b', { queueUs: null })], ['a', 'b']))).toEqual([]);
    expect(partNames([pointFixture()])).toEqual([]);
    expect(partMs(pointFixture(), restName)).toBeNull();
  });

  it('comes with the rest of the mean latency, which is never below nothing', () => {
    const point = levelOf([part('a'), part('b')], ['a', 'b']);
    expect(partNames([point])).toEqual(['a', 'b', restName]);
    expect(partNames([point]).map((name) => partMs(point, name))).toEqual([1, 1, 3]);
    expect(partMs({ ...point, avgUs: 1500 }, restName)).toBe(0);
    expect(partMs({ ...point, avgUs: null }, restName)).toBeNull();
  });
});
