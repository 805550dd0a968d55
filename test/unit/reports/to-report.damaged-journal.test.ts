import { expect, it } from 'vitest';
import { damageText } from '../../../main/contract/run/run-events';
import { html } from '../../../main/reports/html.exporter';
import { json } from '../../../main/reports/json.exporter';
import { toReport } from '../../../main/reports/to-report';
import { completeState } from '../../support/run-state';

const state = { ...completeState(), damagedLines: [3, 5] };
const report = toReport(state, { generatedAt: '2025-11-21T08:30:00.000Z' });
const said = 'Lines 3 and 5 of journal.jsonl are damaged.';

it('the report names the damaged lines of the journal among its problems', () => {
  expect(report.problems.map(({ text }) => text)).toContainEqual(expect.stringContaining(said));
  expect(html.render({ state, report }).content).toContain(said);
});

it('the JSON report has their numbers', () => {
  expect(JSON.parse(json.render({ state, report }).content)).toMatchObject({ damagedLines: [3, 5] });
});

it('a report of a whole journal says nothing of it', () => {
  const whole = toReport(completeState(), { generatedAt: '2025-11-21T08:30:00.000Z' });
  expect(JSON.stringify(whole.problems)).not.toContain('journal.jsonl');
});

it('a journal of many damaged lines is told in one sentence', () => {
  const text = damageText(Array.from({ length: 5000 }, (_, index) => index + 1));
  expect(text).toContain('Lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 4,990 more of journal.jsonl are damaged.');
  expect(damageText([])).toBeNull();
});
