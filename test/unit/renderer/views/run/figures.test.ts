import { describe, expect, it } from 'vitest';
import { shellLine } from '../../../../../main/contract/flag-text';
import type { RunState } from '../../../../../main/contract/run/run-state';
import { keyFigures } from '../../../../../main/domain/measured/key-figures';
import { bestPoint } from '../../../../../main/domain/measured/points';
import { endVerdict } from '../../../../../main/domain/measured/verdict';
import { toReport } from '../../../../../main/reports/to-report';
import { cutAt } from '../../../../../renderer/format/log-search';
import { doubtsText } from '../../../../../renderer/format/words';
import { planText } from '../../../../../renderer/views/new-deployment/plan-text';
import { nowFigures } from '../../../../../renderer/views/run/figures';
import { shownStep } from '../../../../../renderer/views/run/shown-step';
import { completeState, pointFixture, runCreated, specFixture } from '../../../../support/run-state';

it('a command is quoted for a shell where it must be', () => {
  expect(shellLine(['python', '-m', 'toolkit', '--arg', 'a b', "it's", '', '$HOME'])).toBe(
    `python -m toolkit --arg 'a b' 'it'\\''s' '' '$HOME'`,
  );
});

describe('the plan of a run', () => {
  it('says of every step what it will do', () => {
    const plan = planText(specFixture(), []);
    expect(plan).toHaveLength(10);
    expect(plan.find(({ step }) => step === 'online')?.what).toBe(
      '7 levels: concurrency 1, 2, 4, 8, 16, 32, 64; batch size 1',
    );
  });

  it('names both load tools where offline has one of its own', () => {
    const spec = specFixture((of) => {
      of.performance.offline = { loadTool: 'perf_analyzer' };
    });
    expect(planText(spec, []).find(({ step }) => step === 'report')?.what).toBe(
      'HTML, PDF and CSV; measured by perf_analyzer and Built-in load generator',
    );
  });

  it('says which way a threshold bounds', () => {
    const spec = specFixture();
    const limited = { ...spec, accuracy: { ...spec.accuracy, thresholds: { risk: 0.1, top1: 0.9 } } };
    const plan = planText(limited, [{ name: 'risk', title: 'risk', better: 'lower' }]);
    expect(plan.find(({ step }) => step === 'accuracy')?.what).toBe(
      'Framework against Triton; risk ≤ 0.1; top1 ≥ 0.9',
    );
  });
});

describe('a run in figures', () => {
  const state = completeState();

  it('leaves out levels with failed requests when it looks for the best', () => {
    const point = pointFixture({ inferencesPerSecond: 1e9, flags: ['errors'], stable: false });
    const points = [...state.scenarios.online.points, { key: 'x', point }];
    const changed = { ...state, scenarios: { ...state.scenarios, online: { points, missing: [] } } };
    expect(bestPoint(changed)).toEqual(bestPoint(state));
  });

  it('shows the level under way, then the last one measured, then nothing yet', () => {
    const level = {
      scenario: 'online',
      batchSize: 1,
      concurrency: 8,
      windows: [{ inferencesPerSecond: 1234, p99Us: 5678 }],
    } as const;
    const labels = ['Throughput now', 'p99 now', 'Mean executed batch size, last level'];
    const now = nowFigures(state, 'online', level);
    expect(now.map((figure) => figure.label)).toEqual(labels);
    expect(now.map((figure) => figure.value).slice(0, 2)).toEqual(['1,234', '5.68']);
    expect(now[0]?.note).toBe('batch size 1, concurrency 8, window 1');
    const between = nowFigures(state, 'online', null);
    expect(between.map((figure) => figure.label)).toEqual(labels);
    expect(between[0]?.note).toBe('batch size 1, concurrency 64, measured');
    const begun = { ...state.scenarios.online, points: [] };
    const next = nowFigures({ ...state, scenarios: { ...state.scenarios, online: begun } }, 'online', null);
    expect(next.map(({ note }) => note)).toEqual([
      ...[
        'offline, batch size 16, concurrency 1, measured',
        'offline, batch size 16, concurrency 1, measured',
      ],
      'offline, batch size 16, concurrency 1',
    ]);
    const none = nowFigures(runCreated(), 'online', null);
    expect(none.map(({ label, value }) => [label, value])).toEqual(labels.map((label) => [label, '–']));
    expect(none[0]?.note).toBe('no window has ended yet');
  });

  it('keeps the meaning of its tiles from the first level to the end', () => {
    const labels = (of: RunState) => keyFigures(of, {}).map((figure) => figure.label);
    expect(labels(state)).toEqual(labels({ ...state, status: 'done' }));
    expect(keyFigures(runCreated(), {}).map((figure) => figure.value)).toEqual([
      ...['–', '–', '–', '–', '0 of 12'],
    ]);
  });

  it('is a sentence when it is done, and says what is not verified', () => {
    const done = { ...state, status: 'done' } as const;
    const titles = { top1: 'Top-1 accuracy' };
    expect(endVerdict(done, titles)?.lead).toContain('Top-1 accuracy equal to the framework’s');
    const { accuracy } = state;
    if (accuracy === null) throw new Error('The fixture has no accuracy');
    const unverified = {
      ...done,
      accuracy: { ...accuracy, result: { ...accuracy.result, passed: false } },
    };
    expect(endVerdict({ ...unverified, unverified: true }, titles)?.lead).toContain('accuracy failed, ');
    expect(endVerdict(state, titles)).toBeNull();
    expect(toReport(done, { generatedAt: '', metricTitles: titles }).verdict).toContain(
      endVerdict(done, titles)?.lead,
    );
    expect(keyFigures(done, titles)).toEqual(
      toReport(done, { generatedAt: '', metricTitles: titles }).figures,
    );
  });

  it('shows the step that was picked, else the one that has news', () => {
    expect(shownStep(state, 'export')?.id).toBe('export');
    expect(shownStep(state, null)?.id).toBe('report');
    expect(shownStep(runCreated(), null)?.id).toBe('prepare-data');
  });

  it('gives a reason for every level that is in doubt', () => {
    expect(doubtsText(pointFixture())).toBeNull();
    expect(doubtsText(pointFixture({ stable: false }))).not.toBeNull();
    expect(doubtsText(pointFixture({ flags: ['client-saturated'] }))).toContain('load generator');
  });
});

describe('the search', () => {
  it('cuts lines at the hits, in any case', () => {
    expect(cutAt('an eRRor, an error', 'error')).toEqual([
      { text: 'an ', hit: false },
      { text: 'eRRor', hit: true },
      { text: ', an ', hit: false },
      { text: 'error', hit: true },
    ]);
    expect(cutAt('', 'x')).toEqual([]);
  });
});
