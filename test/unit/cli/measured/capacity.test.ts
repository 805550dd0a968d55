import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import { capacityDocumentSchema } from '../../../../main/contract/measured/capacity-document';
import type { ModelMemory } from '../../../../main/contract/measured/model-memory';
import type { RunState } from '../../../../main/contract/run/run-state';
import type { Core } from '../../../../main/core';
import { said } from '../../../support/cli-program';
import { rejection } from '../../../support/rejection';
import { createdBodies, measurementBody, pointFixture, stateOf } from '../../../support/run-state';

/** One level that holds 20 ms, and one that does not. */
const measured: RunState = {
  ...stateOf([
    ...createdBodies(),
    measurementBody('online', pointFixture({ concurrency: 4, inferencesPerSecond: 2000, p99Us: 18_000 })),
    measurementBody('online', pointFixture({ concurrency: 8, inferencesPerSecond: 2600, p99Us: 31_000 })),
  ]),
  runId: 'a',
};

/** What holds half of it. */
const slower: RunState = {
  ...stateOf([
    ...createdBodies(),
    measurementBody('online', pointFixture({ concurrency: 4, inferencesPerSecond: 1000, p99Us: 18_000 })),
  ]),
  runId: 'a',
};

const mib = 1024 ** 2;
const taken = (hostBytes: number) => ({ hostBytes, gpuBytes: null });
const memory: ModelMemory = {
  ...{ context: taken(200 * mib), shared: taken(0), instance: taken(100 * mib), batch: taken(20 * mib) },
  ...{ maxBatchSize: 8, instances: 2, totals: taken(4096 * mib) },
};

/** What a command line asks of a run: what it prints, its exit code, and what it asks the core for. */
async function asked(state: RunState, ...words: readonly string[]) {
  const bundles: unknown[] = [];
  const weighed: string[] = [];
  const core = {
    handlers: {
      'runs.all': () => Promise.resolve({ runs: [{ runId: 'a', name: null }], unreadable: [] }),
      'runs.show': ({ runId }: { readonly runId: string }) =>
        runId === 'a'
          ? Promise.resolve({ state })
          : Promise.reject(new WorkbenchError('run-unknown', `Unknown run "${runId}"`)),
      'searches.capacity': ({
        name,
        candidate = 2,
        model = '',
      }: {
        readonly name: string;
        readonly candidate?: number;
        readonly model?: string;
      }) =>
        name === 'night'
          ? Promise.resolve({
              ...{
                name,
                candidate,
                configuration: `configuration ${candidate}${model}`,
                note: 'Measured by a search.',
                state,
              },
              present: candidate === 1 ? null : slower,
            })
          : Promise.reject(new WorkbenchError('study-unknown', `Unknown search "${name}"`)),
      'memory.measure': ({ runId }: { readonly runId: string }) => {
        weighed.push(runId);
        return Promise.resolve(memory);
      },
      'runs.bundle': (request: unknown) => {
        bundles.push(request);
        return Promise.resolve({ path: '/out' });
      },
    },
  } as unknown as Core;
  return { ...(await said(core, ...words)), bundles, weighed };
}

describe('capacity', () => {
  it('prints the answer, the record behind it and the levels', async () => {
    const { text, codes } = await asked(measured, 'capacity', 'a', '--rate', '5000', '--p99', '20ms');
    expect(text).toMatch(
      /^5 replicas on CPUs hold 5,000 inferences\/s within a p99 of 20 ms, with 30 % headroom and one spare\. Measured in a closed loop;/,
    );
    expect(text).toContain(
      'Next higher load: misses the target: p99 31.00 ms (online, batch size 1, concurrency 8)',
    );
    expect(text).toMatch(/online, batch size 1, concurrency 4 +2,000 +18\.00 ms +holds/);
    expect(codes).toEqual([]);
  });

  it('takes a percentage with its sign or without, and the budget of the run', async () => {
    const options = ['--spare', '0', '--price-per-hour', '2.5', '--json'];
    for (const headroom of ['100%', '100 %', '100']) {
      const budgeted = { ...measured, p99BudgetMs: 31 };
      const { documents } = await asked(
        ...[budgeted, 'capacity', 'a', '--rate', '5200', '--headroom', headroom],
        ...options,
      );
      expect(capacityDocumentSchema.parse(documents[0])).toMatchObject({
        ...{ replicas: 4, asked: { p99Ms: 31, headroom: 1, spare: 0 }, cost: { perMonth: 7300 } },
      });
    }
  });

  it('ends with 3 and the best level where none holds the target', async () => {
    const words = ['capacity', 'a', '--rate', '5000', '--p99', '10'];
    const { text, codes } = await asked(measured, ...words);
    expect(text).toMatch(/^No steady level meets a p99 of 10 ms\. The best has p99 18\.00 ms at 2,000 /);
    expect(codes).toEqual([3]);
    const { documents } = await asked(measured, ...words, '--json');
    expect(capacityDocumentSchema.parse(documents[0])).toMatchObject({ replicas: null, replica: null });
  });

  it.each([
    ['--rate', ['--rate', '0', '--p99', '20']],
    ['--rate', ['--rate', 'many', '--p99', '20']],
    ['--p99', ['--rate', '5000']],
    ['--p99', ['--rate', '5000', '--p99', '0']],
    ['--headroom', ['--rate', '5000', '--p99', '20', '--headroom', '-5%']],
    ['--spare', ['--rate', '5000', '--p99', '20', '--spare', '0.5']],
    ['--price-per-hour', ['--rate', '5000', '--p99', '20', '--price-per-hour', '0']],
  ])('refuses with %s what cannot be planned: %j', async (flag, words) => {
    expect(await rejection(asked(measured, 'capacity', 'a', ...words))).toMatchObject({
      ...{ code: 'input-invalid', where: flag },
    });
  });

  it('refuses a run without a rate', async () => {
    const none = stateOf(createdBodies());
    const words = ['capacity', 'a', '--rate', '5000', '--p99', '20'];
    expect(await rejection(asked(none, ...words))).toMatchObject({
      ...{
        code: 'input-invalid',
        message: 'The run has no measured rate, so nothing can be planned with it.',
      },
    });
  });
});

describe('capacity of a search', () => {
  it('plans its best configuration, and the present one beside it', async () => {
    const { text } = await asked(measured, 'capacity', 'night', '--rate', '5000', '--p99', '20ms');
    expect(text).toMatch(/^5 replicas on CPUs hold 5,000 inferences\/s/);
    expect(text).toContain('Measured by a search.');
    expect(text).toMatch(/With the present configuration: 8 replicas on CPUs hold 5,000 inferences\/s/);
  });

  it('has both in its document', async () => {
    const words = ['capacity', 'night', '--rate', '5000', '--p99', '20ms', '--json'];
    const { documents } = await asked(measured, ...words);
    expect(capacityDocumentSchema.parse(documents[0])).toMatchObject({
      replicas: 5,
      search: { name: 'night', candidate: 2, configuration: 'configuration 2' },
      present: { replicas: 8 },
    });
    const one = await asked(measured, ...words, '--candidate', '1');
    const document = capacityDocumentSchema.parse(one.documents[0]);
    expect(document).toMatchObject({ search: { candidate: 1 } });
    expect(document.present).toBeUndefined();
    const ranking = await asked(measured, ...words, '--model', ' ranking');
    expect(ranking.documents[0]).toMatchObject({ search: { configuration: 'configuration 2 ranking' } });
  });

  it('calls what is neither a run nor a search an unknown run, and takes no number of a run', async () => {
    const rest = ['--rate', '5000', '--p99', '20'];
    expect(await rejection(asked(measured, 'capacity', 'nothere', ...rest))).toMatchObject({
      code: 'run-unknown',
    });
    for (const [where, value] of [
      ['--candidate', '2'],
      ['--model', 'ranking'],
    ] as const) {
      const refused = await rejection(asked(measured, 'capacity', 'a', ...rest, where, value));
      expect(refused).toMatchObject({ code: 'input-invalid', where });
    }
  });
});

describe('capacity --measure-memory', () => {
  const words = ['--rate', '5000', '--p99', '20', '--measure-memory'];

  it('measures the model first, and says what it takes and what fits', async () => {
    const { text, weighed } = await asked(measured, 'capacity', 'a', ...words);
    expect(weighed).toEqual(['a']);
    expect(text).toContain('Memory once per Triton (backend, CUDA context): host 200.0 MiB');
    expect(text).toContain(
      'Fit into 4.0 GiB of host memory: 9 servers like this one, or one server with 32 instances',
    );
    expect(text).not.toContain('not measured: context');
  });

  it('has it in the document, which says so where it was not asked for', async () => {
    const { documents } = await asked(measured, 'capacity', 'a', ...words, '--json');
    expect(capacityDocumentSchema.parse(documents[0])).toMatchObject({
      modelMemory: { instances: 2, serversThatFit: { byGpuMemory: null, byHostMemory: 9 } },
    });
    const without = await asked(measured, 'capacity', 'a', '--rate', '5000', '--p99', '20', '--json');
    expect(without.weighed).toEqual([]);
    expect(capacityDocumentSchema.parse(without.documents[0])).toMatchObject({ modelMemory: null });
  });

  it('is refused of a search, with the run to name', async () => {
    expect(await rejection(asked(measured, 'capacity', 'night', ...words))).toMatchObject({
      ...{ code: 'input-invalid', where: '--measure-memory' },
    });
  });
});

describe('bundle', () => {
  it('is given the plan of the replicas only where a rate is named', async () => {
    const plain = await asked(measured, 'bundle', 'a', '--out', '/out');
    expect(plain.bundles).toEqual([{ runId: 'a', out: '/out' }]);
    const words = ['--replicas-for-rate', '5000', '--p99', '20ms', '--headroom', '50%', '--spare', '2'];
    const planned = await asked(measured, 'bundle', 'a', '--out', '/out', ...words);
    expect(planned.bundles).toMatchObject([
      { capacity: { rate: 5000, p99Ms: 20, headroom: 0.5, spare: 2, pricePerHour: null } },
    ]);
  });

  it.each([
    ['--headroom', ['--headroom', '50%']],
    ['--p99', ['--p99', '20ms']],
    ['--replicas-for-rate', ['--replicas-for-rate', '0', '--p99', '20']],
    ['--p99', ['--replicas-for-rate', '5000']],
  ])('refuses with %s a plan that is not whole: %j', async (flag, words) => {
    expect(await rejection(asked(measured, 'bundle', 'a', '--out', '/out', ...words))).toMatchObject({
      ...{ code: 'input-invalid', where: flag },
    });
  });
});
