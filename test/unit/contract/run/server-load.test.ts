import { describe, expect, it } from 'vitest';
import type { JournalBody } from '../../../../main/contract/run/run-events';
import { engineOf, isDeployed, knownParameters, modelOf } from '../../../../main/contract/run/run-source';
import { pathsOfLoad, scenarioOfLevels, serverLoadSchema } from '../../../../main/contract/run/server-load';
import { askedLoads, budgetMsOf } from '../../../../main/domain/measured/points';
import { verdictOf } from '../../../../main/domain/measured/verdict';
import { environmentFixture, pointFixture, stateOf } from '../../../support/run-state';
import { serverLoadFixture } from '../../../support/server-load';

const stateFor = (load = serverLoadFixture(), ...more: readonly JournalBody[]) =>
  stateOf([{ type: 'run-created', runId: 'r', environment: environmentFixture(), onServer: load }, ...more]);

describe('the load of a running Triton', () => {
  it('is read back as it was written', () => {
    const load = serverLoadFixture({ tools: ['native', 'perf_analyzer'], shapes: { ids: [1, 128] } });
    expect(serverLoadSchema.parse(JSON.parse(JSON.stringify(load)))).toEqual(load);
  });

  it('is of the offline scenario where batches are sent one after the other', () => {
    const offline = [1, 8].map((batchSize) => ({ batchSize, concurrency: 1 }));
    expect(scenarioOfLevels(offline)).toBe('offline');
    expect(scenarioOfLevels(offline.slice(1))).toBe('online');
    expect(scenarioOfLevels(serverLoadFixture().levels)).toBe('online');
  });

  it('names the files that measuring reads', () => {
    const { addresses } = serverLoadFixture();
    const load = serverLoadFixture({
      addresses: { ...addresses, httpTls: { caFile: '/ca.pem' }, grpcTls: { caFile: '/ca.pem' } },
      sources: ['bert=/values.npz', 'random'],
    });
    expect(pathsOfLoad(load)).toEqual(['/ca.pem', '/values.npz']);
  });

  it('has the name of its model, and no longer one than a folder takes', () => {
    const state = stateFor(serverLoadFixture({ models: [{ name: 'a/b c', weight: 1 }] }));
    expect(modelOf(state)).toBe('a-b-c');
    expect(engineOf(state)).toEqual({ kind: 'remote', url: 'http://localhost:8000' });
    const long = serverLoadFixture({ models: [{ name: 'm'.repeat(500), weight: 1 }] });
    expect(modelOf(stateFor(long))).toHaveLength(64);
  });
});

describe('a run on a running Triton', () => {
  it('has one step, asks for the levels of its load, and says what is known of it', () => {
    const state = stateFor();
    expect(state.steps.map(({ id }) => id)).toEqual(['online']);
    expect(askedLoads(state, 'online')).toEqual(serverLoadFixture().levels);
    expect(askedLoads(state, 'offline')).toEqual([]);
    expect(isDeployed(state)).toBe(false);
    expect(Object.keys(knownParameters(state) ?? {}).sort()).toEqual(['engine', 'performance']);
  });

  it('says that accuracy was not checked, and never that it was imported', () => {
    const point = pointFixture({ batchSize: 1, concurrency: 2 });
    const state = stateFor(serverLoadFixture(), {
      type: 'measurement',
      scenario: 'online',
      key: 'k',
      point,
    });
    expect(verdictOf(state, {})).toContain('inferences/s at p99');
    expect(verdictOf(state, {})).toContain('accuracy not checked');
  });

  it('has the budget of its search', () => {
    expect(budgetMsOf(stateFor())).toBeNull();
    const search = { kind: 'linear', thresholdUs: 20_000 } as const;
    expect(budgetMsOf(stateFor(serverLoadFixture({ search })))).toBe(20);
  });
});
