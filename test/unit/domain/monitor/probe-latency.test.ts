import { describe, expect, it } from 'vitest';
import { type AlertRule, defaultRules } from '../../../../main/contract/monitor/monitor';
import { MonitorHistory } from '../../../../main/contract/monitor/monitor-history';
import {
  isOnlyAnswer,
  latencyAnswer,
  latencyAnswers,
  p99LimitMs,
  ruleText,
} from '../../../../main/domain/monitor/probe-latency';
import { model, sample } from '../../monitor/fixtures';

const start = Date.UTC(2026, 0, 5, 12);

/** One second each; null: no probe was answered. */
function seen(...p99Ms: readonly (number | null)[]): MonitorHistory {
  const history = new MonitorHistory();
  for (const [second, ms] of p99Ms.entries()) {
    const p99Us = ms === null ? null : ms * 1000;
    const figures = { count: 60, failures: 0, p50Us: p99Us, p95Us: p99Us, p99Us, sendP99Us: p99Us };
    const probe = { ...figures, worstUs: p99Us };
    history.add(sample(start + second * 1000, { models: [model({ probe })] }));
  }
  return history;
}
const rule = (change: Partial<AlertRule>): AlertRule => ({
  ...{ id: 'a', metric: 'probe-p99-ms', model: '', above: 20, forSeconds: 10, enabled: true },
  ...change,
});
const at = (ms: number): string => new Date(ms).toISOString().slice(11, 19);
const limited = (limitMs: number | null): AlertRule[] => (limitMs === null ? [] : [rule({ above: limitMs })]);
const answersOf = (history: MonitorHistory, limitMs: number | null) =>
  latencyAnswers(history, ['echo/1'], limited(limitMs), at);
const answer = (history: MonitorHistory, limitMs: number | null): string =>
  answersOf(history, limitMs)
    .map(({ sentence }) => sentence)
    .join();

describe('whether the latency was within its limit', () => {
  it('is yes where every second with probes was', () => {
    expect(answer(seen(5, null, 20, 7), 20)).toBe(
      'echo/1: yes. The p99 of the probes was within 20 ms in all 3 s with probes, highest 20.00 ms at 12:00:02.',
    );
  });

  it('is no with the share of the time and the highest', () => {
    expect(answer(seen(5, 81.1, 20, null, 25), 20)).toBe(
      'echo/1: no. The p99 of the probes was above 20 ms in 2 of 4 s with probes (50.0 %), highest 81.10 ms at 12:00:01.',
    );
  });

  it('names the second at which the highest was reached first', () => {
    // The probes of the last minute keep it for as long.
    expect(answer(seen(5, 81.1, 81.1, 81.1), 20)).toContain('highest 81.10 ms at 12:00:01.');
    expect(answer(seen(0, 0), 20)).toContain('at 12:00:00.');
  });

  it('is not known without probes, and without a limit no answer', () => {
    expect(answer(seen(null, null), 20)).toBe('echo/1: not known. No probes were answered.');
    expect(answer(new MonitorHistory(), 20)).toContain('not known');
    expect(answer(seen(5), null)).toContain('No limit was set: enable the rule Probe p99.');
  });
});

it('is one answer: of the only model its own, of several one for all that have a limit and probes', () => {
  const of = (limitMs: number | null, ...p99Ms: readonly (number | null)[]) =>
    answersOf(seen(...p99Ms), limitMs);
  const yes = of(20, 5);
  expect([isOnlyAnswer(yes), latencyAnswer(yes)]).toEqual([true, answer(seen(5), 20)]);
  expect(latencyAnswer([...yes, ...of(20, null), ...of(null, 90)])).toBe(
    'The latency was always within its limit.',
  );
  expect(latencyAnswer([...yes, ...of(20, 5, 21)])).toBe('The latency was not always within its limit.');
  expect(latencyAnswer([...of(1, 5, 21), ...of(1, null)])).toBe('The latency was never within its limit.');
  expect([latencyAnswer(of(20, null)), latencyAnswer([...of(null, 5), ...of(20, null)])]).toEqual([
    null,
    null,
  ]);
});

it('the limit of a model is the lowest of the rules that are on and apply to it', () => {
  const rules = [
    rule({ above: 500 }),
    rule({ above: 20, model: 'echo' }),
    rule({ above: 5, model: 'other' }),
    rule({ above: 1, enabled: false }),
    rule({ above: 2, metric: 'queue-ms' }),
  ];
  expect(p99LimitMs(rules, 'echo')).toBe(20);
  expect(p99LimitMs(rules, 'third')).toBe(500);
  expect(p99LimitMs(defaultRules, 'echo')).toBeNull();
});

it('a rule is stated with its limit, its duration and its model', () => {
  expect(defaultRules.map(ruleText)).toEqual([
    'Server is not up for 2 s',
    'Model is not ready, all models',
    'Errors above 1 % for 10 s, all models',
    'Queue time above 100 ms for 10 s, all models',
    'Probe p99 above 500 ms for 10 s, all models',
  ]);
  expect(ruleText(rule({ model: 'echo', forSeconds: 0 }))).toBe('Probe p99 above 20 ms, echo');
});
