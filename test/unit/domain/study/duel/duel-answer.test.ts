import { expect, it } from 'vitest';
import type { Look, Searched } from '../../../../../main/contract/study/search';
import { reduceStudy, type Study, studyEntrySchema } from '../../../../../main/contract/study/study';
import { duelAnswer } from '../../../../../main/domain/study/duel/duel-answer';
import { nextDuelLooks } from '../../../../../main/domain/study/duel/duel-rounds';
import { duelRows, duelWinner } from '../../../../../main/domain/study/duel/duel-study';
import { summaryOf } from '../../../../../main/domain/study/study-state';
import { duelFixture, runB } from '../../../../support/duel';

const look = (candidate: number, inferencesPerSecond: number, change: Partial<Look> = {}): Look => ({
  ...{ candidate, phase: 'turn', load: { concurrency: 8 }, seconds: 0.9, inferencesPerSecond },
  ...{ latencyUs: 1e6 / inferencesPerSecond, requestCount: 500, errorCount: 0 },
  ...{ meanServerBatch: null, serverQueueUs: null },
  ...change,
});
/** Pairs in the order of a duel; the second side gives `ratio` of the first. */
const looksOf = (pairs: number, ratio: number): readonly Look[] =>
  Array.from({ length: 2 * pairs }, (_unused, at) => {
    const candidate = [1, 2, 2, 1, 2, 1, 1, 2][at % 8] ?? 1;
    return look(candidate, (1000 + at) * (candidate === 2 ? ratio : 1));
  });
const of = (looks: readonly Look[], failed: Searched['failed'] = {}): Searched => ({ looks, failed });

it('says which is faster, and by how much', () => {
  const { judged, isTold, sentence } = duelAnswer(duelFixture(), of(looksOf(8, 1.2)));
  expect(judged).toMatchObject([{ outcome: 'higher', metric: 'throughput' }]);
  expect(isTold).toBe(true);
  expect(sentence).toMatch(
    /^The throughput of build is higher than that of accepted, ×1\.20 \(1\.\d\d to 1\.\d\d\) after \d pairs$/,
  );
});

it('says that two are the same to within 3 %, or that it cannot be told', () => {
  const same = duelAnswer(duelFixture(), of(looksOf(12, 1)));
  expect(same.sentence).toContain('No difference: the throughput of build is that of accepted to within 3 %');
  const early = duelAnswer(duelFixture(), of(looksOf(2, 1)));
  expect(early.sentence).toBe(
    'Within the noise: the throughput of build does not differ measurably from that of accepted, ×1.00 (interval not known yet) after 2 pairs',
  );
  expect(duelAnswer(duelFixture(), of([])).sentence).toContain('not measured yet');
});

it('judges nothing where requests fail, and ends', () => {
  const duel = duelFixture({ criteria: ['throughput<0.93x'] });
  const looks = looksOf(6, 0.5).map((one) => (one.candidate === 2 ? { ...one, errorCount: 50 } : one));
  const { outcome, sentence, isTold } = duelAnswer(duel, of(looks));
  expect({ outcome, isTold }).toEqual({ outcome: 'unclear', isTold: false });
  expect(sentence).toBe('Cannot be judged: more requests of build failed than permitted (300)');
  expect(nextDuelLooks(duel, of(looks))).toEqual([]);
});

it('names a side that cannot be served, and ends', () => {
  const failed = { 2: { code: 'model-load-failed' as const, message: 'no memory' } };
  const searched = of(looksOf(1, 1), failed);
  const { sentence, rows } = duelAnswer(duelFixture({ criteria: ['p99>1.1x'] }), searched);
  expect(sentence).toBe('build could not be measured: no memory');
  expect(rows[1].reason).toBe('no memory');
  expect(nextDuelLooks(duelFixture(), searched)).toEqual([]);
});

it('continues behind the last look of a pair that was cut off', () => {
  const looks = looksOf(2, 1).slice(0, 3);
  expect(nextDuelLooks(duelFixture(), of(looks))).toEqual([
    { candidate: 1, phase: 'turn', load: { concurrency: 8 }, ms: 900 },
  ]);
});

it('does not begin a pair that its budget cannot end', () => {
  const duel = duelFixture({ budgetS: 4.5 });
  expect(nextDuelLooks(duel, of(looksOf(2, 1)))).toEqual([]);
  expect(nextDuelLooks(duel, of(looksOf(2, 1).slice(0, 3)))).toHaveLength(1);
});

it('is a study of its journal, with its sides as rows', () => {
  const duel = duelFixture({ criteria: ['throughput<0.93x'] });
  const spec = { name: 'night', strategy: { ...duel, trials: [] }, hosts: null };
  const bodies = [
    { type: 'study-planned', spec },
    { type: 'study-started', pid: 1 },
    ...looksOf(8, 0.5).map((one) => ({ type: 'look', look: one })),
    { type: 'study-ended', outcome: 'done' },
  ];
  const at = '2026-11-28T10:00:00.000Z';
  const study = reduceStudy(
    bodies.map((body, seq) => studyEntrySchema.parse({ ...body, seq: seq + 1, at })),
  ) as Study;
  const summary = summaryOf(study, () => undefined, false);
  expect(summary).toMatchObject({ name: 'night', state: 'done', runs: 2, complete: 2 });
  expect(summary.sentence).toMatch(/^throughput<0\.93x: outside, ×0\.50/);
  expect(duelRows(study, duel).map(({ runId, state }) => [runId, state])).toEqual([
    [duel.sides[0].runId, 'A: accepted'],
    [duel.sides[1].runId, 'B: build'],
  ]);
});

it('has the command that keeps a change that helps, and none for one that does not', () => {
  const [first, second] = duelFixture().sides;
  const duel = duelFixture({ sides: [first, { ...second, configure: { instances: 2 } }] });
  expect(duelWinner({ searched: of(looksOf(8, 1.3)) }, duel)?.argv).toEqual([
    ...['triton-workbench', 'resume', runB, '--set', 'configure.instances=2'],
  ]);
  expect(duelWinner({ searched: of(looksOf(12, 1)) }, duel)).toBeNull();
  expect(duelWinner({ searched: of(looksOf(8, 0.7)) }, duel)).toBeNull();
  expect(duelWinner({ searched: of(looksOf(8, 1.3)) }, duelFixture())).toBeNull();
});
