import { describe, expect, it } from 'vitest';
import { parseRule, rulesWith, ruleText, usualRule } from '../../../../main/domain/outputs/rule-text';

describe('parseRule', () => {
  it('reads every kind', () => {
    expect(parseRule('numbers:atol=1e-3:rtol=0.01')).toEqual({ by: 'numbers', atol: 1e-3, rtol: 0.01 });
    expect(parseRule('text')).toEqual({ by: 'text', ignore: [] });
    expect(parseRule('text:case:json')).toEqual({ by: 'text', ignore: ['case', 'json'] });
    expect(parseRule('ranks:top=5:overlap=0.8')).toEqual({ by: 'ranks', top: 5, overlap: 0.8 });
    expect(parseRule('detections:labels=classes:scores=conf:iou=0.7:boxes=xywh')).toEqual({
      ...{
        by: 'detections',
        labels: 'classes',
        scores: 'conf',
        iou: 0.7,
        boxes: 'xywh',
        scoreTolerance: 0.05,
      },
    });
  });

  it.each([
    ['sets', '"sets" is not one of numbers, text, ranks, detections'],
    ['ranks', 'top: '],
    ['ranks:top', '"top" is not NAME=VALUE'],
    ['numbers:atol=-1', 'atol: '],
    ['numbers:atol=x', 'atol: '],
    ['numbers:case', 'ignore'],
    ['detections:iou=2', 'iou: '],
  ])('says what is wrong with %s', (text, message) => {
    expect(parseRule(text)).toEqual(expect.stringContaining(message));
  });
});

describe('ruleText', () => {
  it('says each rule in words', () => {
    const text = (rule: string) => {
      const parsed = parseRule(rule);
      return typeof parsed === 'string' ? parsed : ruleText(parsed);
    };
    expect(ruleText(usualRule('FP16'))).toBe('within 0.01 + 0.01 × value');
    expect(ruleText(usualRule('INT32'))).toBe('exactly');
    expect(ruleText(usualRule('BYTES'))).toBe('exact text');
    expect(text('numbers:maxMismatch=0.1')).toBe('exactly, except 10.0 % of the values');
    expect(text('text:case')).toBe('text without regard to case');
    expect(text('ranks:top=5:overlap=0.8')).toBe('the 5 highest of each row, 80.0 % of them');
    expect(text('detections:labels=L:scores=S:minScore=0.3')).toBe(
      'boxes in any order, IoU of at least 0.500, the same label, scores within 0.05, from a score of 0.3 on',
    );
  });
});

describe('rulesWith', () => {
  const outputs = [
    { name: 'score', datatype: 'FP32' },
    { name: 'count', datatype: 'INT64' },
    { name: 'label', datatype: 'BYTES' },
  ];
  const own = {
    score: { by: 'numbers' as const, atol: 1e-4, rtol: 1e-4, maxMismatch: 0.1 },
    count: { by: 'numbers' as const, atol: 0, rtol: 0 },
    label: { by: 'text' as const, ignore: [] },
  };

  it('gives the floats of a file the tolerances of all, and leaves its other rules', () => {
    const all = { by: 'numbers' as const, atol: 0.1, rtol: 0.2 };
    expect(rulesWith(own, { '*': all }, outputs)).toEqual({
      ...own,
      score: { by: 'numbers', atol: 0.1, rtol: 0.2, maxMismatch: 0.1 },
      '*': all,
    });
  });

  it('prefers the rule of one output to that of all', () => {
    const score = { by: 'numbers' as const, atol: 1, rtol: 0 };
    const all = { by: 'numbers' as const, atol: 0.1, rtol: 0 };
    expect(rulesWith(own, { '*': all, score }, outputs)).toMatchObject({ score });
    expect(rulesWith(own, {}, outputs)).toEqual(own);
  });
});
