import { describe, expect, it } from 'vitest';
import { runDocument } from '../../../../main/cli/json/run-document';
import { isSteady, marksOf, stateWords } from '../../../../main/contract/flag-text';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import type { RunState } from '../../../../main/contract/run/run-state';
import { answerOf } from '../../../../main/domain/measured/answer';
import { bestOfRuns } from '../../../../main/domain/measured/best-of-runs';
import { keyFigures } from '../../../../main/domain/measured/key-figures';
import { bestPoint, budgetMsOf } from '../../../../main/domain/measured/points';
import { verdictOf } from '../../../../main/domain/measured/verdict';
import { loadCsv } from '../../../../main/reports/csv';
import { exporters } from '../../../../main/reports/exporters';
import { toReport } from '../../../../main/reports/to-report';
import { toSummary } from '../../../../main/store/summary';
import { parseCsvRows } from '../../../support/parse-csv';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  sourceFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';
import { withoutMarks } from '../../../support/unbroken';

const point = (change: Partial<LoadPoint>): LoadPoint =>
  pointFixture({ p99Us: 5000, requestCount: 3000, ...change });

const textOf = (of: RunState, budgetMs?: number) => answerOf(of, budgetMs)?.text;

/** Measured as wanted, all steps done. */
const runOf = (offline: readonly LoadPoint[], online: readonly LoadPoint[] = []) =>
  stateOf([
    ...createdBodies(),
    ...offline.map((one) => measurementBody('offline', one)),
    ...online.map((one) => measurementBody('online', one)),
    { type: 'run-finished', outcome: 'done' },
  ]);

/** As the first run of a walk through the window: every level client-limited, one of them not steady. */
const limited = runOf([
  point({ batchSize: 1, inferencesPerSecond: 1371, p99Us: 9000, flags: ['client-saturated'] }),
  point({ batchSize: 2, inferencesPerSecond: 2366, p99Us: 11_200, flags: ['client-saturated'] }),
  point({ batchSize: 4, inferencesPerSecond: 2900, p99Us: 18_000, stable: false, flags: ['unstable'] }),
]);
const budgeted = { ...limited, p99BudgetMs: 20 };

describe('one meaning of steady', () => {
  it('has a word per doubt: a client-limited level is steady', () => {
    expect(stateWords(point({}))).toBe('steady');
    expect(stateWords(point({ flags: ['client-saturated'] }))).toBe('steady, client-limited');
    expect(stateWords(point({ stable: false, flags: ['unstable'] }))).toBe('not steady');
    expect(stateWords(point({ flags: ['drifting', 'errors'] }))).toBe('not steady, errors');
    expect(marksOf(point({ stable: false, flags: ['drifting'] }))).toEqual(['not steady']);
    expect(isSteady(point({ flags: ['drifting'] }))).toBe(false);
  });

  it('is the same in list, window, report, CSV and budget', () => {
    const report = toReport(budgeted, { generatedAt: '2025-11-21T08:00:00.000Z' });
    const [offline] = report.scenarios;
    const csv = offline === undefined ? '' : loadCsv(offline, report.verification);
    const answer =
      'Best steady level: 2,366 inferences/s at p99 11.20 ms (offline, batch size 2, concurrency 1; 3,000 requests in 2.5 s; client-limited)';
    expect(offline?.rows.filter(({ point: one }) => one !== null).map(({ steady }) => steady)).toEqual([
      true,
      true,
      false,
    ]);
    expect(toSummary(budgeted, '/runs/a').best).toMatchObject({ inferencesPerSecond: 2366, steady: true });
    expect(verdictOf(limited, {})).toContain(answer);
    const rows = parseCsvRows(csv).filter((row) => row['Request Count'] !== '');
    expect(rows.map((row) => [row['Steady'], row['Flags']])).toEqual([
      ['yes', 'client-limited'],
      ['yes', 'client-limited'],
      ['no', 'not steady'],
    ]);
  });

  it('answers in the same words everywhere, and says what it left out, why and by how much', () => {
    const sentence =
      'Best steady level within 20 ms: 2,366 inferences/s at p99 11.20 ms (headroom 44 %; offline, batch size 2, concurrency 1; 3,000 requests in 2.5 s; client-limited)';
    const leftOut = '1 faster level within 20 ms is not steady: 2,900 inferences/s at p99 18.00 ms.';
    const text = `${sentence}. ${leftOut}`;
    const report = toReport(budgeted, { generatedAt: '2025-11-21T08:00:00.000Z' });
    const [offline] = report.scenarios;
    expect(textOf(budgeted)).toBe(text);
    expect(report).toMatchObject({ isSure: false, verdict: `${sentence}; accuracy not checked. ${leftOut}` });
    expect(toSummary(budgeted, '/runs/a').answer).toEqual({
      text,
      isSure: false,
      mark: '1 faster not steady',
    });
    const csv = offline === undefined ? '' : loadCsv(offline, report.verification);
    expect(parseCsvRows(csv).map(({ Answer }) => Answer)).toEqual([
      'p99 budget kept',
      text,
      'left out: not steady',
      '',
      '',
    ]);
    // The PDF is printed from the HTML; the window shows the text of the run and of its summary.
    const exported = exporters.map((exporter) => exporter.render({ state: budgeted, report }).content);
    const [page = '', offlineCsv, , , json = '', markdown = ''] = exported;
    const plain = (text: string) => text.replace(/\\(.)/g, '$1');
    expect(withoutMarks(page)).toContain(`<p class="verdict unsure">${report.verdict}</p>`);
    for (const file of [plain(markdown), offlineCsv]) expect(file).toContain(text);
    expect(plain(markdown)).toContain(report.verdict);
    const answer = { text, sure: false, doubts: [{ kind: 'left-out', levels: [{ batchSize: 4 }] }] };
    expect(JSON.parse(json)).toMatchObject({ answer, budget: { text }, verdict: report.verdict });
    expect(runDocument(budgeted, '/runs/a')).toMatchObject({ answer, budget: { text } });
    const other = { name: 'b', state: runOf([point({ inferencesPerSecond: 1000 })]) };
    const { isClear, sentence: best } = bestOfRuns([{ name: 'a', state: budgeted }, other], 20);
    expect([isClear, best.endsWith(leftOut)]).toEqual([false, true]);
  });
});

describe('the best level', () => {
  it('is named as what it is: the highest throughput is not the best when it is not steady', () => {
    const [best] = keyFigures(limited, {});
    expect(best).toMatchObject({
      label: 'Best steady level',
      value: '2,366',
      note: 'offline, batch size 2, concurrency 1; client-limited · Python backend',
    });
    const [only] = keyFigures(runOf([point({ stable: false, flags: ['unstable'] })]), {});
    expect(only?.label).toBe('Best level, not steady');
  });

  it('has no more than one failed request in a hundred, where there is a choice', () => {
    const state = runOf([
      point({ batchSize: 1, inferencesPerSecond: 100 }),
      point({ batchSize: 2, inferencesPerSecond: 300, flags: ['errors'] }),
    ]);
    expect(bestPoint(state)?.point.batchSize).toBe(1);
    expect(answerOf(runOf([]))).toBeNull();
  });
});

describe('the p99 budget', () => {
  const state = runOf(
    [point({ batchSize: 4, inferencesPerSecond: 150, p99Us: 9500 })],
    [
      point({ concurrency: 1, inferencesPerSecond: 100, p99Us: 5000 }),
      point({ concurrency: 2, inferencesPerSecond: 200, p99Us: 10_000 }),
      point({ concurrency: 4, inferencesPerSecond: 400, p99Us: 9000, stable: false }),
      point({ concurrency: 8, inferencesPerSecond: 800, p99Us: 40_000 }),
    ],
  );

  it('leaves the fastest steady level within it, of both scenarios', () => {
    expect(answerOf(state, 10)?.level).toMatchObject({ scenario: 'online', point: { concurrency: 2 } });
    expect(answerOf(state, 9.6)?.level).toMatchObject({ scenario: 'offline', point: { batchSize: 4 } });
    expect(answerOf(state, 100)?.level?.point.concurrency).toBe(8);
    // 9.5 ms of 9.6: rounded down, and nothing is left at the budget itself.
    expect(textOf(state, 9.6)).toContain('(headroom 1 %; offline,');
    expect(textOf(state, 10)).toContain('(headroom 0 %; online,');
    expect(textOf(state, 1)).toBe(
      'No steady level has a p99 within 1 ms; the lowest is 5.00 ms at 100.0 inferences/s (online, batch size 1, concurrency 1).',
    );
    const doubtful = runOf([point({ p99Us: 900, stable: false })]);
    expect(textOf(doubtful, 1)).toMatch(
      /^No level is steady, so none counts within 1 ms\. 1 level within 1 ms is not steady: .* at p99 0\.900 ms\.$/,
    );
  });

  it('is what was set for the run, else what its search kept to', () => {
    const searched = specFixture((spec) => {
      spec.performance.search = 'binary';
      spec.performance.latencyThresholdMs = 15;
    });
    expect(budgetMsOf(state)).toBeNull();
    expect(budgetMsOf({ ...state, source: sourceFixture(searched) })).toBe(15);
    expect(budgetMsOf({ ...state, source: sourceFixture(searched), p99BudgetMs: 20 })).toBe(20);
    const set = stateOf([...createdBodies(), { type: 'p99-budget', p99BudgetMs: 20 }]);
    expect(set.p99BudgetMs).toBe(20);
    expect(stateOf([...createdBodies(), { type: 'p99-budget', p99BudgetMs: null }]).p99BudgetMs).toBeNull();
  });
});
