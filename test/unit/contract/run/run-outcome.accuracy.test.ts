import { expect, it } from 'vitest';
import { accuracyOf, accuracyText, verificationOf } from '../../../../main/contract/run/run-outcome';
import type { RunState } from '../../../../main/contract/run/run-state';
import { keyFigures } from '../../../../main/domain/measured/key-figures';
import { verdictOf } from '../../../../main/domain/measured/verdict';
import { loadCsv } from '../../../../main/reports/csv';
import { exporters } from '../../../../main/reports/exporters';
import { toReport } from '../../../../main/reports/to-report';
import { toSummary } from '../../../../main/store/summary';
import { parseCsvRows } from '../../../support/parse-csv';
import { accuracyBody, completeState } from '../../../support/run-state';

/** A finished run whose check came out as `change` says; null: it was not made. */
function stateWith(change: Parameters<typeof accuracyBody>[0] | null): RunState {
  const body = accuracyBody(change ?? {});
  if (body.type !== 'accuracy') throw new Error('The fixture is a check of accuracy');
  return { ...completeState(), accuracy: change === null ? null : { key: '', result: body.result } };
}

/** Of a labeled data set: with a threshold it is a condition. */
const ofLabels = (threshold: number | null) => ({
  golden: 'golden.json',
  metrics: [{ name: 'accuracy', framework: 0.5, triton: 0.5, threshold, passed: true }],
});

it.each([
  ['verified (outputs, 16 samples)', { metrics: [], sampleCount: 16 }],
  ['verified (outputs, 1 sample)', { metrics: [], sampleCount: 1 }],
  ['verified (outputs and metric)', {}],
  ['verified (outputs, 16 samples)', { ...ofLabels(null), sampleCount: 16 }],
  ['verified (outputs and metric)', ofLabels(0.4)],
  ['failed', { metrics: [], passed: false, reasons: ['OUTPUT__0: 3 NaN'] }],
  ['not checked', null],
])('calls accuracy "%s" in badge, tile, text, verdict, list and files', (words, change) => {
  const state = stateWith(change);
  const report = toReport(state, { generatedAt: '2025-11-21T08:00:00.000Z' });
  expect(verificationOf(state).label).toBe(words);
  expect(accuracyText(toSummary(state, '/runs/a').accuracy)).toBe(words);
  expect(report.summary.badges.map(({ label }) => label).join()).toContain(`Accuracy ${words}`);
  expect(report.summary.accuracy.toLowerCase()).toContain(words);
  expect(verdictOf(state, {})).toContain(`accuracy ${words}`);
  const { value, note } = keyFigures(state, {})[3] ?? { value: '', note: '' };
  const { word, of } = accuracyOf(state.accuracy?.result);
  expect(`${value} ${note}`).toContain(word);
  expect(note).toContain(of ?? '');
  for (const scenario of report.scenarios) {
    const csv = parseCsvRows(loadCsv(scenario, report.verification));
    expect(new Set(csv.flatMap((row) => (row['Request Count'] === '' ? [] : row['Accuracy'])))).toEqual(
      new Set([words]),
    );
  }
  const [page = '', , , , json = '', markdown = ''] = exporters.map(
    (exporter) => exporter.render({ state, report }).content,
  );
  expect(page).toContain(`Accuracy ${words}`);
  expect(json).toContain(words);
  expect(markdown.replace(/\\(.)/g, '$1')).toContain(`Accuracy ${words}.`);
});

it('shows the metrics of labels by their titles, and names what agrees', () => {
  const state = stateWith({ ...ofLabels(null), sampleCount: 16 });
  const report = toReport(state, { generatedAt: '2025-11-21T08:00:00.000Z' });
  expect(report.summary.accuracy).toContain(
    'Verified (outputs, 16 samples). Accuracy: Triton 0.5000, framework 0.5000.',
  );
  expect(report.accuracy?.metrics).toMatchObject([{ name: 'Accuracy', threshold: '–' }]);
  expect(verificationOf(state).reason).toMatch(/^Outputs agree with the golden file golden\.json/);
  expect(keyFigures(state, {})[3]).toMatchObject({ label: 'Accuracy, Triton', value: '0.5000' });
});
