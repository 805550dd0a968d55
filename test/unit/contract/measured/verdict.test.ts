import { describe, expect, it } from 'vitest';
import { runDocument } from '../../../../main/cli/run-progress';
import { isSteady, marksOf, stateWords } from '../../../../main/contract/flag-text';
import { bestPoint, budgetMsOf, withinBudget } from '../../../../main/contract/measured/points';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import {
  bestAnswer,
  bestOfRuns,
  budgetText,
  endVerdict,
  verdictOf,
} from '../../../../main/contract/measured/verdict';
import { loadCsv } from '../../../../main/reports/csv';
import { exporters } from '../../../../main/reports/exporters';
import { toReport } from '../../../../main/reports/to-report';
import { toSummary } from '../../../../main/store/summary';
import { figuresOf } from '../../../../renderer/views/run/figures';
import { parseCsvRows } from '../../../support/parse-csv';
import {
  createdBodies,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';

const point = (change: Partial<LoadPoint>): LoadPoint => pointFixture({ p99Us: 5000, ...change });

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
      '2,366 inferences/s at p99 11.20 ms (offline, batch size 2, concurrency 1; client-limited)';
    expect(offline?.rows.filter(({ point: one }) => one !== null).map(({ steady }) => steady)).toEqual([
      true,
      true,
      false,
    ]);
    expect(toSummary(budgeted, '/runs/a').best).toMatchObject({
      inferencesPerSecond: 2366,
      steady: true,
      text: `Best steady level: ${answer}`,
    });
    expect(endVerdict(budgeted, {})).toContain(`Best steady level: ${answer}`);
    expect(verdictOf(budgeted, {})).toContain(`Best steady level: ${answer}`);
    const rows = parseCsvRows(csv).filter((row) => row['Request Count'] !== '');
    expect(rows.map((row) => [row['Steady'], row['Flags']])).toEqual([
      ['yes', 'client-limited'],
      ['yes', 'client-limited'],
      ['no', 'not steady'],
    ]);
  });

  it('answers a p99 budget in the same words everywhere', () => {
    const sentence =
      'Within a p99 of 20 ms: 2,366 inferences/s at p99 11.20 ms (headroom 44 %; offline, batch size 2, concurrency 1; client-limited).';
    const report = toReport(budgeted, { generatedAt: '2025-11-21T08:00:00.000Z' });
    const [offline] = report.scenarios;
    expect(budgetText(budgeted)).toBe(sentence);
    expect(report.budget).toBe(sentence);
    expect(toSummary(budgeted, '/runs/a').budgetText).toBe(sentence);
    expect(offline?.budget?.heading).toBe('p99 budget of 20 ms');
    expect(offline?.budget?.cells).toContain(sentence);
    expect(offline === undefined ? '' : loadCsv(offline, report.verification)).toContain(sentence);
    // The PDF is printed from the HTML; the window shows the text of the run and of its summary.
    const exported = exporters.map((exporter) => exporter.render({ state: budgeted, report }).content);
    const [page = '', offlineCsv, , , json = '', markdown = ''] = exported;
    const plain = (text: string) => text.replace(/\\(.)/g, '$1');
    expect(page).toContain(`<strong>${sentence}</strong>`);
    expect(plain(markdown)).toContain(sentence);
    expect(offlineCsv).toContain(sentence);
    expect(JSON.parse(json)).toMatchObject({ budget: { text: sentence }, verdict: report.verdict });
    expect(runDocument(budgeted, '/runs/a')).toMatchObject({ budget: { text: sentence } });
    for (const text of [page, plain(markdown)]) expect(text).toContain(report.verdict);
    expect(report.verdict).toBe(endVerdict(budgeted, {}));
    expect(budgetText(limited)).toBeNull();
  });
});

describe('the best level', () => {
  it('is named as what it is: the highest throughput is not the best when it is not steady', () => {
    const [best] = figuresOf(limited, null, {});
    expect(best).toMatchObject({
      label: 'Best steady level',
      value: '2,366',
      note: 'offline, batch size 2, concurrency 1; client-limited',
    });
    const [only] = figuresOf(runOf([point({ stable: false, flags: ['unstable'] })]), null, {});
    expect(only?.label).toBe('Best level, not steady');
  });

  it('has no more than one failed request in a hundred, where there is a choice', () => {
    const state = runOf([
      point({ batchSize: 1, inferencesPerSecond: 100 }),
      point({ batchSize: 2, inferencesPerSecond: 300, flags: ['errors'] }),
    ]);
    expect(bestPoint(state)?.point.batchSize).toBe(1);
    expect(bestAnswer(runOf([]))).toBeNull();
  });
});

describe('the best of several runs', () => {
  const fast = { name: 'fast', state: runOf([point({ inferencesPerSecond: 900, p99Us: 30_000 })]) };
  const quick = { name: 'quick', state: runOf([point({ inferencesPerSecond: 400, p99Us: 15_000 })]) };
  const shaky = {
    name: 'shaky',
    state: runOf([point({ inferencesPerSecond: 800, p99Us: 9000, stable: false, flags: ['unstable'] })]),
  };

  it('has the highest throughput of a steady level within the budget', () => {
    const { index, sentence } = bestOfRuns([fast, quick, shaky], 20);
    expect(index).toBe(1);
    expect(sentence).toBe(
      'Best of 3 runs within a p99 of 20 ms: quick, 400.0 inferences/s at p99 15.00 ms (headroom 25 %; offline, batch size 1, concurrency 1).',
    );
    expect(bestOfRuns([fast, quick, shaky], 30).index).toBe(0);
  });

  it('is none where no steady level is within it, and says what else there is', () => {
    expect(bestOfRuns([fast, shaky], 20)).toEqual({
      ...{ index: null, best: null },
      sentence:
        'None of the 2 runs has a steady level with a p99 within 20 ms. 1 has a level within it that is not steady or has errors.',
    });
    expect(bestOfRuns([fast, fast], 1).sentence).toBe(
      'None of the 2 runs has a steady level with a p99 within 1 ms.',
    );
  });

  it('is without a budget the best steady level of all, and an unsteady one only by that name', () => {
    expect(bestOfRuns([quick, shaky, { name: 'empty', state: runOf([]) }], null).sentence).toMatch(
      /^Best of 3 runs: quick, 400/,
    );
    expect(bestOfRuns([shaky, shaky], null).sentence).toMatch(
      /^Best of 2 runs, though no level of them is steady: shaky, 800/,
    );
    expect(bestOfRuns([{ name: 'empty', state: runOf([]) }], null).index).toBeNull();
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
    expect(withinBudget(state, 10).best).toMatchObject({ scenario: 'online', point: { concurrency: 2 } });
    expect(withinBudget(state, 9.6).best).toMatchObject({ scenario: 'offline', point: { batchSize: 4 } });
    expect(withinBudget(state, 100).best?.point.concurrency).toBe(8);
    // 9.5 ms of 9.6: rounded down, and nothing is left at the budget itself.
    expect(budgetText({ ...state, p99BudgetMs: 9.6 })).toContain('(headroom 1 %; offline,');
    expect(budgetText({ ...state, p99BudgetMs: 10 })).toContain('(headroom 0 %; online,');
    expect(budgetText({ ...state, p99BudgetMs: 1 })).toBe('No steady level has a p99 within 1 ms.');
    const doubtful = runOf([point({ p99Us: 900, stable: false })]);
    expect(budgetText({ ...doubtful, p99BudgetMs: 1 })).toBe(
      'No steady level has a p99 within 1 ms. 1 level is within it but not steady or with errors.',
    );
  });

  it('is what was set for the run, else what its search kept to', () => {
    const searched = specFixture((spec) => {
      spec.performance.search = 'binary';
      spec.performance.latencyThresholdMs = 15;
    });
    expect(budgetMsOf(state)).toBeNull();
    expect(budgetMsOf({ ...state, spec: searched })).toBe(15);
    expect(budgetMsOf({ ...state, spec: searched, p99BudgetMs: 20 })).toBe(20);
    const set = stateOf([...createdBodies(), { type: 'p99-budget', p99BudgetMs: 20 }]);
    expect(set.p99BudgetMs).toBe(20);
    expect(stateOf([...createdBodies(), { type: 'p99-budget', p99BudgetMs: null }]).p99BudgetMs).toBeNull();
  });
});
