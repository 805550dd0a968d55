// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest';
import type { RunState } from '../../../main/contract/run/run-state';
import { clipped } from '../../../main/contract/words';
import { html } from '../../../main/reports/html.exporter';
import { type ReportContext, toReport } from '../../../main/reports/to-report';
import { reportKinds } from '../../support/report-kinds';
import { completeState, runCreated, sourceFixture, specFixture } from '../../support/run-state';

// jsdom has no canvas and says so at every call; the charts measure text without one, as they do in Node.
vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);

const context: ReportContext = { generatedAt: '2025-11-21T08:30:00.000Z', modelTitle: 'ResNet50 v1.5' };
const pageOf = (state: RunState, change: Partial<ReportContext> = {}) =>
  new DOMParser().parseFromString(
    html.render({ state, report: toReport(state, { ...context, ...change }) }).content,
    'text/html',
  );
/** The cells of every row, side by side. */
const rowTexts = (page: ParentNode, selector: string) =>
  [...page.querySelectorAll(selector)].map((row) => texts(row, 'td').join(' '));
const texts = (page: ParentNode, selector: string) =>
  [...page.querySelectorAll(selector)].map(({ textContent }) => textContent.replace(/\s+/g, ' ').trim());

describe('the first page of a report', () => {
  it('puts a warning badge beside the green ones where the best level is not steady', () => {
    expect(texts(pageOf(reportKinds.unsteady()), '.summary .badge')).toEqual([
      'Complete',
      '✓ Accuracy verified (outputs and metric)',
      '! Not steady',
      '! Client-limited',
    ]);
    expect(texts(pageOf(reportKinds.unsteady()), '.doubts li')[0]).toContain('No level is steady');
  });

  it('holds answer, figures, doubts, charts of the best scenario, model, machine and accuracy', () => {
    const page = pageOf(completeState());
    const summary = page.querySelector('.summary');
    if (summary === null) throw new Error('The page has a summary');
    expect(texts(summary, '.verdict')[0]).toContain('inferences/s at p99');
    expect(texts(summary, '.figures > div')).toHaveLength(5);
    expect(texts(summary, 'h3')).toEqual([
      'What is doubtful',
      'Online scenario',
      'Model',
      'Machine and server',
      'Accuracy',
    ]);
    const facts = rowTexts(summary, '.named tr');
    for (const fact of [
      'Format ONNX',
      'Precision FP16',
      'Accelerator none',
      'Engine Local Triton',
      'GPU none',
    ]) {
      expect(facts).toContain(fact);
    }
    expect(texts(summary, 'p').at(-1)).toBe(
      'Verified (outputs and metric), 200 samples. top1: Triton 0.9650, framework 0.9650, at least 0.9000. top5: Triton 1.0000, framework 1.0000. Largest absolute difference of an output: 0.00413.',
    );
  });

  it('names GPU, driver and a shortened image', () => {
    const facts = rowTexts(pageOf(reportKinds.unsteady()), '.summary .named tr');
    expect(facts).toContain('GPU NVIDIA A30, 24.0 GiB');
    expect(facts).toContain('Driver 575.57.08');
    expect(facts).toContain(`Image nvcr.io/nvidia/tritonserver:25.08-py3@sha256:${'0f'.repeat(6)}`);
  });

  it('shows the error, the end of its log and the steps where nothing was measured, and no empty figures', () => {
    const summary = pageOf(reportKinds.failed()).querySelector('.summary');
    if (summary === null) throw new Error('The page has a summary');
    expect(texts(summary, '.problem.bad strong')).toEqual(['Triton did not start']);
    const lines = summary.querySelector('.problem pre')?.textContent.split('\n') ?? [];
    expect(lines).toHaveLength(15);
    expect(lines.at(-1)).toContain('line 30');
    expect(
      rowTexts(summary, '.steps tbody tr').some((row) => row.startsWith('Deploy on Triton failed')),
    ).toBe(true);
    expect(summary.querySelectorAll('.figures, .doubts, figure')).toHaveLength(0);
  });

  it('stays short whatever a run has to say', () => {
    const state = completeState();
    const { spec } = state.source;
    const loud = {
      ...state,
      runId: 'r'.repeat(900),
      source: sourceFixture({ ...spec, model: { ...spec.model, preset: 'p'.repeat(900) } }),
      environment: { ...state.environment, cpu: 'c'.repeat(900), os: 'o'.repeat(900) },
    };
    const page = pageOf(loud, { modelTitle: undefined });
    expect(Math.max(...texts(page, '.summary > *:not(.charts)').map(({ length }) => length))).toBeLessThan(
      900,
    );
  });
});

describe('the record behind it', () => {
  it('begins on a page of its own with what went wrong in full', () => {
    const page = pageOf(reportKinds.failed());
    expect(texts(page, '.record h2')[0]).toBe('Problems and warnings');
    expect(page.querySelector('.record .problem pre')?.textContent.split('\n')).toHaveLength(30);
  });

  it('keeps the state of a level to its words and explains them once', () => {
    const page = pageOf(reportKinds.unsteady());
    const [table] = page.querySelectorAll('table.sampling');
    const states = texts(table ?? page, 'tbody td:last-child');
    expect(new Set(states.map((state) => state.includes('.')))).toEqual(new Set([false]));
    expect(texts(page, '.reasons')).toHaveLength(2);
  });

  it('folds parameters that were left at the defaults of the preset', () => {
    const chosen = specFixture((spec) => {
      spec.performance.maxTrials = 20;
    });
    const page = pageOf(runCreated(chosen), { defaults: specFixture() });
    const shown = texts(page, '.params tbody td:first-child');
    expect(shown).toContain('Maximum windows');
    expect(shown).toContain('Precision');
    expect(shown).not.toContain('Warm-up per level');
    expect(texts(page, '.folded').join(' ')).toContain('Warm-up per level 500 ms');
    expect(texts(pageOf(runCreated(chosen)), '.folded')).toEqual([]);
  });

  it('marks bars of levels that are not steady on the axis, in the colors of the legend', () => {
    const page = pageOf(completeState());
    const [, chart] = [...page.querySelectorAll('.record figure.wide')];
    expect(texts(chart ?? page, 'text')).toContain('8 ○');
    expect(chart?.querySelectorAll('[fill-opacity="0.4"], [opacity="0.4"]')).toHaveLength(0);
  });

  it('has no chart of components that the tool did not give', () => {
    const page = pageOf(reportKinds.imported());
    expect(page.querySelectorAll('.summary figure')).toHaveLength(2);
    expect(page.querySelectorAll('.record figure')).toHaveLength(1);
  });
});

describe('clipped', () => {
  it('cuts at a word and ends in an ellipsis', () => {
    expect(clipped('one two three', 13)).toBe('one two three');
    expect(clipped('one two three', 10)).toBe('one two…');
    expect(clipped('abcdefghij', 5)).toBe('abcd…');
  });
});
