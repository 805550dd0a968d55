import { describe, expect, it } from 'vitest';
import type { DuelRequest } from '../../../../main/contract/study/duel';
import type { Look, Searched } from '../../../../main/contract/study/search';
import type { DuelPlan } from '../../../../main/contract/study/study';
import type { Core } from '../../../../main/core';
import { programWith, said } from '../../../support/cli-program';
import { duelFixture, runA, runB } from '../../../support/duel';
import { rejection } from '../../../support/rejection';
import { completeState } from '../../../support/run-state';

const looksOf = (ratio: number, pairs = 8): readonly Look[] =>
  Array.from({ length: 2 * pairs }, (_unused, at): Look => {
    const candidate = [1, 2, 2, 1, 2, 1, 1, 2][at % 8] ?? 1;
    return {
      ...{ candidate, phase: 'turn', load: { concurrency: 8 }, seconds: 0.9 },
      inferencesPerSecond: (1000 + at) * (candidate === 2 ? ratio : 1),
      ...{ latencyUs: 10_000, requestCount: 500, errorCount: 0, meanServerBatch: null, serverQueueUs: null },
    };
  });

interface Fake {
  readonly searched?: Partial<Searched>;
  readonly criteria?: readonly string[];
  readonly stop?: 'pause' | 'cancel';
}

/** A core whose comparison comes to what is given. */
function coreWith({ searched = {}, criteria = [], stop }: Fake = {}) {
  const requests: DuelRequest[] = [];
  const worked: string[] = [];
  const runs = [runA, runB].map((runId, at) => ({
    ...completeState(),
    runId,
    name: at === 0 ? 'accepted' : 'build',
  }));
  const duel = duelFixture({ criteria: [...criteria] });
  const plan: DuelPlan = {
    ...{ duel, notes: ['Load: a note.'] },
    spec: { name: 'night', strategy: { ...duel, trials: [] }, hosts: null },
  };
  const core = {
    subscribe: () => () => undefined,
    handlers: {
      'runs.all': () => Promise.resolve({ runs, unreadable: [] }),
      'runs.show': ({ runId }: { runId: string }) =>
        Promise.resolve({ state: runs.find((run) => run.runId === runId) }),
      'duels.plan': (request: DuelRequest) => {
        requests.push(request);
        return Promise.resolve(plan);
      },
      'searches.work': ({
        spec,
        stops,
      }: {
        spec: { name: string };
        stops: Record<string, AbortController>;
      }) => {
        worked.push(spec.name);
        if (stop !== undefined) stops[stop]?.abort();
        return Promise.resolve({ looks: [], failed: {}, ...searched });
      },
      'searches.report': () =>
        Promise.resolve({ files: [{ kind: 'html', path: '/home/night.html' }], problem: null }),
    },
  } as unknown as Core;
  return { core, requests, worked };
}

async function exitOf(core: Core, ...words: readonly string[]): Promise<number> {
  const codes: number[] = [];
  const program = programWith({
    core: () => Promise.resolve(core),
    exit: (code) => codes.push(code),
    output: () => ({
      ...{ json: true, live: false, say: () => undefined, rewrite: () => undefined },
      ...{ clearScreen: () => undefined, document: () => undefined },
    }),
  });
  await program.parseAsync([...words], { from: 'user' });
  return codes.at(-1) ?? 0;
}

const gate = ['throughput<0.93x'];
const compare = ['compare', 'accepted', 'build', '--measure', '--fail-if', ...gate];

describe('compare --measure', () => {
  it.each<readonly [string, Fake, number]>([
    ['within', { criteria: gate, searched: { looks: looksOf(1) } }, 0],
    ['outside', { criteria: gate, searched: { looks: looksOf(0.8) } }, 3],
    ['not told', { criteria: gate, searched: { looks: looksOf(1, 2) } }, 4],
    ['paused', { criteria: gate, searched: { looks: looksOf(1, 2) }, stop: 'pause' }, 4],
    ['cancelled', { criteria: gate, searched: { looks: looksOf(0.8) }, stop: 'cancel' }, 130],
    [
      'a side that cannot be served',
      { criteria: gate, searched: { failed: { 2: { code: 'model-load-failed', message: 'no memory' } } } },
      1,
    ],
    ['a difference that nobody judges', { searched: { looks: looksOf(0.8) } }, 0],
  ])('ends with its code: %s', async (_title, fake, code) => {
    expect(await exitOf(coreWith(fake).core, ...compare)).toBe(code);
  });

  it('asks for what the options say', async () => {
    const { core, requests } = coreWith({ searched: { looks: looksOf(1) } });
    await exitOf(
      core,
      ...compare,
      '--budget',
      '3m',
      '--concurrency',
      '8',
      '--batch-size',
      '2',
      '--name',
      'gate',
    );
    await exitOf(core, 'compare', runA, runB, '--measure', '--request-rate', '12.5');
    expect(requests).toEqual([
      {
        between: { first: runA, second: runB },
        ...{ criteria: gate, budgetS: 180, concurrency: 8, batchSize: 2, name: 'gate' },
      },
      { between: { first: runA, second: runB }, requestRate: 12.5 },
    ]);
  });

  it('says what is measured first, and starts nothing with --dry-run', async () => {
    const { core, worked } = coreWith();
    const { text } = await said(core, ...compare, '--dry-run');
    expect(text.split('\n')).toEqual([
      'Comparison night: A and B in turns of 0.9 s, at most 3 min of load',
      '  Load: a note.',
      `  A: accepted (${runA}), batch size 1, concurrency 8`,
      `  B: build (${runB}), batch size 1, concurrency 8`,
    ]);
    expect(worked).toEqual([]);
  });

  it('says what came of it, and where the report is', async () => {
    const { core, worked } = coreWith({ criteria: gate, searched: { looks: looksOf(0.8) } });
    const { text } = await said(core, ...compare);
    expect(text).toMatch(/\nthroughput<0\.93x: outside, ×0\.80 \(0\.\d\d to 0\.\d\d\) after \d pairs\.\n/);
    expect(text).toContain('  html: /home/night.html');
    expect(worked).toEqual(['night']);
    const { documents } = await said(core, ...compare, '--json');
    expect(documents).toMatchObject([{ name: 'night', answer: { outcome: 'outside' } }]);
  });

  it('says how a paused one continues', async () => {
    const { core } = coreWith({ criteria: gate, searched: { looks: looksOf(1, 2) }, stop: 'pause' });
    const { text } = await said(core, ...compare);
    expect(text).toContain('To continue: triton-workbench studies resume night');
  });

  it.each<readonly [readonly string[], string]>([
    [['compare', 'a', 'b', '--budget', '3m'], '--budget applies only with --measure'],
    [['compare', 'a', 'b', '--dry-run'], '--dry-run applies only with --measure'],
    [['compare', 'published', 'build', '--measure'], 'Published figures cannot be measured again'],
    [
      ['compare', 'a', 'b', '--measure', '--out', 'x.pdf'],
      '--out does not apply to --measure, which writes its own report',
    ],
    [
      ['compare', 'accepted', 'build', '--measure', '--concurrency', '1.5'],
      '"1.5" is not a whole number of at least 1',
    ],
    [['compare', 'accepted', 'build', '--measure', '--request-rate', '0'], '"0" is not a rate'],
    [['compare', 'accepted', 'build', '--measure', '--budget', 'soon'], '"soon" is not a time'],
    [['compare', 'accepted', 'build', '--measure', '--fail-if', 'p95>2x'], '"p95>2x" is not a criterion'],
  ])('refuses %j', async (words, message) => {
    const program = programWith({ core: () => Promise.resolve(coreWith().core) });
    const error = await rejection(program.parseAsync([...words], { from: 'user' }));
    expect(error).toMatchObject({ code: 'input-invalid', message });
  });
});

describe('limits', () => {
  it('measures a suggestion by its number', async () => {
    const { core, requests } = coreWith({ searched: { looks: looksOf(1.3) } });
    const { text } = await said(core, 'limits', 'accepted', '--try', '2', '--budget', '90s');
    expect(requests).toEqual([{ between: { runId: runA, suggestion: 2 }, budgetS: 90 }]);
    expect(text).toContain('is higher than that of');
  });

  it('says what limits a run otherwise', async () => {
    const { core, worked } = coreWith();
    const { text, documents } = await said(core, 'limits', 'accepted');
    expect(text).toMatch(/^What limits it \(/);
    expect(documents).toEqual([]);
    expect((await said(core, 'limits', 'accepted', '--json')).documents).toHaveLength(1);
    expect(worked).toEqual([]);
  });
});
