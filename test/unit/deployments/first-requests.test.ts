import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { recordFirstLoad } from '../../../main/deployments/first-requests';
import { createTritonClient, type TritonClient } from '../../../main/triton/client';
import { rejection } from '../../support/rejection';
import { tinyConfig } from '../../support/tiny-model';

const steady = [{ batchSize: 1, p50Us: 4000, p99Us: 6000 }];
const run = {
  check: { canary: null, anyValues: true, atol: {}, rtol: {}, maxMismatch: {} },
  ...{ sizes: [1, 4, 16], steady },
};

/** @param fails in place of an answer */
function serving(fails: WorkbenchError | null = null) {
  const asked: (number | undefined)[] = [];
  const loaded: string[] = [];
  const client: TritonClient = {
    ...createTritonClient('127.0.0.1:1'),
    loadModel: (name) => {
      loaded.push(name);
      return Promise.resolve();
    },
    infer: ({ inputs }) => {
      asked.push(inputs[0]?.shape[0]);
      return fails === null ? Promise.resolve({ outputs: [] } as never) : Promise.reject(fails);
    },
  };
  return { client, asked, loaded };
}

const loadOf = (client: TritonClient, readyUs: number | null) => ({
  ...{ client, config: tinyConfig, version: 2, grpcAddress: undefined, readyUs },
  signal: new AbortController().signal,
});

describe('the first load of a version', () => {
  it('of a new deployment was its start; each batch size that the model takes is asked once', async () => {
    const { client, asked, loaded } = serving();
    const cold = await recordFirstLoad(run, loadOf(client, 3_000_000));
    expect([asked, loaded]).toEqual([[1, 4], []]);
    expect(cold).toMatchObject({ loads: 'shared', readyUs: 3_000_000, loadUs: null, startUs: null, steady });
    expect(cold.requests.map(({ batchSize }) => batchSize)).toEqual([1, 4]);
  });

  it('of an update is timed', async () => {
    const { client, loaded } = serving();
    const cold = await recordFirstLoad(run, loadOf(client, null));
    expect(loaded).toEqual(['tiny']);
    expect(cold.readyUs).toBeNull();
    expect(cold.loadUs).toBeGreaterThanOrEqual(0);
  });

  it('leaves it to the check what is wrong with the version', async () => {
    const gone = new WorkbenchError('server-unreachable', 'Triton does not respond');
    const cold = await recordFirstLoad(run, loadOf(serving(gone).client, 1));
    expect(cold).toMatchObject({ requests: [], reason: 'Triton does not respond' });
  });

  it('fails where the load does', async () => {
    const failed = new WorkbenchError('model-load-failed', 'no such file');
    const client = { ...serving().client, loadModel: () => Promise.reject(failed) };
    expect(await rejection(recordFirstLoad(run, loadOf(client, null)))).toBe(failed);
  });
});
