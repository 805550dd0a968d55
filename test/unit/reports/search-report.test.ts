import { expect, it } from 'vitest';
import type { Candidate, Look, SearchStrategy } from '../../../main/contract/study/search';
import { searchAnswer } from '../../../main/domain/study/search/search-answer';
import { defaultReportSettings as settings } from '../../../main/reports/report-settings';
import { searchFiles } from '../../../main/reports/search-report';

const one: Candidate = {
  instances: 1,
  maxBatchSize: 8,
  batching: 'dynamic',
  preferredBatchSizes: [],
  maxQueueDelayUs: 0,
  threads: 1,
};
const search: SearchStrategy = {
  kind: 'search',
  runId: 'run-1',
  candidates: [one, { ...one, instances: 2 }, { ...one, threads: 2 }],
  load: { kind: 'closed', batchSize: 1, concurrency: [4, 8] },
  target: { percentile: 95, latencyUs: 20_000, errorPercentage: 1 },
  budgetS: 300,
  lookMs: 900,
  fullMs: 3000,
};
const look = (candidate: number, inferencesPerSecond: number): Look => ({
  candidate,
  phase: 'screen',
  load: { concurrency: 8 },
  seconds: 0.9,
  inferencesPerSecond,
  latencyUs: 12_345,
  requestCount: 100,
  errorCount: 0,
  meanServerBatch: null,
  serverQueueUs: null,
});
const failed = { 3: { code: 'model-load-failed' as const, message: 'no <memory>' } };
const searched = { looks: [look(1, 100), look(2, 150)], failed };
const answer = searchAnswer(search, searched);
const configs = {
  runId: 'run',
  present: 'max_batch_size: 8\ncount: 1\n',
  winner: 'max_batch_size: 8\ncount: 2\n',
};
const about = { settings, name: 'night', generatedAt: '2026-11-28T10:00:00.000Z' };
const files = searchFiles({ ...about, search, searched, answer, configs });
const contentOf = (kind: string): string => files.find((file) => file.kind === kind)?.content ?? '';

it('has the answer first, then every candidate, in each format', () => {
  expect(files.map(({ fileName }) => fileName)).toEqual([
    'search.html',
    'search.csv',
    'search.md',
    'search.json',
  ]);
  for (const kind of ['html', 'markdown', 'json'])
    expect(contentOf(kind).replaceAll(/<span class="unbroken">([^<]*)<\/span>/g, '$1')).toContain(
      answer.sentence,
    );
  expect(contentOf('csv').replaceAll('"', '').trimEnd().split('\r\n')).toEqual([
    'candidate,configuration,result,concurrency,inferences_per_second,p95_ms,looks',
    '2,model instances 2,best,8,150,12.345,1',
    '1,present configuration,measured,8,100,12.345,1',
    '3,threads per instance 2,failed: no <memory>,,,,0',
  ]);
  expect(contentOf('html')).toContain('no &lt;memory&gt;');
  expect(contentOf('html')).not.toContain('<memory>');
});

it('says how it was found, and what was not done', () => {
  expect(contentOf('markdown')).toContain('- Target: p95 at most 20.00 ms, at most 1 % of requests failed.');
  expect(contentOf('markdown')).toContain('- 2 of 300 s of load were used.');
  expect(contentOf('markdown')).toContain(
    '- The best configuration was not measured at full length at its reported load.',
  );
});

it('has the present configuration, the changes of config.pbtxt, what was not tried and how to run it', () => {
  for (const kind of ['html', 'markdown']) {
    const content = contentOf(kind);
    expect(content).toContain(
      'Present configuration: 100.0 inferences/s at concurrency 8 within p95 20.00 ms.',
    );
    expect(content).toContain('- count: 1\n+ count: 2');
    expect(content).toContain('Not varied: format, precision');
    expect(content).toContain('triton-workbench resume run-1 --set configure.instances=2');
  }
  const present = { looks: [look(1, 150), look(2, 100)], failed: {} };
  const same = searchFiles({
    ...about,
    search,
    searched: present,
    answer: searchAnswer(search, present),
    configs: null,
  });
  expect(same.find(({ kind }) => kind === 'html')?.content).not.toContain('Changes of config.pbtxt');
});
