// @vitest-environment jsdom

import { expect, it } from 'vitest';
import type { LoadPoint } from '../../../../main/contract/measured/results';
import { comparisonOf } from '../../../../main/domain/comparison/comparison';
import { comparisonText } from '../../../../main/reports/comparison/write-comparison';
import { defaultReportSettings as settings } from '../../../../main/reports/report-settings';
import { formatTime } from '../../../../main/reports/to-report';
import { parseCsvRows } from '../../../support/parse-csv';
import {
  accuracyBody,
  createdBodies,
  measurementBody,
  pointFixture,
  specFixture,
  stateOf,
} from '../../../support/run-state';

/** Two levels offline and one online, `factor` times as fast as the first run. */
function runOf(
  name: string,
  factor: number,
  change: (concurrency: number) => Partial<LoadPoint> = () => ({}),
) {
  const point = (concurrency: number, batchSize = 1) =>
    pointFixture({
      ...{ concurrency, batchSize, throughputIntervalIps: 4, p99IntervalUs: 100, p99Us: 9000 / factor },
      inferencesPerSecond: 500 * factor * batchSize,
      ...change(concurrency),
    });
  return {
    ...stateOf([
      ...createdBodies(
        specFixture((spec) => {
          spec.configure.instances = factor;
        }),
      ),
      accuracyBody({ metrics: [], sampleCount: 16 }),
      ...[1, 2].map((size) => measurementBody('offline', point(1, size))),
      measurementBody('online', point(4)),
      { type: 'run-finished', outcome: 'done' },
    ]),
    runId: `20251121-${name}`,
    name,
  };
}

const slow = runOf('slow', 1);
const fast = runOf('fast', 2);
const shaky = runOf('shaky', 3, () => ({ stable: false, flags: ['unstable'] }));
const how = { title: null, budgetMs: null, titleOf: (id: string) => id, when: formatTime };

it('says in page, Markdown and CSV what the window says: the sentence of the best, ratios, noise and what differs', () => {
  const comparison = comparisonOf([slow, fast], how);
  const [page, markdown, csv] = (['html', 'markdown', 'csv'] as const).map((kind) =>
    comparisonText(comparison, kind, { generatedAt: '2025-11-21T08:00:00.000Z', settings }),
  );
  const document = new DOMParser().parseFromString(page ?? '', 'text/html');
  const plain = (markdown ?? '').replace(/\\(.)/g, '$1');
  expect(comparison.title).toBe('resnet50: slow and fast');
  expect(comparison.best.sentence).toMatch(/^Best of 2 runs: fast, 2,000 /);
  for (const text of [document.body.textContent.replace(/\s+/g, ' '), plain]) {
    expect(text).toContain(comparison.best.sentence);
    expect(text).toContain('fast: throughput is better at 2 of 2 levels (×2.00); p99 latency is better');
    expect(text).toContain('×2.00 ↑ better');
    expect(text).toContain('verified (outputs, 16 samples)');
    expect(text).toContain('in Triton’s Python backend');
    expect(text).toContain('Model instances in total');
  }
  expect(document.querySelectorAll('figure svg')).toHaveLength(4);
  const rows = parseCsvRows(csv ?? '');
  expect(rows).toHaveLength(6);
  expect(rows[1]).toMatchObject({
    ...{ Scenario: 'offline', Load: '1', Run: 'fast', Baseline: 'no', State: 'steady' },
    ...{ 'Inferences/Second': '1000', 'Inferences/Second Ratio': '2', 'Inferences/Second Result': 'better' },
    ...{ 'p99 latency (ms)': '4.5', 'p99 Ratio': '0.5', Accuracy: 'verified (outputs, 16 samples)' },
  });
});

it('marks what is not steady, and does not call a run the best for it', () => {
  const comparison = comparisonOf([slow, shaky], { ...how, title: 'nightly', budgetMs: 20 });
  const markdown = comparisonText(comparison, 'markdown', { generatedAt: '', settings }).replace(
    /\\(.)/g,
    '$1',
  );
  expect(markdown).toMatch(/^# nightly\n/);
  expect(markdown).toContain('No clear best of 2 runs within a p99 of 20 ms: slow has ');
  expect(markdown).toContain('○ 1,500 ± 4');
  expect(markdown).toContain('×3.00 ↑ not steady');
});
