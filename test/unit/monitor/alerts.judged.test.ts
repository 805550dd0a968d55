import { expect, it } from 'vitest';
import type { AlertRule, ProbeFigures } from '../../../main/contract/monitor/monitor';
import { judgedRules, unjudgedRules } from '../../../main/monitor/alerts';
import { model, sample } from './fixtures';

const rule = (metric: AlertRule['metric'], change: Partial<AlertRule> = {}): AlertRule => ({
  ...{ id: metric, metric, model: '', above: 5, forSeconds: 0, enabled: true },
  ...change,
});
const probe = (p99Us: number | null): ProbeFigures => ({
  ...{ count: 3, failures: p99Us === null ? 3 : 0, p50Us: p99Us, p95Us: p99Us, p99Us },
  ...{ sendP99Us: p99Us, worstUs: p99Us },
});
const rules = [rule('probe-p99-ms'), rule('error-percent'), rule('server'), rule('model')];
const metricsOf = (judged: readonly AlertRule[]) => judged.map(({ metric }) => metric);

it('judges a limit by a figure, also by one within it', () => {
  const answered = sample(0, { models: [model({ probe: probe(1000) })] });
  expect(metricsOf(judgedRules(rules, answered))).toEqual(['probe-p99-ms', 'error-percent']);
});

it.each([
  ['a model that is not probed', { models: [model()] }],
  ['probes of which none was answered', { models: [model({ probe: probe(null) })] }],
])('has no p99 to judge from %s', (_what, seen) => {
  expect(metricsOf(judgedRules(rules, sample(0, seen)))).toEqual(['error-percent']);
});

it('does not take the figure of another model', () => {
  const other = [rule('error-percent', { model: 'other' })];
  expect(judgedRules(other, sample(0, { models: [model()] }))).toEqual([]);
});

it('leaves over what was never judged: neither presence nor what is switched off has a figure', () => {
  const off = rule('queue-ms', { enabled: false });
  expect(metricsOf(unjudgedRules([...rules, off], new Set()))).toEqual(['probe-p99-ms', 'error-percent']);
  expect(metricsOf(unjudgedRules(rules, new Set(['probe-p99-ms'])))).toEqual(['error-percent']);
});
