import { expect, it } from 'vitest';
import type { Look } from '../../../main/contract/study/search';
import { duelAnswer } from '../../../main/domain/study/duel/duel-answer';
import { duelFiles } from '../../../main/reports/duel-report';
import { defaultReportSettings as settings } from '../../../main/reports/report-settings';
import { duelFixture, runB } from '../../support/duel';

const [first, second] = duelFixture().sides;
const duel = duelFixture({ criteria: ['p99>1.1x'], sides: [first, { ...second, title: '<b>build</b>' }] });
const looks = Array.from({ length: 16 }, (_unused, at): Look => {
  const candidate = [1, 2, 2, 1, 2, 1, 1, 2][at % 8] ?? 1;
  return {
    ...{ candidate, phase: 'turn', load: { concurrency: 8 }, seconds: 0.9, inferencesPerSecond: 1000 + at },
    ...{ latencyUs: (candidate === 2 ? 20_000 : 10_000) + at, requestCount: 500, errorCount: 0 },
    ...{ meanServerBatch: null, serverQueueUs: null },
  };
});
const answer = duelAnswer(duel, { looks, failed: {} });
const files = duelFiles({ name: 'night', generatedAt: '2026-11-28T10:00:00.000Z', duel, answer, settings });
const contentOf = (kind: string): string => files.find((file) => file.kind === kind)?.content ?? '';

it('has the answer first, then what it rests on, in each format', () => {
  expect(files.map(({ fileName }) => fileName)).toEqual([
    ...['comparison.html', 'comparison.csv', 'comparison.md', 'comparison.json'],
  ]);
  expect(contentOf('json')).toContain(answer.sentence);
  expect(contentOf('markdown')).toContain('**p99\\>1.1x: outside, ×');
  expect(contentOf('html')).toContain('&lt;b&gt;build&lt;/b&gt;');
  expect(contentOf('html')).not.toContain('<b>build');
  const [head, row] = contentOf('csv').replaceAll('"', '').trimEnd().split('\r\n');
  expect(head).toBe('criterion,outcome,ratio,ratio_low,ratio_high,pairs');
  expect(row).toMatch(/^p99>1\.1x,outside,(?:1\.99|2)[\d.]*,1\.\d+,2\.\d+,\d$/);
});

it('says how it was measured', () => {
  expect(contentOf('markdown')).toContain(`- B: \\<b\\>build\\</b\\>, run ${runB}.`);
  expect(contentOf('markdown')).toContain('in turns of 0.9 s in the order A B B A, B A A B');
  expect(contentOf('markdown')).toContain('14 of 180 s of load were used');
});
