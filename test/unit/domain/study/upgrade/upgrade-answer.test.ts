import { describe, expect, it } from 'vitest';
import type { Searched } from '../../../../../main/contract/study/search';
import type { Upgraded, UpgradeStrategy } from '../../../../../main/contract/study/upgrade';
import { percentText, upgradeAnswer } from '../../../../../main/domain/study/upgrade/upgrade-answer';
import {
  agreeing,
  comparedOutput,
  differing,
  turns,
  upgraded,
  upgradeStrategy,
} from '../../../../support/upgraded';

const nothing: Searched = { looks: [], failed: {} };
const answerOf = (known: Upgraded, searched: Partial<Searched> = {}, change: Partial<UpgradeStrategy> = {}) =>
  upgradeAnswer(upgradeStrategy(change), known, { ...nothing, ...searched });

describe('an upgrade', () => {
  it('may move where outputs agree and nothing is too much worse, with what changes beside', () => {
    const answer = answerOf(upgraded({ loadMs: 3100 }), { looks: turns(8, { p99: 0.97 }) });
    expect(answer).toMatchObject({ verdict: 'may-move', outcome: 'within', reasons: [] });
    expect(answer.sentence).toMatch(
      /^Ready to move: throughput [+−]0\.\d % ± 0\.\d, p99 −2\.\d % ± 0\.\d; loads 3\.1 times slower$/,
    );
    expect(answer.rows.map(({ tritonVersion, loadMs }) => [tritonVersion, loadMs])).toEqual([
      ['2.51.0', 1000],
      ['2.71.0', 3100],
    ]);
    expect(answer.places).toHaveLength(2);
  });

  it('should not move where an output differs at one batch size only, and says at which', () => {
    const answer = answerOf({ ...upgraded({}, differing()), loads: [] });
    expect(answer).toMatchObject({ verdict: 'do-not-move', outcome: 'outside' });
    expect(answer.sentence).toBe('Do not move: output logits differs by 0.012 at batch 8');
    expect(answer.outputs.map(({ batchSize, passed }) => [batchSize, passed])).toEqual([
      [1, true],
      [8, false],
    ]);
  });

  it('does not hold a difference against it that the present one has with itself', () => {
    const { between } = differing();
    const varying = between.map((at) => (at.batchSize === 8 ? { ...at, varying: ['logits'] } : at));
    const answer = answerOf(upgraded({}, agreeing({ between: varying })), { looks: turns(8) });
    expect(answer.verdict).toBe('may-move');
    expect(answer.notes.join(' ')).toContain('logits changes from request to request');
  });

  it('names NaN and texts by what the comparison says of them', () => {
    const odd = comparedOutput({
      ...{ passed: false, maxAbsDiff: null, nanCount: 2, reason: 'logits, sample 0: 2 of 20 values (2 NaN)' },
    });
    const between = [{ batchSize: 1, requests: 2, outputs: [odd], varying: [] }];
    expect(answerOf(upgraded({}, agreeing({ between }))).sentence).toBe(
      'Do not move: output logits differs at batch 1 (logits, sample 0: 2 of 20 values (2 NaN))',
    );
  });

  it('holds a lost reference against it, and not one that was never reached', () => {
    const lost = 'the sample 3 as its run did: logits differs by up to 0.2';
    const only = (sides: readonly number[]) =>
      agreeing({
        reference: ([1, 2] as const).map((side) => ({
          ...{ side, samples: 8, difference: sides.includes(side) ? lost : null },
        })),
      });
    expect(answerOf(upgraded({}, only([2]))).sentence).toBe(`Do not move: it does not answer ${lost}`);
    const twice = answerOf(upgraded({}, { ...only([2]), between: differing().between }));
    expect(twice.sentence).toBe('Do not move: output logits differs by 0.012 at batch 8');
    expect(twice.notes).toContain(`It does not answer ${lost}`);
    const both = answerOf(upgraded({}, only([1, 2])), { looks: turns(8) });
    expect(both.verdict).toBe('may-move');
    expect(both.notes[0]).toContain('Neither agrees with the reference');
  });

  it('should not move where it is too much worse, by the condition', () => {
    const answer = answerOf(upgraded(), { looks: turns(8, { p99: 1.3 }) });
    expect(answer.sentence).toMatch(/^Do not move: p99 \+30\.?\d? % ± [\d.]+ \(p99>1\.1x\)$/);
    expect(answer.outcome).toBe('outside');
  });

  it('cannot tell after too few pairs, and says what is open', () => {
    const answer = answerOf(upgraded(), { looks: turns(3) });
    expect(answer).toMatchObject({ verdict: 'unclear', outcome: 'unclear' });
    expect(answer.sentence).toContain('Inconclusive: throughput<0.9x, ×');
  });

  it('should not move where it cannot be served there', () => {
    const failed = { 2: { code: 'model-load-failed' as const, message: 'Triton could not load ocr' } };
    expect(answerOf({ served: {}, outputs: null, loads: [] }, { failed }).sentence).toBe(
      'Do not move: release 26.07 cannot serve it: Triton could not load ocr',
    );
    const details = "load failed for model 'ocr': version 1 is at UNAVAILABLE state: Internal: no numpy;";
    const why = { 2: { ...failed[2], details } };
    expect(answerOf({ served: {}, outputs: null, loads: [] }, { failed: why }).sentence).toBe(
      'Do not move: release 26.07 cannot serve it: Triton could not load ocr: no numpy',
    );
    const first = { 1: failed[2] };
    const answer = answerOf({ served: {}, outputs: null, loads: [] }, { failed: first });
    expect(answer).toMatchObject({ verdict: 'unknown', outcome: null });
    expect(answer.sentence).toContain('Not compared: release 26.04 cannot serve it');
  });

  it('knows what blocks before anything is started, and keeps the rest as notes', () => {
    const findings = [
      { about: 'plan' as const, text: 'the TensorRT plan has to be built again', blocks: true },
      { about: 'package' as const, text: 'CUDA 12.6 becomes 13.3', blocks: false },
    ];
    const answer = answerOf({ served: {}, outputs: null, loads: [] }, {}, { findings });
    expect(answer.sentence).toBe('Do not move: the TensorRT plan has to be built again');
    expect(answer.notes).toEqual(['CUDA 12.6 becomes 13.3']);
  });

  it('is unclear where requests of the present one fail, and against it where those of the other do', () => {
    const failing = (candidate: number) =>
      turns(6).map((look) => (look.candidate === candidate ? { ...look, errorCount: 50 } : look));
    expect(answerOf(upgraded(), { looks: failing(1) }).sentence).toContain(
      'more requests of release 26.04 failed than permitted (300)',
    );
    expect(answerOf(upgraded(), { looks: failing(2) }).sentence).toBe(
      'Do not move: more requests failed than permitted (300)',
    );
  });

  it('says what it is before it began', () => {
    const answer = answerOf({ served: {}, outputs: null, loads: [] });
    expect(answer.sentence).toBe('nightly from release 26.04 to release 26.07');
  });

  it('mentions slower loads, first answers and memory only where they are worth it', () => {
    const quick = answerOf(upgraded({ loadMs: 1040 }), { looks: turns(8) });
    expect(quick.sentence).not.toContain('loads');
    const slow = answerOf(
      upgraded({
        hostBytes: 620e6,
        firstUs: [
          { batchSize: 1, us: 320_000 },
          { batchSize: 8, us: 30_000 },
        ],
      }),
      { looks: turns(8) },
    );
    expect(slow.sentence).toContain('; answers first 16.0 times slower; takes 120 MB more memory');
  });
});

it('writes a ratio as a change with its half-width', () => {
  expect(percentText({ ratio: 0.97, low: 0.95, high: 0.99 })).toBe('−3 % ± 2');
  expect(percentText({ ratio: 1.004, low: 1.001, high: 1.007 })).toBe('+0.4 % ± 0.3');
  expect(percentText({ ratio: 1.2, low: null, high: null })).toBe('+20 %');
  expect(percentText({ ratio: null, low: null, high: null })).toBe('');
});
