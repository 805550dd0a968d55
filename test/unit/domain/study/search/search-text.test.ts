import { expect, it } from 'vitest';
import type { Candidate, Look, Searched, SearchStrategy } from '../../../../../main/contract/study/search';
import { rateOf, stepOfRate } from '../../../../../main/domain/study/search/arms';
import { searchAnswer } from '../../../../../main/domain/study/search/search-answer';
import { searchFront, searchPoints } from '../../../../../main/domain/study/search/search-points';
import { searchWinner, winnerChanges } from '../../../../../main/domain/study/search/search-study';
import {
  presentText,
  progressText,
  promisedBelowText,
  searchFigures,
  untriedLines,
} from '../../../../../main/domain/study/search/search-text';
import { fieldEffects } from '../../../../../main/domain/study/search/search-values';

const one: Candidate = {
  ...{ instances: 1, maxBatchSize: 8, batching: 'dynamic', preferredBatchSizes: [] },
  ...{ maxQueueDelayUs: 0, threads: 1 },
};
const search: SearchStrategy = {
  ...{ kind: 'search', runId: 'run' },
  candidates: [one, { ...one, instances: 2 }, { ...one, instances: 4 }, { ...one, threads: 2 }],
  load: { kind: 'closed', batchSize: 1, concurrency: [4, 8] },
  target: { percentile: 99, latencyUs: 20_000, errorPercentage: 1 },
  ...{ budgetS: 60, lookMs: 1000, fullMs: 3000 },
};
const look = (candidate: number, concurrency: number, rate: number, change: Partial<Look> = {}): Look => ({
  ...{ candidate, phase: 'screen', load: { concurrency }, inferencesPerSecond: rate, seconds: 1 },
  ...{ latencyUs: 10_000, requestCount: 1000, errorCount: 0, meanServerBatch: 2, serverQueueUs: 10 },
  ...change,
});
/** 2 wins; 4 gives too little at full load; 3 failed. */
const searched: Searched = {
  looks: [
    look(1, 8, 100),
    look(2, 8, 150, { latencyUs: 12_000 }),
    look(4, 8, 60, { latencyUs: 30_000 }),
    look(2, 4, 90, { phase: 'edge', latencyUs: 6000 }),
  ],
  failed: { 3: { code: 'model-load-failed', message: 'no memory' } },
};
const answer = searchAnswer(search, searched);

it('says what was not tried: fields, configurations that cannot win, and those that failed with their reason', () => {
  expect(untriedLines(search, answer)).toEqual([
    'Not varied: format, precision, accelerator, maximum batch size 8, batching Dynamic, preferred batch sizes any, maximum queue delay 0 µs, batch size per request',
    'Not loaded to the limit, because they can no longer win: 1 of 4 configurations',
    'Could not be measured: model instances 4 (no memory)',
  ]);
});

it('says how long was too short to judge a configuration, and what to do', () => {
  const short = { ...search, candidates: [{ ...one, instances: 1 }], budgetS: 60 };
  const lines = untriedLines(
    short,
    searchAnswer(short, { looks: [look(1, 8, 100, { latencyUs: 90_000 })], failed: {} }),
  );
  expect(lines.at(-1)).toBe(
    'Not judged within 60 s under load: 1 of 1 configurations. Search again with a longer maximum time under load to judge them',
  );
});

it('names the configurations that were not measured, as many as can be read', () => {
  const many = { ...search, candidates: [1, 2, 3, 4, 5, 6, 7].map((instances) => ({ ...one, instances })) };
  const lines = untriedLines(many, searchAnswer(many, { looks: [look(1, 8, 100)], failed: {} }));
  expect(lines.at(-1)).toBe(
    'Not measured: model instances 2; model instances 3; model instances 4; model instances 5; and 2 more',
  );
});

it('has the present configuration beside the best one, and not where it is the best', () => {
  expect(presentText(search, answer)).toBe(
    'Present configuration: 100.0 inferences/s at concurrency 8 within p99 20.00 ms',
  );
  const alone = { looks: [look(1, 8, 200), look(2, 8, 100)], failed: {} };
  expect(presentText(search, searchAnswer(search, alone))).toBeNull();
  expect(searchFigures(search, answer).map(({ label, value, note }) => [label, value, note])).toEqual([
    ['Best configuration', '150.0', 'p99 12.00 ms at concurrency 8'],
    ['Present configuration', '100.0', 'p99 10.00 ms at concurrency 8'],
    ['Relative to the present one', '–', 'not compared'],
    ['Load', '4', 'of 60 s; 4 of 4 configurations measured'],
  ]);
  expect(searchFigures(search, searchAnswer(search, alone)).map(({ label }) => label)).toEqual([
    ...['Best: the present configuration', 'Load'],
  ]);
});

it('while it runs the best one and the gain have their places before they are known, and not after', () => {
  const begun = searchAnswer(search, { looks: [], failed: {} });
  const placed = searchFigures(search, begun, true).map(({ label, value, note }) => [label, value, note]);
  expect(placed[0]).toEqual(['Best configuration', '–', 'none yet']);
  expect(placed[1]).toEqual(['Present configuration', '–', 'not measured yet']);
  expect(placed[2]).toEqual(['Relative to the present one', '–', 'not compared yet']);
  expect(searchFigures(search, begun).map(({ label }) => label)).toEqual(['Present configuration', 'Load']);
});

it('says of a search under way what it has used, and what is measured now', () => {
  expect(progressText(search, { looks: [look(1, 8, 100)], failed: {} })).toBe(
    '1 of 60 s of load, 1 of 4 configurations measured; now: full load',
  );
});

it('says which value of each field helped; one that was not taken to its limit has an upper bound', () => {
  const effects = fieldEffects(search, searched, answer);
  expect(effects.map(({ label }) => label)).toEqual(['Model instances', 'Threads per instance']);
  expect(effects.map(({ values }) => values)).toEqual([
    [
      { value: '1', best: 100, isBound: false, isBest: false, isPresent: true },
      { value: '2', best: 150, isBound: false, isBest: true, isPresent: false },
      { value: '4', best: null, isBound: false, isBest: false, isPresent: false },
    ],
    [
      { value: '1', best: 150, isBound: false, isBest: true, isPresent: true },
      { value: '2', best: 60, isBound: true, isBest: false, isPresent: false },
    ],
  ]);
});

it('has the values of a field in the order of their numbers', () => {
  const delays = [100, 2000, 0].map((maxQueueDelayUs) => ({ ...one, maxQueueDelayUs }));
  const varied = { ...search, candidates: delays };
  const none = { looks: [], failed: {} };
  const [effect] = fieldEffects(varied, none, searchAnswer(varied, none));
  expect(effect?.values.map(({ value }) => value)).toEqual(['0 µs', '100 µs', '2,000 µs']);
});

it('has every load that was measured, and the front of those that no other beats', () => {
  const points = searchPoints(search, searched);
  const shown = (of: typeof points) =>
    of.map((point) => [point.candidate, point.inferencesPerSecond, point.held]);
  expect(shown(points)).toEqual([
    [1, 100, true],
    [2, 90, true],
    [2, 150, true],
    [4, 60, false],
  ]);
  expect(shown(searchFront(points))).toEqual([
    [2, 90, true],
    [1, 100, true],
    [2, 150, true],
  ]);
  expect(searchFront([])).toEqual([]);
});

it('changes by path what the best configuration has otherwise, also what is no field of configure', () => {
  expect(winnerChanges({ searched }, search)).toEqual([['configure.instances', 2]]);
  const sized = {
    ...search,
    candidates: [
      { ...one, batchSize: 1 },
      { ...one, batchSize: 4 },
    ],
  };
  const looks = [look(1, 8, 100), look(2, 8, 150)];
  expect(searchWinner({ searched: { looks, failed: {} } }, sized)?.argv.slice(-2)).toEqual([
    ...['--set', 'performance.onlineBatchSize=4'],
  ]);
  expect(winnerChanges({ searched: { looks: [], failed: {} } }, search)).toEqual([]);
});

it('where the latency is the objective, the least one of each value helped', () => {
  const asked: SearchStrategy = {
    ...{ ...search, objective: { kind: 'latency' }, load: { kind: 'open', batchSize: 1, rate: 50 } },
    candidates: search.candidates.slice(0, 2),
  };
  const at = (candidate: number, latencyUs: number): Look =>
    look(candidate, 1, 50, { load: { requestRate: 50 }, latencyUs });
  const known = { looks: [at(1, 9000), at(2, 6000)], failed: {} };
  const found = searchAnswer(asked, known);
  expect(fieldEffects(asked, known, found)[0]?.values.map(({ best }) => best)).toEqual([9000, 6000]);
  expect(searchFigures(asked, found)[0]).toEqual({
    ...{ label: 'Best configuration', value: '6.00', unit: 'ms p99', note: 'at 50.00 requests/s' },
  });
});

it('says why the answer lies below the highest rate that was held for a moment', () => {
  const open: SearchStrategy = { ...search, load: { kind: 'open', batchSize: 1 } };
  const step = stepOfRate(300);
  const at = (to: number, latencyUs: number): Look =>
    look(2, 8, rateOf(to), { phase: 'edge', load: { requestRate: rateOf(to) }, latencyUs });
  const looks = [at(step, 9000), at(step + 1, 90_000)];
  const held = { looks, failed: {} };
  expect(promisedBelowText(open, held, searchAnswer(open, held))).toBe(
    `The star is the rate that may be promised, ${rateOf(step - 2).toFixed(1)} requests/s: 2 steps of 5 % below ${rateOf(step).toFixed(1)} requests/s, the highest that was held for a moment.`,
  );
  expect(promisedBelowText(search, searched, answer)).toBeNull();
  const none = { looks: [], failed: {} };
  expect(promisedBelowText(open, none, searchAnswer(open, none))).toBeNull();
});
